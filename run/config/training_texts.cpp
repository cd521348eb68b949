#include "run/config/training_texts.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/error.h"
#include "common/system/stop.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

bool is_unchanged(const ScannedText& text) {
  try {
    return FileStamp::of(text.path) == text.stamp;
  } catch (const IoError&) {
    return false;
  }
}

}  // namespace

ScanOptions scan_options(const RunConfig& config) {
  const auto max_lines = config.tokenizer.joint ? kMaxTrainingLines / 2 : kMaxTrainingLines;
  return {.hold_out = config.data.hold_out, .sample_lines = config.trains_tokenizer() ? max_lines : 0};
}

TrainingTexts::TrainingTexts(std::vector<TextFiles> files, const ScanOptions& options)
    : files_(std::move(files)), options_(options) {
  options_.before_pair = stop_where_requested;
}

const ScannedTexts& TrainingTexts::scan() {
  if (!scanned_) scanned_ = scan_texts(files_, options_);
  return *scanned_;
}

bool TrainingTexts::serves(std::span<const TextFiles> files, const ScanOptions& needed) const {
  const bool has_results = options_.size >= needed.size && options_.hold_out >= needed.hold_out &&
                           (needed.sample_lines == 0 || options_.sample_lines == needed.sample_lines);
  const auto has_changed = [](const ScannedTexts::Pair& text) {
    return !is_unchanged(text.source) || !is_unchanged(text.target) ||
           (text.alignment && !is_unchanged(*text.alignment));
  };
  return std::ranges::equal(files, files_) && has_results &&
         !(scanned_ && std::ranges::any_of(scanned_->texts, has_changed));
}

std::string TrainingTexts::train_tokenizer(Sides sides, const TokenizerConfig& config) {
  scan();
  std::vector<TrainingText> texts;
  std::vector<fs::path> files;
  const auto add = [&](ScannedText& text) {
    files.push_back(text.path);
    if (text.sample) texts.push_back({text.path, std::move(*std::exchange(text.sample, std::nullopt))});
  };
  for (auto& [source, target, alignment] : scanned_->texts) {
    if (sides != Sides::kTarget) add(source);
    if (sides != Sides::kSource) add(target);
  }
  return texts.size() == files.size() ? gloss::train_tokenizer(texts, config) : gloss::train_tokenizer(files, config);
}

void TrainingTexts::drop_samples() {
  if (!scanned_) return;
  for (auto& [source, target, alignment] : scanned_->texts) {
    source.sample.reset();
    target.sample.reset();
  }
}

}  // namespace gloss
