#include "data/encode_corpus.h"

#include <algorithm>
#include <deque>
#include <future>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/log.h"
#include "common/text/utf8.h"
#include "data/pair_verdict.h"

namespace gloss {
namespace {

// What one task encodes.
constexpr std::size_t kPairsATask = 2048;
constexpr std::size_t kBytesATask = 1 << 20;

struct LinePair {
  std::string source, target;
  bool source_overlong = false, target_overlong = false;
};
using Lines = std::vector<LinePair>;

struct EncodedPair {
  PairVerdict verdict = PairVerdict::kUsed;
  bool held_out = false;         // for validation, whatever the verdict
  Ids source = {}, target = {};  // pieces and eos, of one that is used
};

// Encodes a line that can be encoded into `ids`, and returns what decides on its pair.
JudgedLine encode_line(const Tokenizer& tokenizer, const std::string& line, bool overlong, Ids& ids) {
  JudgedLine judged{.cut = overlong, .is_text = !overlong && is_text(line)};
  if (!judged.is_text) return judged;
  ids = tokenizer.encode(line);
  judged.pieces = std::ssize(ids);
  return judged;
}

EncodedPair encode_pair(const AlignedTexts& texts, const EncodingOptions& options, const LinePair& lines) {
  EncodedPair pair;
  const auto source = encode_line(*texts.source_tokenizer, lines.source, lines.source_overlong, pair.source);
  const auto target = encode_line(*texts.target_tokenizer, lines.target, lines.target_overlong, pair.target);
  if (source.is_text && target.is_text && options.holds_out && options.holds_out(lines.source, lines.target))
    return {.held_out = true};
  pair.verdict = judge_pair(source, target, options.max_length);
  if (pair.verdict != PairVerdict::kUsed) return {pair.verdict};
  pair.source.push_back(kEos);
  pair.target.push_back(kEos);
  return pair;
}

std::vector<EncodedPair> encode_pairs(const AlignedTexts& texts, const EncodingOptions& options, const Lines& lines) {
  std::vector<EncodedPair> pairs;
  pairs.reserve(lines.size());
  for (const auto& line : lines) pairs.push_back(encode_pair(texts, options, line));
  return pairs;
}

// Both texts, line by line.
class PairReader {
 public:
  PairReader(const AlignedTexts& texts, const std::function<void()>& before_pair)
      : source_(texts.source), target_(texts.target), before_pair_(before_pair) {}

  // As many as a task takes; none where one of the texts has ended.
  Lines next() {
    Lines lines;
    LinePair pair;
    for (std::size_t bytes = 0; lines.size() < kPairsATask && bytes < kBytesATask && next(pair);) {
      bytes += pair.source.size() + pair.target.size();
      lines.push_back(std::move(pair));
    }
    return lines;
  }

  // Reads on to the ends.
  void expect_equal_counts(const AlignedTexts& texts) {
    gloss::expect_equal_counts(texts.source, count_all(source_), texts.target, count_all(target_));
  }

  bool saw_crlf() const { return source_.saw_crlf() || target_.saw_crlf(); }

 private:
  static std::int64_t count_all(LineReader& reader) {
    for (std::string line; reader.next(line);) continue;
    return reader.line_number();
  }

  bool next(LinePair& pair) {
    if (ended_) return false;
    const bool has_source = source_.next(pair.source), has_target = target_.next(pair.target);
    ended_ = !has_source || !has_target;
    if (ended_) return false;
    if (before_pair_) before_pair_();
    pair.source_overlong = source_.overlong();
    pair.target_overlong = target_.overlong();
    return true;
  }

  LineReader source_, target_;
  const std::function<void()>& before_pair_;
  bool ended_ = false;
};

void add(const std::vector<EncodedPair>& pairs, CorpusReport& report, CorpusWriter& writer) {
  for (const auto& [verdict, held_out, source, target] : pairs) {
    ++report.lines;
    if (held_out) continue;
    switch (verdict) {
      case PairVerdict::kUsed:
        writer.add(source, target);
        break;
      case PairVerdict::kInvalid:
        report.invalid_utf8.note(report.lines);
        break;
      case PairVerdict::kEmpty:
        report.empty.note(report.lines);
        break;
      case PairVerdict::kTooLong:
        report.too_long.note(report.lines);
        break;
    }
  }
}

}  // namespace

void expect_equal_counts(const std::filesystem::path& source, std::int64_t source_lines,
                         const std::filesystem::path& target, std::int64_t target_lines) {
  if (source_lines != target_lines)
    throw DataError(printable(source.string()) + " has " + std::to_string(source_lines) + " lines, " +
                    printable(target.string()) + " has " + std::to_string(target_lines) +
                    "; lines of equal number belong together");
}

CorpusReport encode_corpus(const AlignedTexts& texts, const EncodingOptions& options, CorpusWriter& writer) {
  CorpusReport report;
  PairReader reader(texts, options.before_pair);
  std::deque<std::pair<Lines, std::future<std::vector<EncodedPair>>>> tasks;  // their lines stay where they are
  const auto begin_task = [&] {
    auto lines = reader.next();
    if (lines.empty()) return false;
    auto& task = tasks.emplace_back(std::move(lines), std::future<std::vector<EncodedPair>>());
    const auto encode = [&texts, &options, &lines_of_task = task.first] {
      return encode_pairs(texts, options, lines_of_task);
    };
    try {
      task.second = std::async(std::launch::async, encode);
    } catch (const std::system_error&) {  // no thread could start: the work is done at get()
      task.second = std::async(std::launch::deferred, encode);
    }
    return true;
  };
  for (int i = 0; i < options.threads; ++i) begin_task();
  while (!tasks.empty()) {
    const auto encoded = tasks.front().second.get();
    tasks.pop_front();
    begin_task();
    add(encoded, report, writer);
  }
  report.crlf = reader.saw_crlf();

  const auto both = printable(texts.source.string()) + " and " + printable(texts.target.string());
  if (report.invalid_utf8.count * kLinesToOneInvalid > report.lines)
    throw DataError(both + ": wanted UTF-8, got " + std::to_string(report.invalid_utf8.count) + " of " +
                    std::to_string(report.lines) + " line pairs with other bytes (" + report.invalid_utf8.text() +
                    "); convert the text to UTF-8");
  reader.expect_equal_counts(texts);
  if (report.lines == 0) throw DataError(both + ": wanted sentence pairs, got empty files");
  if (writer.pairs() == 0)
    throw DataError(both + ": none of " + std::to_string(report.lines) +
                    " pairs can be used: " + std::to_string(report.empty.count) + " empty, " +
                    std::to_string(report.too_long.count) + " longer than " + std::to_string(options.max_length) +
                    " pieces, " + std::to_string(report.invalid_utf8.count) + " not UTF-8");
  return report;
}

CorpusReport encode_lines(std::span<const std::string> sources, std::span<const std::string> targets,
                          const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer, std::int64_t max_length,
                          CorpusWriter& writer) {
  CorpusReport report;
  const AlignedTexts tokenizers{{}, {}, &source_tokenizer, &target_tokenizer};
  Lines lines;
  for (std::size_t i = 0; i < sources.size(); ++i) lines.push_back({sources[i], targets[i]});
  add(encode_pairs(tokenizers, {.max_length = max_length}, lines), report, writer);
  return report;
}

}  // namespace gloss
