#include "pipeline/score_pairs.h"

#include <utility>

#include "common/utf8.h"
#include "training/stop.h"

namespace gloss {

std::vector<ScoredPair> score_pairs(const TranslationEnsemble& models, const TestSet& test,
                                    const DecodingConfig& decoding, std::optional<WeightPrecision> precision) {
  const auto translator = models.translator(precision);
  const auto& tokenizer = *models.first().target_tokenizer;
  std::vector<ScoredPair> result(test.sources.size());
  std::vector<Ids> sources, targets;
  for (std::size_t i = 0; i < test.sources.size(); ++i) {
    auto source = translator.encode_source(test.sources[i]);
    result[i].truncated = source.truncated;
    sources.push_back(std::move(source.ids));
    if (sources.back().empty()) sources.back().push_back(kEos);
    targets.push_back(tokenizer.encode(repair_utf8(test.references[i])));
  }
  auto scores = forced_scores(translator.scorer(), sources, targets, decoding.batch_size, stop_where_requested);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    auto& pair = result[i];
    for (const auto id : targets[i]) pair.pieces.push_back(tokenizer.piece(id));
    pair.pieces.emplace_back("</s>");
    pair.score = length_normalised(scores[i].log_probability, std::ssize(targets[i]) + 1, decoding);
    pair.forced = std::move(scores[i]);
  }
  return result;
}

}  // namespace gloss
