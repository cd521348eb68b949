#include "data/parallel_corpus.h"

#include <algorithm>

#include "common/error.h"
#include "common/log.h"
#include "common/sha256.h"
#include "common/utf8.h"
#include "tokenizer/line_reader.h"

namespace gloss {
namespace {

constexpr std::int64_t kMostInvalid = 100;  // one line in so many

std::string shown(const std::filesystem::path& path) { return printable(path.string(), 1000); }

bool is_text(const std::string& line) { return is_utf8(line) && line.find('\0') == line.npos; }

std::int64_t count_lines(LineReader& reader) {
  for (std::string line; reader.next(line);) continue;
  return reader.line_number();
}

Ids with_eos(Ids ids) {
  ids.push_back(kEos);
  return ids;
}

template <typename T>
void add_to(Sha256& sum, const std::vector<T>& values) {
  sum.update(std::as_bytes(std::span(values)));
}

}  // namespace

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
    if (!empty && !too_long) corpus.add(source_ids, target_ids);
  }
  report.crlf = source_lines.saw_crlf() || target_lines.saw_crlf();

  const auto both = shown(source) + " and " + shown(target);
  if (report.invalid_utf8.count * kMostInvalid > report.lines)
    throw DataError(both + ": wanted UTF-8, got " + std::to_string(report.invalid_utf8.count) + " of " +
                    std::to_string(report.lines) + " line pairs with other bytes (" + report.invalid_utf8.text() +
                    "); convert the text to UTF-8");
  const auto source_count = count_lines(source_lines), target_count = count_lines(target_lines);
  if (source_count != target_count)
    throw DataError(shown(source) + " has " + std::to_string(source_count) + " lines, " + shown(target) + " has " +
                    std::to_string(target_count) + "; lines of equal number belong together");
  if (report.lines == 0) throw DataError(both + ": wanted sentence pairs, got empty files");
  if (corpus.size() == 0)
    throw DataError(both + ": none of " + std::to_string(report.lines) +
                    " pairs can be used: " + std::to_string(report.empty.count) + " empty, " +
                    std::to_string(report.too_long.count) + " longer than " + std::to_string(options.max_length) +
                    " pieces, " + std::to_string(report.invalid_utf8.count) + " not UTF-8");
  corpus.finish();
  return corpus;
}

std::span<const Id> ParallelCorpus::source(std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  return std::span(source_ids_).subspan(source_begin_[i], source_begin_[i + 1] - source_begin_[i]);
}

std::span<const Id> ParallelCorpus::target(std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  return std::span(target_ids_).subspan(target_begin_[i], target_begin_[i + 1] - target_begin_[i]);
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

void ParallelCorpus::add(const Ids& source, const Ids& target) {
  source_ids_.insert(source_ids_.end(), source.begin(), source.end());
  target_ids_.insert(target_ids_.end(), target.begin(), target.end());
  source_begin_.push_back(static_cast<std::int64_t>(source_ids_.size()));
  target_begin_.push_back(static_cast<std::int64_t>(target_ids_.size()));
}

void ParallelCorpus::finish() {
  source_ids_.shrink_to_fit();
  target_ids_.shrink_to_fit();
  source_begin_.shrink_to_fit();
  target_begin_.shrink_to_fit();
  Sha256 sum;
  sum.update(std::to_string(size()) + '\n');
  add_to(sum, source_begin_);
  add_to(sum, source_ids_);
  add_to(sum, target_begin_);
  add_to(sum, target_ids_);
  hash_ = sum.hex();
}

}  // namespace gloss
