#include "explain/lens_item.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include <c10/core/InferenceMode.h>

#include "decoding/search.h"
#include "explain/attention_maps.h"
#include "explain/explained_sentence.h"
#include "explain/next_tokens.h"
#include "explain/recorded_pass.h"

namespace gloss {
namespace {

/// Returns the maximum number of tokens of a translation, for a source of S tokens. A model that has learned little
/// repeats itself up to any limit, and maps grow with the square of the length.
std::int64_t longest_translation(std::int64_t S) { return 2 * S + 50; }

}  // namespace

Json lens_item(EncoderDecoder network, const ModelConfig& config, const LineTranslator& translator,
               const Tokenizer& source_tokenizer, const Tokenizer& target_tokenizer, const std::string& text,
               const DecodingConfig& decoding) {
  const ExplainedSource source(translator, text, source_tokenizer);
  const auto& scorer = translator.scorer();
  auto search = greedy_decoding(decoding);
  search.max_length = std::min(search.max_length, longest_translation(std::ssize(source.ids())));
  search.min_length = std::min(search.min_length, search.max_length);
  const auto hypothesis =
      greedy_search(scorer, pad(std::array{source.ids()}, scorer.device()), search, translator.search_inputs()).front();
  Json item{{"text", source.pieces().text}, {"source", source.to_json()}};
  auto& target = item["target"] = target_json(hypothesis, target_tokenizer);

  const c10::InferenceMode inference;
  const auto pass = record_pass(std::move(network), {source.ids(), target_ids(hypothesis)});
  add_log_probabilities(pass.logits, translator.target_tags(), target);
  item["maps"] = rounded_attention_maps(pass, config);
  item["steps"] = likeliest_tokens(pass.logits);
  std::set<Id> named;
  for (const auto& step : item["steps"])
    for (const auto& token : step["top"]) named.insert(token[0].get<Id>());
  item["names"] = piece_names(named, target_tokenizer);
  return item;
}

}  // namespace gloss
