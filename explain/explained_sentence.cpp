#include "explain/explained_sentence.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <ATen/ops/log_softmax.h>

#include "common/error.h"
#include "common/text/printable.h"
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

ExplainedSource::ExplainedSource(const LineTranslator& translator, const std::string& line, const Tokenizer& tokenizer)
    : tokenizer_(tokenizer) {
  auto source = translator.encode_source(line);
  pieces_ = std::move(source.pieces);
  ids_ = std::move(source.ids);
  truncated_ = source.truncated;
  pieces_.ids.resize(source.length);
  pieces_.spans.resize(source.length);
  find_words();
}

void ExplainedSource::find_words() {
  // A piece between two words, such as a separate space, belongs to the second one.
  const auto words = words_of(pieces_);
  std::size_t word = 0;
  for (std::size_t i = 0; i < words.of_piece.size() && i < pieces_.ids.size(); ++i) {
    const auto [begin, end] = words.of_piece[i];
    for (auto w = begin; w < end; ++w) {
      if (words_.empty() || w != word)
        words_.push_back({words.words[w], words_.empty() ? pieces_.tags : words_.back().last, i + 1});
      word = w;
      words_.back().last = i + 1;
    }
  }
  if (words_.size() > 1) return;
  words_.clear();
  for (auto i = pieces_.tags; i < pieces_.ids.size(); ++i)
    words_.push_back({std::string(pieces_.text_of(i)), i, i + 1});
}

Removal ExplainedSource::removal(const std::string& name, const ModelConfig& config) const {
  if (const auto part = parse_part(name, config)) return {.part = part};
  constexpr std::string_view kWord = "source.";
  std::size_t index = 0;
  const auto* const end = name.data() + name.size();
  if (name.starts_with(kWord))
    if (const auto error = std::from_chars(name.data() + kWord.size(), end, index).ec;
        error == std::errc() && name == std::string(kWord) + std::to_string(index) && index < words_.size())
      return {.part = {},
              .first = static_cast<std::int64_t>(words_[index].first),
              .last = static_cast<std::int64_t>(words_[index].last)};
  const auto last_word = std::to_string(std::max<std::size_t>(1, words_.size()) - 1);
  throw UsageError({Key{"without"}, ": wanted a part as " + example_parts(config) +
                                        ", or a word of the source from source.0 to source." + last_word +
                                        "; encoder layers: " + std::to_string(config.encoder_layers) +
                                        ", decoder layers: " + std::to_string(config.decoder_layers) +
                                        ", heads: " + std::to_string(config.heads) + "; got " + printable(name)});
}

std::vector<Removal> ExplainedSource::word_removals() const {
  std::vector<Removal> removals;
  for (const auto& word : words_)
    removals.push_back(
        {.part = {}, .first = static_cast<std::int64_t>(word.first), .last = static_cast<std::int64_t>(word.last)});
  return removals;
}

Json ExplainedSource::to_json() const {
  Json words = Json::array();
  for (const auto& [text, first, last] : words_) words.push_back({{"text", text}, {"first", first}, {"last", last}});
  return {{"pieces", pieces_json(ids_, pieces_, tokenizer_)}, {"words", std::move(words)}, {"truncated", truncated_}};
}

}  // namespace gloss
