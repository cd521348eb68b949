#include "tests/run/small_job.h"

#include <fstream>
#include <iterator>

#include "data/built_in_corpus.h"
#include "explain/lens_item.h"

namespace gloss {
namespace {

constexpr auto kSmallJob = R"({
  "seed": 3,
  "tokenizer": {"vocabulary_size": 40, "type": "char"},
  "data": {"max_length": 64, "batch_tokens": 512},
  "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 8, "d_ff": 16, "heads": 2, "dropout": 0.1},
  "training": {"max_steps": 2, "schedule": "constant", "learning_rate": 0.01},
  "decoding": {"beam_size": 2, "max_length": 6}
})";

}  // namespace

SmallJob::SmallJob(at::Device device) : config(parse_run_config(parse_json(kSmallJob))), device_(device) {
  const auto corpus = folder_ / "corpus";
  make_built_in_corpus({.size = 60, .max_words = 3}, corpus);
  config.data.train_source = corpus / "train.source";
  config.data.train_target = corpus / "train.target";
  config.data.valid_source = corpus / "valid.source";
  config.data.valid_target = corpus / "valid.target";
  config.data.test_source = corpus / "test.source";
  config.data.test_target = corpus / "test.target";
}

void SmallJob::use_two_tokenizers(TieEmbeddings tie) {
  for (const auto& path : {config.data.train_target, config.data.valid_target, config.data.test_target}) {
    auto lines = lines_of_file(path);
    for (auto& line : lines)
      for (char& letter : line)
        if (letter != ' ') letter = static_cast<char>('A' + letter % 5);
    write_lines(path, lines);
  }
  config.tokenizer.joint = false;
  config.model.tie_embeddings = tie;
}

TrainTranslateResult SmallJob::run(bool resume) const {
  return train_translate({.config = config,
                          .out = folder_ / "run",
                          .resume = resume,
                          .device = device_,
                          .threads = 1,
                          .describe = lens_item});
}

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void write_lines(const std::filesystem::path& path, const std::vector<std::string>& lines) {
  std::ofstream file(path);
  for (const auto& line : lines) file << line << '\n';
}

std::map<std::string, std::string> snapshot(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    files[entry.path()] = entry.is_regular_file() ? text_of_file(entry.path()) : "";
  return files;
}

}  // namespace gloss
