#include "tests/app/support/small_run.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace gloss {
namespace {

constexpr auto kSmallRun = R"({
  "seed": 7,
  "defaults": "fixed",
  "tokenizer": {"vocabulary_size": 40, "type": "char"},
  "data": {"train_source": "corpus/train.source", "train_target": "corpus/train.target",
           "valid_source": "corpus/valid.source", "valid_target": "corpus/valid.target",
           "test_source": "corpus/test.source", "test_target": "corpus/test.target",
           "max_length": 64, "batch_tokens": 512},
  "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "d_ff": 32, "heads": 2, "dropout": 0.1},
  "training": {"max_steps": 40, "save_every": 5, "validate_every": 20, "accumulate": 2},
  "decoding": {"beam_size": 3, "max_length": 6}
})";

}  // namespace

void write_text(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string without_cut_warning(const std::string& messages) {
  static const std::regex warning(
      "(^|\n)warning: the length limit cuts translations in [0-9]+ lines? \\(first lines: [0-9, ]+\\): raise "
      "--max-length or --max-length-factor, unless they repeat themselves\n");
  return std::regex_replace(messages, warning, "$1", std::regex_constants::format_first_only);
}

SmallRun::SmallRun() {
  const auto made = run_gloss({"make-corpus", "copy", "--out", folder_ / "corpus", "--size", "200", "--quiet"});
  if (made.exit_code != 0) throw std::runtime_error(made.err);
  write_text(config(), kSmallRun);
}

Arguments SmallRun::training(const std::string& out, const Arguments& more) const {
  Arguments arguments = {"train-translate", "--config", config(), "--out", folder_ / out, "--device", "cpu"};
  if (std::ranges::find(more, "--threads") == more.end()) arguments.insert(arguments.end(), {"--threads", "1"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string SmallRun::untrained_model(int seed) const {
  const auto name = "untrained" + (seed == 7 ? "" : std::to_string(seed));
  const auto done =
      run_gloss(training(name, {"--set", "training.max_steps=0", "--set", "seed=" + std::to_string(seed)}));
  if (done.exit_code != 0) throw std::runtime_error(done.err);
  return folder_ / name;
}

}  // namespace gloss
