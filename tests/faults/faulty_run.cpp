#include "tests/faults/faulty_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/files/sha256.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::array kVariables = {
    "LD_PRELOAD",       "GLOSS_FAULT_FOLDER",     "GLOSS_FAULT_REPORT",     "GLOSS_FAULT_AT",
    "GLOSS_FAULT_KIND", "GLOSS_FAULT_PERSISTENT", "GLOSS_FAULT_NO_TMPFILE", "GLOSS_FAULT_PROCESS"};

std::int64_t number_after(const std::string& text, const std::string& words) {
  const auto place = text.rfind(words);
  return place == text.npos ? 0 : std::atoll(text.c_str() + place + words.size());
}

/// The step of the newest checkpoint that was in place, its folder flushed, before the fault.
std::int64_t last_complete(const std::vector<CountedCall>& calls) {
  std::int64_t renamed = 0, complete = 0;
  for (const CountedCall& call : calls) {
    if (call.fails) break;
    if (call.name == "rename") renamed = number_after(call.path, "/step-");
    if (call.name == "sync" && call.path.ends_with("/checkpoints")) complete = std::max(complete, renamed);
  }
  return complete;
}

bool has_temporaries(const fs::path& folder) {
  if (fs::exists(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".tmp") return true;
  return false;
}

}  // namespace

std::string FaultSetting::text() const {
  return kind + (persistent ? " from call " : " at call ") + std::to_string(at) + (sockets ? " on sockets" : "") +
         (no_tmpfile ? ", without O_TMPFILE" : "") + (process.empty() ? "" : ", in " + process);
}

std::vector<CountedCall> read_calls(const fs::path& report) {
  std::vector<CountedCall> calls;
  for (const std::string& line : lines_of(read_text(report))) {
    std::istringstream words(line);
    std::int64_t number = 0;
    CountedCall call;
    words >> number >> call.name >> std::ws;
    std::getline(words, call.path);
    call.fails = call.path.ends_with(" fails");
    if (call.fails) call.path.resize(call.path.size() - std::string(" fails").size());
    calls.push_back(std::move(call));
  }
  return calls;
}

FaultEnvironment::FaultEnvironment(const FaultSetting& setting, const std::string& folder, const std::string& report) {
  const std::array<std::string, kVariables.size()> values = {GLOSS_FAULT_SHIM,
                                                             setting.sockets ? "socket:" : folder,
                                                             report,
                                                             std::to_string(setting.at),
                                                             setting.kind,
                                                             setting.persistent ? "1" : "0",
                                                             setting.no_tmpfile ? "1" : "0",
                                                             setting.process};
  for (std::size_t i = 0; i < values.size(); ++i) ::setenv(kVariables[i], values[i].c_str(), 1);
}

FaultEnvironment::~FaultEnvironment() {
  for (const auto* variable : kVariables) ::unsetenv(variable);
}

FaultyRun::FaultyRun(std::vector<std::string> settings, int processes)
    : settings_(std::move(settings)), processes_(processes) {
  calls_ = run_unbroken({});
  leavings_ = leavings();
  sum_ = sha256(read_text(out() / "model.safetensors"));
}

const std::vector<CountedCall>& FaultyRun::calls(bool no_tmpfile) {
  if (no_tmpfile && named_.empty()) named_ = count_calls({.no_tmpfile = true});
  return no_tmpfile ? named_ : calls_;
}

std::vector<CountedCall> FaultyRun::count_calls(FaultSetting setting) {
  setting.kind.clear();
  auto calls = run_unbroken(setting);
  if (leavings() != leavings_) throw std::runtime_error("two unbroken runs left different files");
  return calls;
}

Arguments FaultyRun::training(bool resume) const {
  // Validations, saves, epochs and the end are out of step with each other.
  Arguments more = {"--quiet"};
  for (const char* setting :
       {"data.batch_tokens=256", "model.d_model=8", "model.d_ff=8", "model.heads=2", "training.max_steps=4",
        "training.save_every=2", "training.validate_every=3", "training.keep_checkpoints=1", "training.clip_norm=1",
        "decoding.beam_size=1", "decoding.max_length=2"})
    more.insert(more.end(), {"--set", setting});
  for (const std::string& setting : settings_) more.insert(more.end(), {"--set", setting});
  if (resume) more.push_back("--resume");
  if (!resume && processes_ > 1) more.insert(more.end(), {"--processes", std::to_string(processes_)});
  return run_.training("runs/run", more);
}

std::vector<CountedCall> FaultyRun::run_unbroken(const FaultSetting& setting) {
  fs::remove_all(runs());
  fs::create_directory(runs());
  fs::remove(report());
  const FaultEnvironment environment(setting, runs(), report());
  const auto outcome = run_gloss(training(false));
  if (outcome.exit_code != 0) throw std::runtime_error("the unbroken run failed: " + outcome.err);
  return read_calls(report());
}

std::string FaultyRun::leavings() const {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(out())) {
    const std::string name = entry.path().filename();
    if (!entry.is_regular_file() || entry.is_symlink() || name == ".lock" || name == "log.jsonl") continue;
    if (name == "corpus.texts.json")
      continue;             // it says, too, whether the texts were old enough to be known by their age
    const auto sum = [&] {  // a checkpoint also holds the time that was needed
      return name.starts_with("step-") ? SafetensorsFile::open(entry.path()).metadata().at("sha256")
                                       : sha256(read_text(entry.path()));
    };
    files.push_back(name + ' ' + sum() + '\n');
  }
  std::ranges::sort(files);
  std::string text;
  for (const std::string& file : files) text += file;
  return text;
}

/// The step of the newest checkpoint; whatever stands there under such a name is to be whole.
std::int64_t FaultyRun::newest_whole(std::vector<std::string>& broken) const {
  std::int64_t newest = 0;
  if (!fs::exists(out() / "checkpoints")) return newest;
  for (const auto& entry : fs::directory_iterator(out() / "checkpoints")) {
    if (!entry.path().filename().string().starts_with("step-")) continue;
    try {
      static_cast<void>(SafetensorsFile::open(entry.path()));
      newest = std::max(newest, number_after(entry.path().string(), "/step-"));
    } catch (const Error& fault) {
      broken.push_back(std::string("a checkpoint is not whole: ") + fault.what());
    }
  }
  return newest;
}

FaultyRun::Verdict FaultyRun::try_fault(const FaultSetting& setting) {
  fs::remove_all(runs());
  fs::create_directory(runs());
  fs::remove(report());
  Verdict verdict;
  {
    const FaultEnvironment environment(setting, runs(), report());
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome = run_gloss(training(false));
    verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    verdict.exit_code = outcome.exit_code;
    verdict.err = outcome.err;
  }
  verdict.calls = read_calls(report());
  const auto failed = std::ranges::find_if(verdict.calls, &CountedCall::fails);
  verdict.fired = failed != verdict.calls.end();
  if (verdict.fired) verdict.call = *failed;
  verdict.newest = newest_whole(verdict.broken);
  verdict.left_temporaries = has_temporaries(runs());
  judge_faulty(setting, verdict);
  resume_and_judge(processes_ > 1 ? verdict.newest : last_complete(verdict.calls), verdict);
  return verdict;
}

/// Its end is one of those that are promised, and the message tells what happened.
void FaultyRun::judge_faulty(const FaultSetting& setting, Verdict& verdict) const {
  const auto broken = [&](const std::string& what) { verdict.broken.push_back(what + "; it said: " + verdict.err); };
  const int code = verdict.exit_code;
  if (setting.kind == "SIGTERM") {
    if (code != static_cast<int>(ExitCode::kTerminated)) broken("wanted exit code 143, got " + std::to_string(code));
    return;
  }
  if (setting.kind == "kill" || setting.kind == "tear" || setting.kind == "power") {
    if (verdict.fired && code != -SIGKILL) broken("wanted a killed process, got " + std::to_string(code));
    return;
  }
  if (processes_ > 1) {
    // Another process reports the file that one could not open or write, or that the one has ended.
    if (code != 0 && code != static_cast<int>(ExitCode::kIo) && code != static_cast<int>(ExitCode::kOutOfMemory) &&
        code != static_cast<int>(ExitCode::kLostProcess))
      broken("wanted exit code 0, 4, 7 or 8, got " + std::to_string(code));
    if (code != 0 && verdict.err.find("gloss: ") == verdict.err.npos) broken("there is no message");
    if (code == 0 && sha256(read_text(out() / "model.safetensors")) != sum_) broken("exit code 0, but another model");
    return;
  }
  const std::string reason = setting.kind == "EIO" ? "Input/output error" : "No space left on device";
  const bool told = verdict.err.find(reason) != verdict.err.npos;
  const bool named = verdict.err.find("gloss: " + runs().string()) != verdict.err.npos;
  if (code != 0 && code != static_cast<int>(ExitCode::kIo))
    broken("wanted exit code 0 or 4, got " + std::to_string(code));
  if (code != 0 && !(told && named)) broken("the message does not name the file and what happened to it");
  if (code == 0 && sha256(read_text(out() / "model.safetensors")) != sum_) broken("exit code 0, but another model");
  if (code == 0 && !told && leavings() != leavings_) broken("not told of, but files are others");
  const bool removes =
      std::ranges::none_of(verdict.calls, [](const CountedCall& call) { return call.fails && call.name == "remove"; });
  if (removes && verdict.left_temporaries) broken("a temporary file is left");
  if (removes && fs::exists(out() / ".lock")) broken("the lock is left");
}

/// `complete`: the step of a checkpoint that was in place before the fault.
void FaultyRun::resume_and_judge(std::int64_t complete, Verdict& verdict) const {
  const auto step = [](std::int64_t number) { return "step " + std::to_string(number); };
  if (verdict.newest < complete) verdict.broken.push_back(step(complete) + " was saved, and is gone or damaged");
  auto arguments = training(true);
  std::erase(arguments, "--quiet");
  const auto outcome = run_gloss(arguments);
  const auto broken = [&](const std::string& what) { verdict.broken.push_back(what + "; it said: " + outcome.err); };
  if (outcome.exit_code != 0) return broken("resuming ended with " + std::to_string(outcome.exit_code));
  if (number_after(outcome.err, "resumed after step ") < complete) broken(step(complete) + " was saved, and is lost");
  if (sha256(read_text(out() / "model.safetensors")) != sum_) broken("the resumed run gave another model");
  if (has_temporaries(runs()) || fs::exists(out() / ".lock")) broken("the resumed run left temporary files");
}

}  // namespace gloss
