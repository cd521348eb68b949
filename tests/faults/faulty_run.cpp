#include "tests/faults/faulty_run.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "common/error.h"
#include "common/safetensors.h"
#include "common/sha256.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::array kVariables = {
    "LD_PRELOAD",       "GLOSS_FAULT_FOLDER",     "GLOSS_FAULT_REPORT",    "GLOSS_FAULT_AT",
    "GLOSS_FAULT_KIND", "GLOSS_FAULT_PERSISTENT", "GLOSS_FAULT_NO_TMPFILE"};

std::int64_t number_behind(const std::string& text, const std::string& words) {
  const auto place = text.rfind(words);
  return place == text.npos ? 0 : std::atoll(text.c_str() + place + words.size());
}

/// The step of the newest checkpoint that was in place, its folder flushed, before the fault.
std::int64_t last_complete(const std::vector<CountedCall>& calls) {
  std::int64_t renamed = 0, complete = 0;
  for (const CountedCall& call : calls) {
    if (call.fails) break;
    if (call.name == "rename") renamed = number_behind(call.path, "/step-");
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
  return kind + (persistent ? " from call " : " at call ") + std::to_string(at) +
         (no_tmpfile ? ", without O_TMPFILE" : "");
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
                                                             folder,
                                                             report,
                                                             std::to_string(setting.at),
                                                             setting.kind,
                                                             setting.persistent ? "1" : "0",
                                                             setting.no_tmpfile ? "1" : "0"};
  for (std::size_t i = 0; i < values.size(); ++i) ::setenv(kVariables[i], values[i].c_str(), 1);
}

FaultEnvironment::~FaultEnvironment() {
  for (const auto* variable : kVariables) ::unsetenv(variable);
}

FaultyRun::FaultyRun(std::vector<std::string> settings) : settings_(std::move(settings)) {
  named_ = unbroken(true);
  const auto named_leavings = leavings_;
  calls_ = unbroken(false);
  if (leavings_ != named_leavings) throw std::runtime_error("two unbroken runs left different files");
  sum_ = sha256(read_text(out() / "model.safetensors"));
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
  return run_.training("runs/run", more);
}

std::vector<CountedCall> FaultyRun::unbroken(bool no_tmpfile) {
  fs::remove_all(runs());
  fs::create_directory(runs());
  fs::remove(report());
  const FaultEnvironment environment({.kind = "", .no_tmpfile = no_tmpfile}, runs(), report());
  const auto outcome = run_gloss(training(false));
  if (outcome.exit_code != 0) throw std::runtime_error("the unbroken run failed: " + outcome.err);
  leavings_ = leavings();
  return read_calls(report());
}

std::string FaultyRun::leavings() const {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(out())) {
    const std::string name = entry.path().filename();
    if (entry.is_regular_file() && !entry.is_symlink() && name != ".lock" && name != "log.jsonl")
      files.push_back(name + ' ' + sha256(read_text(entry.path())) + '\n');
  }
  std::ranges::sort(files);
  std::string text;
  for (const std::string& file : files) text += file;
  return text;
}

/// The step of the newest checkpoint; whatever stands there under such a name is to be whole.
std::int64_t FaultyRun::newest_whole(Verdict& verdict) const {
  std::int64_t newest = 0;
  if (!fs::exists(out() / "checkpoints")) return newest;
  for (const auto& entry : fs::directory_iterator(out() / "checkpoints")) {
    if (!entry.path().filename().string().starts_with("step-")) continue;
    try {
      static_cast<void>(SafetensorsFile::open(entry.path()));
      newest = std::max(newest, number_behind(entry.path().string(), "/step-"));
    } catch (const Error& fault) {
      verdict.broken.push_back(std::string("a checkpoint is not whole: ") + fault.what());
    }
  }
  return newest;
}

FaultyRun::Verdict FaultyRun::try_fault(const FaultSetting& setting) {
  fs::remove_all(runs());
  fs::create_directory(runs());
  fs::remove(report());
  Outcome outcome;
  {
    const FaultEnvironment environment(setting, runs(), report());
    outcome = run_gloss(training(false));
  }
  const auto calls = read_calls(report());
  const auto failed = std::ranges::find_if(calls, &CountedCall::fails);
  Verdict verdict{.fired = failed != calls.end(), .exit_code = outcome.exit_code, .call = {}, .broken = {}};
  if (verdict.fired) verdict.call = *failed;
  const auto broken = [&](const std::string& what) { verdict.broken.push_back(what + "; it said: " + outcome.err); };

  const bool kills = setting.kind == "kill" || setting.kind == "tear" || setting.kind == "power";
  const std::string reason = setting.kind == "EIO" ? "Input/output error" : "No space left on device";
  const bool told = outcome.err.find(reason) != outcome.err.npos;
  if (kills && verdict.fired && outcome.exit_code != -SIGKILL) broken("wanted a killed process");
  if (!kills) {
    if (outcome.exit_code != 0 && outcome.exit_code != static_cast<int>(ExitCode::kIo))
      broken("wanted exit code 0 or 4, got " + std::to_string(outcome.exit_code));
    if (outcome.exit_code != 0 && (!told || outcome.err.find("gloss: " + runs().string()) == outcome.err.npos))
      broken("the message does not name the file and what happened to it");
    if (outcome.exit_code == 0 && !told && leavings() != leavings_) broken("not told of, but files are others");
    if (outcome.exit_code == 0 && sha256(read_text(out() / "model.safetensors")) != sum_)
      broken("exit code 0, but another model");
    if (has_temporaries(runs()) && verdict.call.name != "remove") broken("a temporary file is left");
  }
  const std::int64_t complete = last_complete(calls), newest = newest_whole(verdict);
  if (newest < complete)
    broken("the checkpoint of step " + std::to_string(complete) + " was complete, and is gone or damaged");

  outcome = run_gloss([&] {
    auto arguments = training(true);
    std::erase(arguments, "--quiet");
    return arguments;
  }());
  if (outcome.exit_code != 0) {
    broken("resuming ended with " + std::to_string(outcome.exit_code));
    return verdict;
  }
  if (number_behind(outcome.err, "resumed behind step ") < complete)
    broken("step " + std::to_string(complete) + " was saved, but resumed before");
  if (sha256(read_text(out() / "model.safetensors")) != sum_) broken("the resumed run gave another model");
  if (has_temporaries(runs())) broken("a temporary file is left behind the resumed run");
  return verdict;
}

}  // namespace gloss
