#include "pipeline/data_files.h"

#include <filesystem>
#include <string>

#include "common/config/settings.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "data/scan_texts.h"
#include "pipeline/config/run_files.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

void expect_two_files(const fs::path& source, const fs::path& target, const std::string& source_key,
                      const std::string& target_key) {
  if (fs::equivalent(source, target)) throw UsageError(target_key + ": is the same file as " + source_key);
}

}  // namespace

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

void report_hold_out(const HoldOut& held_out) {
  const auto all = std::to_string(held_out.pairs_of_text());
  if (held_out.sources().empty())
    log_warning(
        "data.hold_out: none of the " + all +
        " pairs can be held out to validate on; the text is too small, or every pair shares a side with another");
  else
    log_info(std::to_string(held_out.sources().size()) + " of " + all +
             " pairs are held out of training to validate on; data.valid_source and data.valid_target name others");
}

}  // namespace gloss
