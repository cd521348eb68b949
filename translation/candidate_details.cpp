#include "translation/candidate_details.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>

#include "common/error.h"
#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "decoding/forced_scores.h"

namespace gloss {
namespace {

/// A candidate that is being filled.
struct Item {
  const SearchedLine* line = nullptr;
  const Hypothesis* hypothesis = nullptr;
  LineTranslation::Candidate* candidate = nullptr;
  PieceSpans pieces;             ///< of the candidate's text, without the tags
  std::vector<PieceLink> links;  ///< of each of these pieces, if attention is needed
  std::size_t tags = 0;          ///< number of tags, the first ids of the hypothesis
  std::size_t given = 0;         ///< number of the first pieces whose unknown ones have the text of the prefix
};

/// Removes the tags from the pieces of a translation, where they have no text. Returns their number.
std::size_t remove_tags(PieceSpans& pieces) {
  const auto tags = static_cast<std::ptrdiff_t>(pieces.tags);
  pieces.ids.erase(pieces.ids.begin(), pieces.ids.begin() + tags);
  pieces.spans.erase(pieces.spans.begin(), pieces.spans.begin() + tags);
  return std::exchange(pieces.tags, 0);
}

std::vector<Item> make_items(std::span<const SearchedLine> lines) {
  std::vector<Item> items;
  for (const auto& line : lines) {
    auto& candidates = line.translation->candidates;
    candidates.assign(line.hypotheses.size(), {});
    for (std::size_t i = 0; i < candidates.size(); ++i)
      items.push_back({&line, &line.hypotheses[i], &candidates[i], {}, {}, 0, 0});
  }
  return items;
}

/// Gives the unknown pieces of the prefix its own text.
void restore_prefix(const Tokenizer& tokenizer, std::string_view prefix, Item& item) {
  if (!item.pieces.spans_known || !has_unknown(item.pieces.ids)) return;
  const auto given = tokenizer.encode_with_spans(visible_text(repair_utf8(prefix)));
  item.given = std::min(given.ids.size() - given.tags, item.pieces.ids.size());
  item.pieces = replace_unknown(item.pieces, [&](std::size_t piece) {
    return piece < item.given ? given.text_of(given.tags + piece) : std::string_view();
  });
}

/// Returns the pieces of a text without line ends (on_one_line).
PieceSpans on_one_line(PieceSpans pieces) {
  auto text = gloss::on_one_line(pieces.text);
  if (text == pieces.text) return pieces;
  const auto moved = [&](std::size_t offset) {
    return gloss::on_one_line(std::string_view(pieces.text).substr(0, offset)).size();
  };
  for (auto& [begin, end, of_next] : pieces.spans) begin = moved(begin), end = moved(end);
  pieces.text = std::move(text);
  return pieces;
}

/// Fills everything that the hypothesis and the tokenizer provide.
void decode(const Tokenizer& tokenizer, Item& item) {
  const auto& hypothesis = *item.hypothesis;
  auto& candidate = *item.candidate;
  item.pieces = tokenizer.decode_with_spans(hypothesis.ids);
  item.tags = remove_tags(item.pieces);
  if (!item.line->prefix.empty()) restore_prefix(tokenizer, item.line->prefix, item);
  candidate.lacks_phrase = !has_all(item.pieces.text, item.line->phrases);
  item.pieces = on_one_line(std::move(item.pieces));
  candidate.text = item.pieces.text;
  candidate.score = hypothesis.score;
  candidate.log_probability = hypothesis.log_probability;
  candidate.ended = hypothesis.ended;
  candidate.spans_known = item.pieces.spans_known;
  const auto& log_probabilities = hypothesis.token_log_probabilities;
  for (auto t = item.tags; t < log_probabilities.size(); ++t) {
    const auto id = t < hypothesis.ids.size() ? hypothesis.ids[t] : kEos;
    candidate.tokens.push_back({tokenizer.piece(id), log_probabilities[t], {}});
  }
}

/// Fills the model's own log-probabilities of tokens. A search with a repetition penalty has others: then the
/// candidates go through the model again.
void score_tokens(const Scorer& scorer, const DecodingConfig& config, const std::function<void()>& before_step,
                  std::span<Item> items) {
  if (config.repetition_penalty == 1) return;
  std::vector<Ids> sources, targets;
  for (const auto& item : items) {
    sources.push_back(*item.line->source);
    targets.push_back(item.hypothesis->ids);
    if (item.hypothesis->ended) targets.back().push_back(kEos);
  }
  const auto scores = forced_token_scores(scorer, sources, targets, config.batch_size, before_step);
  for (std::size_t i = 0; i < items.size(); ++i)
    for (auto t = items[i].tags; t < targets[i].size(); ++t)
      items[i].candidate->tokens[t - items[i].tags].log_probability = scores[i].tokens[t];
}

/// Fills the links of candidates that need attention, by forcing them through the aligner's scorer.
void find_links(const LineTranslator& translator, const DetailOptions& options, const DecodingConfig& config,
                const std::function<void()>& before_step, std::span<Item> items) {
  std::vector<Ids> sources, targets;
  std::vector<Item*> aligned;
  const auto take = [](Item& item, const at::Tensor& weights) {  // [T, S]
    const auto tags = static_cast<std::int64_t>(item.tags);
    item.links = strongest_links(weights.narrow(0, tags, weights.size(0) - tags), item.line->translation->source.tags,
                                 item.line->source->back() == kEos);
  };
  for (auto& item : items) {
    const auto& ids = item.hypothesis->ids;
    if (!options.alignment && !has_unknown(ids)) continue;
    if (const auto& attention = item.hypothesis->attention; !attention.empty()) {  // of the search
      take(item,
           at::from_blob(const_cast<float*>(attention.data()), {std::ssize(ids), std::ssize(*item.line->source)}));
      continue;
    }
    aligned.push_back(&item);
    sources.push_back(*item.line->source);
    targets.push_back(ids);
  }
  if (aligned.empty()) return;
  const auto& [scorer, default_site] = translator.aligner();
  const auto threads = at::get_num_threads();
  const auto batch_size = std::clamp<std::int64_t>((std::ssize(aligned) + threads - 1) / threads, 1, config.batch_size);
  if (!forced_attention(
          *scorer, options.alignment_from.value_or(default_site), sources, targets,
          scorer->device().is_cpu() ? batch_size : config.batch_size,
          [&](std::size_t i, const at::Tensor& weights) { take(*aligned[i], weights); }, before_step, threads))
    throw UsageError("alignment: this model has no attention to its source to align by");
}

std::vector<LineTranslation::Word> words_with_confidence(const PieceWords& words,
                                                         const std::vector<LineTranslation::Token>& tokens) {
  std::vector<double> sums(words.words.size());
  double pending = 0;  // of pieces without a word, such as a space alone: they belong to the next word
  for (std::size_t piece = 0; piece < words.of_piece.size(); ++piece) {
    const auto [begin, end] = words.of_piece[piece];
    pending += tokens[piece].log_probability;
    if (begin == end) continue;
    sums[begin] += std::exchange(pending, 0);
    for (auto word = begin + 1; word < end; ++word) sums[word] += tokens[piece].log_probability;
  }
  std::vector<LineTranslation::Word> result;
  for (std::size_t word = 0; word < sums.size(); ++word) result.push_back({words.words[word], std::exp(sums[word])});
  return result;
}

/// Fills the spans of tokens and everything that derives from them: replaced pieces, words and their alignment.
void fill_spans_and_words(const DetailOptions& options, Item& item) {
  auto& candidate = *item.candidate;
  if (!item.pieces.spans_known) return;
  const auto& source = item.line->translation->source;
  const auto source_words = options.needs_attention() ? words_of(source) : PieceWords();
  if (options.replace_unknown && has_unknown(item.hypothesis->ids)) {
    auto links = item.links;
    std::fill_n(links.begin(), std::min(item.given, links.size()), PieceLink());
    item.pieces = on_one_line(replace_unknown(source, source_words, item.pieces, links));
    candidate.text = item.pieces.text;
  }
  for (std::size_t t = 0; t < candidate.tokens.size(); ++t) {
    const bool is_end = t == item.pieces.spans.size();
    candidate.tokens[t].span =
        is_end ? PieceSpans::Span{candidate.text.size(), candidate.text.size()} : item.pieces.spans[t];
  }
  if (!options.confidence && !options.alignment) return;
  const auto words = words_of(item.pieces);
  if (options.alignment) candidate.alignment = word_links(source_words, words, item.links);
  if (options.confidence) candidate.words = words_with_confidence(words, candidate.tokens);
}

void raise_flags(Item& item) {
  const auto& translation = *item.line->translation;
  const auto& ids = item.pieces.ids;
  item.candidate->flags = flags_of({.source = translation.source.text,
                                    .target = item.candidate->text,
                                    .source_pieces = std::span(translation.source.ids).subspan(translation.source.tags),
                                    .target_pieces = ids,
                                    .unknown = has_unknown(ids),
                                    .truncated = translation.truncated,
                                    .cut = !item.candidate->ended_or_empty()});
}

}  // namespace

void fill_candidates(const LineTranslator& translator, const DetailOptions& options, const DecodingConfig& config,
                     std::span<const SearchedLine> lines, const std::function<void()>& before_step) {
  auto items = make_items(lines);
  if (items.empty()) return;
  for (auto& item : items) decode(translator.target_tokenizer(), item);
  if (options.confidence) score_tokens(translator.scorer(), config, before_step, items);
  if (options.needs_attention()) find_links(translator, options, config, before_step, items);
  for (auto& item : items) {
    fill_spans_and_words(options, item);
    if (options.confidence) raise_flags(item);
    if (options.alignment) item.candidate->links = std::move(item.links);
  }
}

}  // namespace gloss
