#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "run/train_translate.h"
#include "tests/support/temporary_folder.h"

namespace gloss {

/// A folder with 60 sentence pairs of the copy task, 20 for validation and 20 for the test, and a run of two steps of a
/// model of a few thousand weights. The tokenizers spell characters.
class SmallJob {
 public:
  explicit SmallJob(at::Device device = at::kCPU);

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  /// Writes the target files with other and fewer letters, and trains a tokenizer for each side.
  void use_two_tokenizers(TieEmbeddings tie);
  /// Trains into the run folder "run".
  TrainTranslateResult run(bool resume = false) const;

  RunConfig config;

 private:
  TemporaryFolder folder_;
  at::Device device_;
};

std::string text_of_file(const std::filesystem::path& path);
std::vector<std::string> lines_of_file(const std::filesystem::path& path);
void write_lines(const std::filesystem::path& path, const std::vector<std::string>& lines);

/// Returns the bytes of each file below a folder, by path; folders count as empty files.
std::map<std::string, std::string> snapshot(const std::filesystem::path& folder);

}  // namespace gloss
