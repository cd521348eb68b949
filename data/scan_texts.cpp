#include "data/scan_texts.h"

#include <chrono>

#include "common/error.h"
#include "common/log.h"
#include "data/aligned_reader.h"
#include "data/pair_verdict.h"

namespace gloss {
namespace {

ScannedText begin_text(const std::filesystem::path& path, std::int64_t sample_lines) {
  const auto now = std::chrono::system_clock::now();
  ScannedText text{.path = path, .invalid = {}, .sha256 = {}, .stamp = FileStamp::of(path)};
  text.settled = text.stamp.settled(now);
  if (sample_lines > 0) text.sample.emplace(sample_lines);
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

ScannedTexts scan_texts(const std::filesystem::path& source, const std::filesystem::path& target,
                        const ScanOptions& options) {
  AlignedReader::Sums sums;
  AlignedReader reader(source, target, options.before_pair, &sums);
  ScannedTexts texts{begin_text(source, options.sample_lines), begin_text(target, options.sample_lines)};
  TextSizeCounter size;
  HoldOutChoice held_out;
  for (LinePair pair; reader.next(pair);) {
    const auto judged_source = pair.has_source ? JudgedLine::of(pair.source) : JudgedLine();
    const auto judged_target = pair.has_target ? JudgedLine::of(pair.target) : JudgedLine();
    if (pair.has_source) add_line(texts.source, pair.source, judged_source);
    if (pair.has_target) add_line(texts.target, pair.target, judged_target);
    if (!pair.complete() || judge_pair(judged_source, judged_target, 0) != PairVerdict::kUsable) continue;
    if (options.size) size.add(pair.source.text, pair.target.text);
    if (options.hold_out) held_out.add(pair.source.text, pair.target.text);
  }
  texts.source.sha256 = sums.source.hex();
  texts.target.sha256 = sums.target.hex();
  if (options.size) texts.size = size.size();
  if (options.hold_out) texts.held_out = held_out.choose();
  return texts;
}

void expect_aligned(const ScannedTexts& texts) {
  expect_utf8(texts.source);
  expect_utf8(texts.target);
  expect_equal_counts(texts.source.path, texts.source.lines, texts.target.path, texts.target.lines);
  if (texts.source.lines == 0)
    throw DataError(printable(texts.source.path.string()) + " and " + printable(texts.target.path.string()) +
                    ": wanted sentence pairs, got empty files");
}

}  // namespace gloss
