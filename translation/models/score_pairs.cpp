#include "translation/models/score_pairs.h"

#include <utility>

#include <ATen/Parallel.h>

#include "common/error.h"
#include "common/system/stop.h"
#include "decoding/hypothesis.h"

namespace gloss {

PairScorer::PairScorer(const TranslationEnsemble& models, const DecodingConfig& decoding,
                       std::optional<WeightPrecision> precision, bool plain)
    : translator_(models.translator(precision, /*aligns=*/false, plain)), decoding_(decoding) {}

std::vector<ScoredPair> PairScorer::score(const LinePairs& pairs, std::int64_t first) const {
  const auto tags = translator_.target_tags();
  std::vector<ScoredPair> result(pairs.sources.size());
  std::vector<Ids> sources, targets;
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto source = translator_.encode_source(pairs.sources[i]);
    result[i].truncated = source.truncated;
    auto& target = targets.emplace_back(target_ids(pairs.references[i], first + static_cast<std::int64_t>(i)));
    const bool both_empty = source.ids.empty() && target.size() == tags + 1;  // a search skips such a line, too
    if (both_empty) target.clear();
    if (source.ids.empty()) source.ids.push_back(kEos);
    sources.push_back(std::move(source.ids));
  }
  auto scores = forced_token_scores(translator_.scorer(), sources, targets, decoding_.batch_size, stop_where_requested,
                                    at::get_num_threads(), static_cast<std::int64_t>(tags));
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto& pair = result[i];
    for (auto t = tags; t < targets[i].size(); ++t)
      pair.pieces.push_back(translator_.target_tokenizer().piece(targets[i][t]));
    pair.score = length_normalized(scores[i].log_probability, std::ssize(targets[i]), decoding_);
    pair.forced = std::move(scores[i]);
    auto& tokens = pair.forced.tokens;
    tokens.erase(tokens.begin(), tokens.begin() + std::ssize(tokens) - std::ssize(pair.pieces));
  }
  return result;
}

/// Returns pieces and eos of a reference.
Ids PairScorer::target_ids(const std::string& reference, std::int64_t line) const {
  auto ids = translator_.encode_target(reference);
  ids.push_back(kEos);
  const auto max_length = translator_.scorer().max_target_length();
  if (std::ssize(ids) > max_length)
    throw DataError("line " + std::to_string(line) + " of the target: wanted at most " + std::to_string(max_length) +
                    " tokens, its end counted, the maximum of the model, got " + std::to_string(std::ssize(ids)));
  return ids;
}

}  // namespace gloss
