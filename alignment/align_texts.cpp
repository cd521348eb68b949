#include "alignment/align_texts.h"

#include <algorithm>
#include <vector>

#include "alignment/line_ids.h"
#include "alignment/link_counts.h"
#include "common/error.h"
#include "common/files/text_pairs.h"
#include "common/log/log.h"
#include "common/log/progress_line.h"
#include "common/system/parallel_for.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::size_t kLinesOfPart = 4096;

bool is_long(const IdPair& pair) { return std::max(pair.source.size(), pair.target.size()) > TextAlignment::kMaxWords; }

/// Two texts that are read several times, part by part.
class IdTexts {
 public:
  explicit IdTexts(const TextAlignment& job)
      : job_(job), sources_(job.source_tokenizer), targets_(job.target_tokenizer) {}

  /// Reads the texts, the first time to learn their words, and calls `take(ids, lines read)`. Pairs that are too long
  /// have no ids.
  void read(const auto& take) {
    const bool first = count_ == 0;
    TextPairs texts(job_.source, job_.target, Passes::kSeveral);
    for (std::int64_t done = 0; first || done < count_;) {
      const auto lines = texts.next(kLinesOfPart);
      if (lines.sources.empty() && first) break;
      if (lines.sources.empty()) throw_changed_text();
      if (first) learn(lines);
      auto pairs = encode(lines);
      for (auto& pair : pairs) {
        ++done;
        if (first && is_long(pair)) long_.note(done);
        if (is_long(pair)) pair = {};
        if (first && !pair.source.empty() && !pair.target.empty()) ++usable_;
      }
      if (first) count_ = done;
      take(pairs, done);
      stop_where_requested();
    }
  }

  std::int64_t count() const { return count_; }    ///< lines of each text
  std::int64_t usable() const { return usable_; }  ///< pairs that the model learns from
  const NotedLines& long_pairs() const { return long_; }
  const LineIds& sources() const { return sources_; }
  const LineIds& targets() const { return targets_; }

 private:
  void learn(const LinePairs& lines) {
    for (const auto& line : lines.sources) sources_.learn(line);
    for (const auto& line : lines.references) targets_.learn(line);
  }
  std::vector<IdPair> encode(const LinePairs& lines) const {
    std::vector<IdPair> pairs(lines.sources.size());
    parallel_for(std::ssize(pairs), job_.model.threads, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        pairs[i] = {sources_.encode(lines.sources[i]), targets_.encode(lines.references[i])};
    });
    return pairs;
  }

  const TextAlignment& job_;
  LineIds sources_, targets_;
  std::int64_t count_ = 0, usable_ = 0;
  NotedLines long_;
};

void report(int iteration, const std::array<DirectionFit, 2>& fits) {
  log_info("iteration " + std::to_string(iteration) + ": perplexity " + number_text(fits[0].perplexity()) +
           ", reverse " + number_text(fits[1].perplexity()) + "; lambda " + number_text(fits[0].lambda) + ", reverse " +
           number_text(fits[1].lambda));
  log_event("align_iteration", {{"iteration", iteration},
                                {"log_likelihood", {fits[0].log_likelihood, fits[1].log_likelihood}},
                                {"perplexity", {fits[0].perplexity(), fits[1].perplexity()}},
                                {"lambda", {fits[0].lambda, fits[1].lambda}}});
}

}  // namespace

void align_texts(const TextAlignment& job, const std::function<void(const std::string& lines)>& take) {
  IdTexts texts(job);
  AlignmentModel model(job.model);
  texts.read([&](const std::vector<IdPair>& pairs, std::int64_t) { model.add(pairs); });
  if (texts.usable() == 0)
    throw DataError(printable(job.source.string()) + " and " + printable(job.target.string()) +
                    ": wanted pairs of lines with words on both sides, got none");
  if (texts.long_pairs().count > 0)
    log_warning(counted(texts.long_pairs().count, "pair") + " of more than " +
                std::to_string(TextAlignment::kMaxWords) + " words or pieces on a side: not aligned (" +
                texts.long_pairs().text() + ")");
  model.begin(texts.sources().size(), texts.targets().size());
  const WorkProgress progress(static_cast<double>(texts.count()) * job.iterations, "aligning");
  for (int pass = 1; pass < job.iterations; ++pass) {
    const auto before = (pass - 1) * texts.count();
    texts.read([&](const std::vector<IdPair>& pairs, std::int64_t done) {
      model.expect(pairs);
      progress.show(static_cast<double>(before + done));
    });
    report(pass, model.maximize());
  }
  LinkCounts table;
  texts.read([&](const std::vector<IdPair>& pairs, std::int64_t done) {
    std::string lines;
    const auto directed = model.align(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto links = symmetrized(directed[i], job.symmetrization);
      lines += to_pharaoh(links) + '\n';
      if (job.lexical_table || job.reverse_lexical_table) table.add(pairs[i], links);
    }
    take(lines);
    progress.show(static_cast<double>((job.iterations - 1) * texts.count() + done));
  });
  if (job.lexical_table)
    table.write(*job.lexical_table, texts.sources(), texts.targets(), LinkCounts::Given::kSource, job.best);
  if (job.reverse_lexical_table)
    table.write(*job.reverse_lexical_table, texts.sources(), texts.targets(), LinkCounts::Given::kTarget, job.best);
  log_info("aligned " + counted(texts.usable(), "pair") + " of " + std::to_string(texts.count()));
}

}  // namespace gloss
