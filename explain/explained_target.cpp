#include "explain/explained_target.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <ATen/ops/log_softmax.h>

#include "explain/number_array.h"

namespace gloss {

Ids target_ids(const Hypothesis& hypothesis) {
  auto ids = hypothesis.ids;
  if (hypothesis.ended) ids.push_back(kEos);
  return ids;
}

Json pieces_json(const Ids& ids, const PieceSpans& text, const Tokenizer& tokenizer) {
  Json pieces = Json::array();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool known = i < text.spans.size() && text.spans_known;
    pieces.push_back({{"piece", tokenizer.piece(ids[i])},
                      {"id", ids[i]},
                      {"begin", known ? text.spans[i].begin : text.text.size()},
                      {"end", known ? text.spans[i].end : text.text.size()}});
  }
  return pieces;
}

Json target_json(const Hypothesis& hypothesis, const Tokenizer& tokenizer) {
  const auto text = tokenizer.decode_with_spans(hypothesis.ids);
  return {{"text", text.text},
          {"pieces", pieces_json(target_ids(hypothesis), text, tokenizer)},
          {"log_probability", hypothesis.log_probability},
          {"score", hypothesis.score},
          {"ended", hypothesis.ended}};
}

double add_log_probabilities(const at::Tensor& logits, std::size_t tags, Json& target) {
  const auto log_p = logits.log_softmax(-1);
  double sum = 0;
  std::int64_t t = 0;
  for (auto& piece : target["pieces"]) {
    const bool is_given = std::cmp_less(t, tags);
    const auto value = is_given ? 0 : log_p[t][piece["id"].get<Id>()].item<float>();
    ++t;
    piece["log_probability"] = shortest(value);
    sum += value;
  }
  return sum;
}

Json piece_names(const std::set<Id>& ids, const Tokenizer& tokenizer) {
  Json names = Json::object();
  for (const auto id : ids) names[std::to_string(id)] = tokenizer.piece(id);
  return names;
}

}  // namespace gloss
