#include "run/data_files.h"

#include <filesystem>
#include <string>

#include "common/config/settings.h"
#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/files/same_file.h"
#include "common/system/stop.h"
#include "data/scan_texts.h"
#include "run/config/run_files.h"

namespace gloss {

void expect_two_files(const std::filesystem::path& source, const std::filesystem::path& target,
                      const std::string& source_name, const std::string& target_name) {
  const auto from = TextPath::of(source), to = TextPath::of(target);
  if (same_file(from.file, to.file) && from.column == to.column)
    throw UsageError(target_name + ": is the same file as " + source_name);
}

void expect_data_files(const DataConfig& data) {
  if (data.stages.empty()) {
    require(!data.train_source.empty(), "data.train_source", "the file of source sentences to train on",
            data.train_source);
    require(!data.train_target.empty(), "data.train_target", "the file of their translations", data.train_target);
  }
  auto copy = data;
  for (const auto& [key, path] : data_settings().paths(copy))
    if (!path->empty()) expect_named_file(key, *path);
  if (data.stages.empty())
    expect_two_files(data.train_source, data.train_target, "data.train_source", "data.train_target");
  for (std::size_t i = 0; i < data.stages.size(); ++i)
    for (std::size_t j = 0; j < data.stages[i].sources.size(); ++j) {
      const auto& text = data.stages[i].sources[j];
      expect_two_files(text.source, text.target, key_of_text(i, j) + ".source", key_of_text(i, j) + ".target");
    }
}

void expect_aligned(const TextFiles& text) { expect_aligned(scan_texts(text, {.before_pair = stop_where_requested})); }

}  // namespace gloss
