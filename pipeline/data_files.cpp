#include "pipeline/data_files.h"

#include <filesystem>
#include <string>

#include "common/error.h"
#include "common/log.h"
#include "common/system/stop.h"
#include "data/scan_texts.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

void expect_there(const fs::path& path) {
  if (!path.empty() && !fs::exists(path))
    throw DataError(printable(path.string()) + ": the run file names this file, but it is not there");
}

}  // namespace

void expect_data_files(const DataConfig& data) {
  require(!data.train_source.empty(), "data.train_source", "the file of source sentences to train on",
          data.train_source);
  require(!data.train_target.empty(), "data.train_target", "the file of their translations", data.train_target);
  for (const auto& path :
       {data.train_source, data.train_target, data.valid_source, data.valid_target, data.test_source, data.test_target})
    expect_there(path);
  if (fs::equivalent(data.train_source, data.train_target))
    throw UsageError("data.train_target: is the same file as data.train_source");
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
