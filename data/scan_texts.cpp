#include "data/scan_texts.h"

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "data/aligned_reader.h"
#include "data/pair_verdict.h"

namespace gloss {
namespace {

ScannedText begin_text(const std::filesystem::path& path, std::optional<std::int64_t> sample_lines) {
  const auto now = std::chrono::system_clock::now();
  ScannedText text{.path = path, .invalid = {}, .sha256 = {}, .stamp = FileStamp::of(path)};
  text.settled = text.stamp.settled(now);
  if (sample_lines) text.sample.emplace(*sample_lines);
  return text;
}

void add_line(ScannedText& text, const TextLine& line, const JudgedLine& judged) {
  ++text.lines;
  if (!judged.is_text) text.invalid.note(text.lines);
  if (text.sample) text.sample->add(line.text, judged.is_text);
}

void expect_utf8(const ScannedText& text) {
  if (has_other_encoding(text.invalid.count, text.lines))
    throw DataError(printable(text.path.string()) + ": wanted UTF-8, got " + std::to_string(text.invalid.count) +
                    " of " + std::to_string(text.lines) + " lines with other bytes (" + text.invalid.text() +
                    "); convert the text to UTF-8");
}

}  // namespace

ScannedTexts scan_texts(std::span<const TextFiles> texts, const ScanOptions& options) {
  ScannedTexts scanned;
  TextSizeCounter size;
  HoldOutChoice held_out;
  std::optional<std::int64_t> lines_left;
  if (options.sample_lines > 0) lines_left = options.sample_lines;
  for (const auto& files : texts) {
    AlignedReader::Sums sums;
    AlignedReader reader(files, options.before_pair, &sums);
    auto& [source, target, alignment] = scanned.texts.emplace_back(
        ScannedTexts::Pair{begin_text(files.source, lines_left), begin_text(files.target, lines_left)});
    if (!files.alignment.empty()) alignment = begin_text(files.alignment, std::nullopt);
    for (LinePair pair; reader.next(pair);) {
      if (pair.has_alignment) ++alignment->lines;
      const auto judged_source = pair.has_source ? JudgedLine::of(pair.source) : JudgedLine();
      const auto judged_target = pair.has_target ? JudgedLine::of(pair.target) : JudgedLine();
      if (pair.has_source) add_line(source, pair.source, judged_source);
      if (pair.has_target) add_line(target, pair.target, judged_target);
      if (!pair.complete() || judge_pair(judged_source, judged_target, 0) != PairVerdict::kUsable) continue;
      if (options.size) size.add(pair.source.text, pair.target.text);
      if (options.hold_out) held_out.add(pair.source.text, pair.target.text);
    }
    source.sha256 = sums.source.hex();
    target.sha256 = sums.target.hex();
    if (alignment) alignment->sha256 = sums.alignment.hex();
    if (lines_left) lines_left = std::max<std::int64_t>(*lines_left - std::max(source.lines, target.lines), 0);
  }
  if (options.size) scanned.size = size.size();
  if (options.hold_out) scanned.held_out = held_out.choose();
  return scanned;
}

ScannedTexts scan_texts(const TextFiles& text, const ScanOptions& options) { return scan_texts({&text, 1}, options); }

void expect_aligned(const ScannedTexts& texts) {
  for (const auto& [source, target, alignment] : texts.texts) {
    expect_utf8(source);
    expect_utf8(target);
    expect_equal_lines(source.path.string(), source.lines, target.path.string(), target.lines);
    if (alignment) expect_equal_lines(source.path.string(), source.lines, alignment->path.string(), alignment->lines);
    if (source.lines == 0)
      throw DataError(names_of({source.path, target.path}) + ": wanted sentence pairs, got empty files");
  }
}

}  // namespace gloss
