#include "tests/faults/kill_loop.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/files/sha256.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"
#include "tests/faults/faulty_run.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Follows the calls that a process makes below its run folder, by the shim's report.
class Saves {
 public:
  explicit Saves(fs::path report) : report_(std::move(report)) {}

  void read_on() {
    std::string text = rest_;
    if (std::FILE* file = std::fopen(report_.c_str(), "r")) {
      std::fseek(file, offset_, SEEK_SET);
      char buffer[1 << 16];
      for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {
        text.append(buffer, size);
        offset_ += static_cast<long>(size);
      }
      std::fclose(file);
    }
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
      take(text.substr(begin, end - begin));
    rest_ = text.substr(begin);
  }

  bool inside() const { return inside_; }              ///< bytes of a checkpoint are written, its folder is not flushed
  std::int64_t begun() const { return begun_; }        ///< in this process
  std::int64_t complete() const { return complete_; }  ///< step of the newest that was in place; 0: none

 private:
  void take(const std::string& line) {
    if (line.find(" write ") != line.npos && line.find("/checkpoints/") != line.npos) {
      begun_ += inside_ ? 0 : 1;
      inside_ = true;
    }
    if (const auto name = line.find("/step-"); line.find(" rename ") != line.npos && name != line.npos)
      renamed_ = std::atoll(line.c_str() + name + 6);
    if (line.find(" sync ") != line.npos && line.ends_with("/checkpoints")) {
      inside_ = false;
      complete_ = renamed_;
    }
  }

  fs::path report_;
  long offset_ = 0;
  std::string rest_;
  bool inside_ = false;
  std::int64_t begun_ = 0, renamed_ = 0, complete_ = 0;
};

struct Counts {
  std::int64_t kills = 0, inside = 0, finished = 0, equal = 0, faults = 0, steps_lost = 0;

  /// Reads what `save` wrote; a missing file leaves zeros.
  static Counts load(const fs::path& state) {
    Counts counts;
    if (std::ifstream file(state); file && !(file >> counts.kills >> counts.inside >> counts.finished >> counts.equal >>
                                             counts.faults >> counts.steps_lost))
      throw std::runtime_error(state.string() + ": wanted six counts");
    return counts;
  }
  void save(const fs::path& state) const {
    const auto next = fs::path(state) += ".next";
    std::ofstream(next) << kills << ' ' << inside << ' ' << finished << ' ' << equal << ' ' << faults << ' '
                        << steps_lost << '\n';
    fs::rename(next, state);
  }
};

class KillLoop {
 public:
  KillLoop(bool big, fs::path state)
      : state_(std::move(state)), counts_(state_.empty() ? Counts{} : Counts::load(state_)) {
    random_.seed(static_cast<std::uint64_t>(counts_.kills) + 1);
    settings_ = {"training.keep_checkpoints=1", "training.average_last=2", "training.clip_norm=1",
                 "training.ema_decay=0.9",      "decoding.beam_size=1",    "decoding.max_length=2"};
    const std::vector<std::string> more =
        big ? std::vector<std::string>{"model.encoder_layers=4", "model.decoder_layers=4", "model.d_model=512",
                                       "model.d_ff=2048",        "model.heads=8",          "data.batch_tokens=64",
                                       "data.valid_source=",     "data.valid_target=",     "data.test_source=",
                                       "data.test_target=",      "training.max_steps=12",  "training.save_every=1"}
            : std::vector<std::string>{"training.max_steps=240", "training.save_every=5", "training.validate_every=60"};
    settings_.insert(settings_.end(), more.begin(), more.end());
  }

  Counts run(std::int64_t kills) {
    measure_unbroken_run();
    std::int64_t least = 0;  // step that a resumed run is to start after
    while (true) {
      const bool last = counts_.kills >= kills;
      const auto outcome = live_and_die(last, least);
      if (outcome.exit_code == -SIGKILL && counts_.kills % 10 == 0) print_counts();
      if (outcome.exit_code == -SIGKILL) continue;
      if (outcome.exit_code != 0) {
        ++counts_.faults;
        std::printf("  a resumed run ended with %d: %s\n", outcome.exit_code, outcome.err.c_str());
        if (counts_.faults > 5) break;
      } else {
        ++counts_.finished;
        counts_.equal += sha256(read_text(out() / "model.safetensors")) == sum_;
      }
      if (!state_.empty()) counts_.save(state_);  // kills count once the run that they met was compared
      fs::remove_all(out());
      least = 0;
      if (last) break;
    }
    return counts_;
  }

  void print_counts() const {
    std::printf(
        "kills: %lld, %lld of them inside a save; %lld runs to the end, %lld with the weights of the unbroken run; "
        "most steps lost behind a complete save: %lld; a model of %.1f MB\n",
        static_cast<long long>(counts_.kills), static_cast<long long>(counts_.inside),
        static_cast<long long>(counts_.finished), static_cast<long long>(counts_.equal),
        static_cast<long long>(counts_.steps_lost), megabytes_);
    std::fflush(stdout);
  }

 private:
  fs::path out() const { return run_ / "runs" / "run"; }
  fs::path report() const { return run_ / "report"; }

  Arguments training() const {
    Arguments more = {"--resume"};
    for (const std::string& setting : settings_) more.insert(more.end(), {"--set", setting});
    return run_.training("runs/run", more);
  }

  double since(Clock::time_point begin) const { return Seconds(Clock::now() - begin).count(); }

  void measure_unbroken_run() {
    const FaultEnvironment environment({}, run_ / "runs", report());
    const auto begin = Clock::now();
    Saves saves(report());
    Process process(training());
    double in_save = 0;
    for (auto before = begin; process.running(); before = Clock::now()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      saves.read_on();
      if (first_save_ == 0 && saves.begun() > 0) first_save_ = since(begin);
      if (saves.inside()) in_save += since(before);
    }
    const auto outcome = process.wait();
    if (outcome.exit_code != 0) throw std::runtime_error("the unbroken run failed: " + outcome.err);
    saves.read_on();
    a_save_ = in_save / static_cast<double>(std::max<std::int64_t>(1, saves.begun()));
    const double between = (since(begin) - first_save_) / static_cast<double>(saves.begun());
    any_moment_ = first_save_ + between;
    sum_ = sha256(read_text(out() / "model.safetensors"));
    megabytes_ = static_cast<double>(fs::file_size(out() / "model.safetensors")) / 1e6;
    std::printf("unbroken run: %.2f s, %lld saves of %.4f s, the first after %.2f s; a model of %.1f MB\n",
                since(begin), static_cast<long long>(saves.begun()), a_save_, first_save_, megabytes_);
    std::fflush(stdout);
    fs::remove_all(out());
  }

  /// One process, that is killed unless it is to end or ends before.
  Outcome live_and_die(bool to_the_end, std::int64_t& least) {
    fs::remove(report());
    const FaultEnvironment environment({}, run_ / "runs", report());
    const auto begin = Clock::now();
    Saves saves(report());
    Process process(training());
    if (!to_the_end) {
      std::uniform_real_distribution<double> share(0, 1);
      if (share(random_) < 0.5) {
        std::this_thread::sleep_for(Seconds(share(random_) * any_moment_));
      } else {
        const auto wanted = 1 + static_cast<std::int64_t>(share(random_) * 2);
        double first_save = 0;
        while (process.running() && saves.begun() < wanted && since(begin) < 240) {
          std::this_thread::sleep_for(std::chrono::microseconds(300));
          saves.read_on();
          if (first_save == 0 && saves.begun() > 0) first_save = since(begin);
        }
        if (first_save > 0) {  // the machine may have become faster or slower
          any_moment_ += first_save - first_save_;
          first_save_ = first_save;
        }
        std::this_thread::sleep_for(Seconds(share(random_) * 0.6 * a_save_));
      }
      process.signal(SIGKILL);
    }
    auto outcome = process.wait();
    saves.read_on();
    counts_.kills += outcome.exit_code == -SIGKILL;
    counts_.inside += outcome.exit_code == -SIGKILL && saves.inside();
    const std::string words = "resumed after step ";
    if (const auto place = outcome.err.find(words); place != outcome.err.npos)
      counts_.steps_lost = std::max(counts_.steps_lost, least - std::atol(outcome.err.c_str() + place + words.size()));
    else if (outcome.err.find("starting anew") != outcome.err.npos)
      counts_.steps_lost = std::max(counts_.steps_lost, least);
    least = std::max(least, saves.complete());
    return outcome;
  }

  SmallRun run_;
  std::vector<std::string> settings_;
  std::mt19937_64 random_;
  double first_save_ = 0, a_save_ = 0, any_moment_ = 0;  ///< seconds
  double megabytes_ = 0;
  std::string sum_;
  fs::path state_;
  Counts counts_;
};

}  // namespace

int kill_loop(bool big, std::int64_t kills, const std::filesystem::path& state) {
  KillLoop loop(big, state);
  const Counts counts = loop.run(kills);
  loop.print_counts();
  return counts.faults == 0 && counts.steps_lost == 0 && counts.inside >= counts.kills / 4 && counts.finished > 0 &&
                 counts.equal == counts.finished
             ? 0
             : 1;
}

}  // namespace gloss
