#include "explain/heads_report.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <ATen/Parallel.h>

#include "common/error.h"
#include "common/log/log.h"
#include "common/log/progress_line.h"
#include "common/system/stop.h"
#include "common/text/utf8.h"
#include "decoding/forced_scores.h"
#include "decoding/scorers/transformer_scorer.h"
#include "explain/recorded_pass.h"
#include "tensor/thread_count.h"

namespace gloss {
namespace {

struct Pairs {
  std::vector<Ids> sources, targets;
  std::int64_t tags = 0;    ///< number of language tags in front of each target
  std::int64_t tokens = 0;  ///< of the targets, without the tags
};

Pairs read_pairs(const LineTranslator& translator, std::span<const std::string> sources,
                 std::span<const std::string> references) {
  Pairs pairs{.sources = {}, .targets = {}, .tags = static_cast<std::int64_t>(translator.target_tags())};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto source = translator.encode_source(sources[i]).ids;
    auto target = translator.target_tokenizer().encode(repair_utf8(references[i]));
    if (source.empty() || target.empty()) continue;
    target.push_back(kEos);
    pairs.tokens += std::ssize(target) - pairs.tags;
    pairs.sources.push_back(std::move(source));
    pairs.targets.push_back(std::move(target));
  }
  if (pairs.sources.empty()) throw DataError("explain: wanted at least one pair of lines with text on both sides");
  return pairs;
}

double loss_without(const TranslationModel& model, const Pairs& pairs, std::vector<Removal> removed,
                    std::int64_t max_target_length) {
  const TransformerScorer scorer(model.file.model.network(), max_target_length, /*plain=*/false,
                                 std::make_shared<RemovalProbe>(std::move(removed)));
  const auto workers = at::get_num_threads();
  const ThreadCount one(1);  // outside workers, too, so that the bits do not depend on their number
  double sum = 0;
  for (const auto& score : forced_token_scores(scorer, pairs.sources, pairs.targets, model.config.decoding.batch_size,
                                               stop_where_requested, workers, pairs.tags))
    sum -= score.log_probability;
  return sum / static_cast<double>(pairs.tokens);
}

}  // namespace

HeadsReport heads_report(const TranslationModel& model, std::span<const std::string> sources,
                         std::span<const std::string> references) {
  const auto parts = layers_and_heads(model.file.config);
  if (parts.empty())
    throw UsageError(
        "explain: wanted a model with layers or heads that can be removed, got a recurrent network without attention "
        "(model.recurrent_attention is none)");
  const auto translator = model.translator();
  const auto pairs = read_pairs(translator, sources, references);
  const auto max_length = translator.scorer().max_target_length();
  const WorkProgress progress(static_cast<double>(parts.size() + 1), "scoring without each part");
  HeadsReport report{loss_without(model, pairs, {}, max_length), {}};
  for (const auto& part : parts) {
    progress.show(static_cast<double>(report.parts.size() + 1));
    report.parts.push_back({part.name(), loss_without(model, pairs, {{.part = part}}, max_length)});
  }
  log_progress("");
  std::ranges::stable_sort(report.parts, [](const auto& a, const auto& b) { return a.loss > b.loss; });
  return report;
}

}  // namespace gloss
