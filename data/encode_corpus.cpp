#include "data/encode_corpus.h"

#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/visible_text.h"
#include "data/aligned_reader.h"
#include "data/links.h"
#include "data/pair_verdict.h"
#include "tokenizer/cached_encoder.h"

namespace gloss {
namespace {

// Limits of one task.
constexpr std::size_t kPairsPerTask = 2048;
constexpr std::size_t kBytesPerTask = 1 << 20;

using Lines = std::vector<LinePair>;

struct EncodedPair {
  PairVerdict verdict = PairVerdict::kUsable;
  Ids source = {}, target = {};  // pieces and eos, of a usable pair
  Links links = {};
  std::string fault = {};  // of the links
};

// Encodes pairs, one task at a time.
class PairEncoder {
 public:
  PairEncoder(const Tokenizer& source, const Tokenizer& target, const EncodingOptions& options)
      : source_(source),
        target_(target),
        source_tags_(source.tag() ? 1 : 0),
        target_tags_(target.tag() ? 1 : 0),
        has_source_eos_(source.has_source_eos()),
        options_(&options) {}

  std::vector<EncodedPair> encode(const Lines& lines) {
    std::vector<EncodedPair> pairs;
    pairs.reserve(lines.size());
    for (const auto& line : lines) pairs.push_back(encode(line));
    return pairs;
  }

 private:
  EncodedPair encode(const LinePair& lines) {
    auto source = JudgedLine::of(lines.source), target = JudgedLine::of(lines.target);
    if (const auto verdict = judge_bytes(source, target); verdict != PairVerdict::kUsable) return {verdict};
    if (options_->holds_out && options_->holds_out(lines.source.text, lines.target.text))
      return {PairVerdict::kHeldOut};
    EncodedPair pair{.source = source_.encode(visible_text(lines.source.text)),
                     .target = target_.encode(visible_text(lines.target.text))};
    if (source.pieces > 0) source.pieces = std::ssize(pair.source);  // a tokenizer may have pieces for a blank line
    if (target.pieces > 0) target.pieces = std::ssize(pair.target);
    if (const auto verdict = judge_pair(source, target, options_->max_length, options_->filters);
        verdict != PairVerdict::kUsable)
      return {verdict};
    if (options_->links != nullptr && lines.has_alignment) read(lines.alignment, pair);
    if (has_source_eos_) pair.source.push_back(kEos);
    pair.target.push_back(kEos);
    return pair;
  }

  // Reads the links of a pair without eos. Tags shift the pieces that they count.
  void read(const TextLine& line, EncodedPair& pair) const {
    pair.fault =
        read_links(line, std::ssize(pair.source) - source_tags_, std::ssize(pair.target) - target_tags_, pair.links);
    for (auto& id : pair.links.source) id += source_tags_;
    for (auto& id : pair.links.target) id += target_tags_;
  }

  CachedEncoder source_, target_;
  Id source_tags_, target_tags_;
  bool has_source_eos_;
  const EncodingOptions* options_;
};

// Reads the complete pairs of the next task. Returns no pairs after the end of a text.
Lines next_lines(AlignedReader& reader) {
  Lines lines;
  LinePair pair;
  for (std::size_t bytes = 0;
       lines.size() < kPairsPerTask && bytes < kBytesPerTask && reader.next(pair) && pair.complete();) {
    bytes += pair.source.text.size() + pair.target.text.size();
    lines.push_back(std::move(pair));
  }
  return lines;
}

// Adds the pairs of `lines`, which belong to the text `text`, in their order. `alignment` is the file of their links.
void add(const Lines& lines, const std::vector<EncodedPair>& pairs, std::size_t text, const EncodingOptions& options,
         const std::filesystem::path& alignment, CorpusReport& report, CorpusWriter& writer) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto verdict = pairs[i].verdict;
    if (verdict == PairVerdict::kUsable && options.repeated != nullptr)
      verdict = options.repeated->judge(text, lines[i].source.text, lines[i].target.text);
    report.add(verdict);
    if (verdict != PairVerdict::kUsable) continue;
    if (!pairs[i].fault.empty())
      throw DataError(printable(alignment.string()) + ": line " + std::to_string(report.lines) + ": " + pairs[i].fault);
    writer.add(pairs[i].source, pairs[i].target);
    if (options.links != nullptr) options.links->add(pairs[i].links.source, pairs[i].links.target);
  }
}

using Encoders = std::vector<std::unique_ptr<PairEncoder>>;

// Encodes the text of number `text` with all `encoders` at once.
CorpusReport encode_text(const TextFiles& files, std::size_t text, Encoders& encoders, const EncodingOptions& options,
                         CorpusWriter& writer) {
  using Encoded = std::vector<EncodedPair>;
  struct Task {
    Lines lines;
    PairEncoder* encoder;
    std::future<Encoded> encoded;  // destroyed first, because its thread uses the others
  };
  CorpusReport report;
  AlignedReader reader(
      {files.source, files.target, options.links != nullptr ? files.alignment : std::filesystem::path()},
      options.before_pair);
  std::deque<Task> tasks;  // a deque does not move its elements
  const auto begin_task = [&](PairEncoder* encoder) {
    auto lines = next_lines(reader);
    if (lines.empty()) return;
    auto& task = tasks.emplace_back(Task{std::move(lines), encoder, {}});
    const auto encode = [&task] { return task.encoder->encode(task.lines); };
    try {
      task.encoded = std::async(std::launch::async, encode);
    } catch (const std::system_error&) {  // no thread could start: get() does the work
      task.encoded = std::async(std::launch::deferred, encode);
    }
  };
  for (const auto& encoder : encoders) begin_task(encoder.get());
  while (!tasks.empty()) {
    const auto encoded = tasks.front().encoded.get();
    const auto lines = std::move(tasks.front().lines);
    auto* const encoder = tasks.front().encoder;
    tasks.pop_front();
    begin_task(encoder);
    add(lines, encoded, text, options, files.alignment, report, writer);
  }
  report.crlf = reader.saw_crlf();
  expect_utf8(files, report);
  for (LinePair rest; reader.next(rest);) continue;
  reader.expect_equal_lines();
  expect_usable(files, report, options.max_length);
  return report;
}

}  // namespace

std::vector<CorpusReport> encode_corpus(std::span<const TextFiles> texts, const Tokenizer& source_tokenizer,
                                        const Tokenizer& target_tokenizer, const EncodingOptions& options,
                                        CorpusWriter& writer) {
  Encoders encoders;
  for (int i = 0; i < options.threads; ++i)
    encoders.push_back(std::make_unique<PairEncoder>(source_tokenizer, target_tokenizer, options));
  std::vector<CorpusReport> reports;
  for (std::size_t i = 0; i < texts.size(); ++i) reports.push_back(encode_text(texts[i], i, encoders, options, writer));
  return reports;
}

CorpusReport encode_lines(std::span<const std::string> sources, std::span<const std::string> targets,
                          const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer, std::int64_t max_length,
                          CorpusWriter& writer) {
  CorpusReport report;
  Lines lines;
  for (std::size_t i = 0; i < sources.size(); ++i)
    lines.push_back({.source = {.text = sources[i]}, .target = {.text = targets[i]}});
  const EncodingOptions options{.max_length = max_length};
  add(lines, PairEncoder(source_tokenizer, target_tokenizer, options).encode(lines), 0, options, {}, report, writer);
  return report;
}

}  // namespace gloss
