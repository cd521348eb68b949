#include "pipeline/models/translation_details.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "common/text/utf8.h"
#include "decoding/forced_scores.h"

namespace gloss {
namespace {

bool has_unknown(const Ids& ids) { return std::ranges::find(ids, kUnk) != ids.end(); }

std::vector<DetailedTranslation::Word> words_with_confidence(const PieceWords& words,
                                                             const std::vector<DetailedTranslation::Token>& tokens) {
  std::vector<double> sums(words.words.size());
  double waiting = 0;  // of pieces that are in no word, such as a space alone: they belong to the next word
  for (std::size_t piece = 0; piece < words.of_piece.size(); ++piece) {
    const auto [begin, end] = words.of_piece[piece];
    waiting += tokens[piece].log_probability;
    if (begin == end) continue;
    sums[begin] += std::exchange(waiting, 0);
    for (auto word = begin + 1; word < end; ++word) sums[word] += tokens[piece].log_probability;
  }
  std::vector<DetailedTranslation::Word> result;
  for (std::size_t word = 0; word < sums.size(); ++word) result.push_back({words.words[word], std::exp(sums[word])});
  return result;
}

}  // namespace

/// A line as the model reads it.
struct TranslationDetails::Source {
  Ids ids;            ///< pieces and eos
  PieceSpans pieces;  ///< without the eos, and the text that they are of
  PieceWords words;
};

/// A candidate with pieces, and what is known of it so far.
struct TranslationDetails::Found {
  DetailedTranslation::Candidate* candidate = nullptr;
  const Source* source = nullptr;
  std::vector<PieceLink> links;  ///< of each of its pieces, where asked for
};

TranslationDetails::Source TranslationDetails::read(const std::string& line) const {
  Source source{translator_->encode_source(line).ids, aligner_->source_tokenizer->encode_placed(repair_utf8(line)), {}};
  const auto pieces = source.ids.empty() ? 0 : source.ids.size() - 1;  // the eos stands behind
  if (pieces < source.pieces.ids.size())                               // the model reads no more
    source.pieces.text.resize(pieces == 0 ? 0 : source.pieces.places[pieces - 1].end);
  source.pieces.ids.resize(pieces);
  source.pieces.places.resize(pieces);
  source.words = words_of(source.pieces);
  return source;
}

std::vector<DetailedTranslation> TranslationDetails::of(std::span<const std::string> lines,
                                                        std::vector<LineTranslator::Translation> translations) const {
  std::vector<DetailedTranslation> result(translations.size());
  for (std::size_t i = 0; i < translations.size(); ++i) {
    result[i].truncated = translations[i].truncated;
    result[i].leaves_out_phrases = translations[i].leaves_out_phrases;
    for (auto& [text, hypothesis, lacks_phrase] : translations[i].candidates)
      result[i].candidates.push_back(
          {.text = std::move(text), .hypothesis = std::move(hypothesis), .lacks_phrase = lacks_phrase});
  }
  if (!wanted_.confidence && !wanted_.alignment && !wanted_.replace_unknown) return result;

  std::vector<Source> sources;
  for (const auto& line : lines) sources.push_back(read(line));
  std::vector<Found> found;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].unknown = has_unknown(sources[i].pieces.ids);
    for (auto& candidate : result[i].candidates)
      if (!sources[i].ids.empty()) found.push_back({&candidate, &sources[i], {}});
  }
  if (wanted_.confidence) find_tokens(found);
  if (wanted_.alignment || wanted_.replace_unknown) find_links(found);
  for (const auto& one : found) describe(one, result[static_cast<std::size_t>(one.source - sources.data())].truncated);
  return result;
}

void TranslationDetails::find_tokens(std::vector<Found>& found) const {
  std::vector<Ids> sources, said;
  for (const auto& one : found) {
    sources.push_back(one.source->ids);
    said.push_back(one.candidate->hypothesis.ids);
    if (one.candidate->hypothesis.ended) said.back().push_back(kEos);
  }
  const auto scores = forced_token_scores(translator_->scorer(), sources, said, batch_size_);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t t = 0; t < said[i].size(); ++t)
      found[i].candidate->tokens.push_back({aligner_->target_tokenizer->piece(said[i][t]), scores[i].tokens[t]});
}

void TranslationDetails::find_links(std::vector<Found>& found) const {
  std::vector<Ids> sources, targets;
  std::vector<Found*> aligned;
  for (auto& one : found) {
    const auto& ids = one.candidate->hypothesis.ids;
    if (!wanted_.alignment && !has_unknown(ids)) continue;
    aligned.push_back(&one);
    sources.push_back(one.source->ids);
    targets.push_back(ids);
  }
  // Rows of a batch round each other's sums differently on a CPU, where a pass of one sentence is quick enough.
  const auto together = aligner_->model->device().is_cpu() ? 1 : batch_size_;
  cross_attention(aligner_->model, wanted_.alignment_from, {sources, targets, together},
                  [&](std::size_t i, const at::Tensor& weights) { aligned[i]->links = strongest_links(weights); });
}

void TranslationDetails::describe(const Found& found, bool truncated) const {
  auto& candidate = *found.candidate;
  const auto& ids = candidate.hypothesis.ids;
  const bool unknown = has_unknown(ids);
  if (!wanted_.confidence && !wanted_.alignment && !unknown) return;
  auto pieces = aligner_->target_tokenizer->decode_placed(ids);
  if (pieces.placed) {
    if (wanted_.replace_unknown && unknown) {
      pieces = replace_unknown(found.source->pieces, found.source->words, pieces, found.links);
      candidate.text = pieces.text;
    }
    const auto words = words_of(pieces);
    if (wanted_.alignment) candidate.alignment = word_links(found.source->words, words, found.links);
    if (wanted_.confidence) candidate.words = words_with_confidence(words, candidate.tokens);
  }
  if (!wanted_.confidence) return;
  candidate.flags = flags_of({.source = found.source->pieces.text,
                              .target = candidate.text,
                              .source_pieces = found.source->pieces.ids,
                              .target_pieces = ids,
                              .unknown = unknown,
                              .truncated = truncated,
                              .cut = !candidate.ended()});
}

}  // namespace gloss
