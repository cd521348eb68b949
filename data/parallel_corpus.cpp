#include "data/parallel_corpus.h"

#include <algorithm>

#include "common/error.h"
#include "common/line_reader.h"
#include "common/log.h"
#include "common/sha256.h"
#include "common/utf8.h"

namespace gloss {
namespace {

std::int64_t count_lines(LineReader& reader) {
  for (std::string line; reader.next(line);) continue;
  return reader.line_number();
}

Ids with_eos(Ids ids) {
  ids.push_back(kEos);
  return ids;
}

}  // namespace

void expect_equal_counts(const std::filesystem::path& source, std::int64_t source_lines,
                         const std::filesystem::path& target, std::int64_t target_lines) {
  if (source_lines != target_lines)
    throw DataError(printable(source.string()) + " has " + std::to_string(source_lines) + " lines, " +
                    printable(target.string()) + " has " + std::to_string(target_lines) +
                    "; lines of equal number belong together");
}

ParallelCorpus ParallelCorpus::read(const std::filesystem::path& source, const std::filesystem::path& target,
                                    const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer,
                                    const Options& options) {
  ParallelCorpus corpus;
  auto& report = corpus.report_;
  LineReader source_lines(source), target_lines(target);
  std::string source_line, target_line;
  const auto next_pair = [&] {
    const bool has_source = source_lines.next(source_line), has_target = target_lines.next(target_line);
    return has_source && has_target;
  };
  while (next_pair()) {
    if (options.before_pair) options.before_pair();
    const auto line = ++report.lines;
    const bool overlong = source_lines.overlong() || target_lines.overlong();
    const bool invalid = !overlong && !(is_text(source_line) && is_text(target_line));
    if (invalid) report.invalid_utf8.note(line);
    if (overlong) report.too_long.note(line);
    if (invalid || overlong) continue;

    const auto source_ids = with_eos(source_tokenizer.encode(source_line));
    const auto target_ids = with_eos(target_tokenizer.encode(target_line));
    const bool empty = source_ids.size() == 1 || target_ids.size() == 1;
    const bool too_long =
        !empty && options.max_length > 0 &&
        static_cast<std::int64_t>(std::max(source_ids.size(), target_ids.size())) > options.max_length;
    if (empty) report.empty.note(line);
    if (too_long) report.too_long.note(line);
    if (empty || too_long) continue;
    corpus.sources_.add(source_ids);
    corpus.targets_.add(target_ids);
  }
  report.crlf = source_lines.saw_crlf() || target_lines.saw_crlf();

  const auto both = printable(source.string()) + " and " + printable(target.string());
  if (report.invalid_utf8.count * kLinesToOneInvalid > report.lines)
    throw DataError(both + ": wanted UTF-8, got " + std::to_string(report.invalid_utf8.count) + " of " +
                    std::to_string(report.lines) + " line pairs with other bytes (" + report.invalid_utf8.text() +
                    "); convert the text to UTF-8");
  const auto source_count = count_lines(source_lines);
  expect_equal_counts(source, source_count, target, count_lines(target_lines));
  if (report.lines == 0) throw DataError(both + ": wanted sentence pairs, got empty files");
  if (corpus.size() == 0)
    throw DataError(both + ": none of " + std::to_string(report.lines) +
                    " pairs can be used: " + std::to_string(report.empty.count) + " empty, " +
                    std::to_string(report.too_long.count) + " longer than " + std::to_string(options.max_length) +
                    " pieces, " + std::to_string(report.invalid_utf8.count) + " not UTF-8");
  corpus.finish();
  return corpus;
}

Batch ParallelCorpus::batch(std::span<const std::int64_t> indices) const {
  Batch batch;
  for (const auto index : indices) {
    const auto source_ids = source(index), target_ids = target(index);
    batch.source.emplace_back(source_ids.begin(), source_ids.end());
    batch.target.emplace_back(target_ids.begin(), target_ids.end());
  }
  return batch;
}

void ParallelCorpus::finish() {
  Sha256 sum;
  sum.update(std::to_string(size()) + '\n');
  sources_.add_to(sum);
  targets_.add_to(sum);
  hash_ = sum.hex();
}

}  // namespace gloss
