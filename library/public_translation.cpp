#include "library/public_translation.h"

#include <cstddef>
#include <utility>

namespace gloss {
namespace {

Translation::Status to_public(LineTranslation::Status status) {
  switch (status) {
    case LineTranslation::Status::kDeadline:
      return Translation::Status::kDeadline;
    case LineTranslation::Status::kCanceled:
      return Translation::Status::kCancelled;
    default:
      return Translation::Status::kComplete;
  }
}

/// `tags`: number of the source's language tags, which have no span.
Translation::Candidate to_public(LineTranslation::Candidate candidate, std::size_t tags) {
  Translation::Candidate result;
  result.text = std::move(candidate.text);
  result.score = candidate.score;
  result.log_probability = candidate.log_probability;
  result.ended = candidate.ended;
  result.lacks_phrase = candidate.lacks_phrase;
  result.flags = candidate.flags.names();
  for (const auto& token : candidate.tokens) result.token_log_probabilities.push_back(token.log_probability);
  if (candidate.ended) candidate.tokens.pop_back();
  for (auto& token : candidate.tokens) {
    result.pieces.push_back(std::move(token.piece));
    if (candidate.spans_known) result.spans.push_back({token.span.begin, token.span.end});
  }
  for (auto& [text, confidence] : candidate.words) result.words.push_back({std::move(text), confidence});
  for (const auto& [source, target] : candidate.alignment)
    result.alignment.push_back({static_cast<std::size_t>(source), static_cast<std::size_t>(target)});
  for (std::size_t target = 0; target < candidate.links.size(); ++target) {
    const auto& [source, to_end, weight] = candidate.links[target];
    if (source >= 0 && !to_end) result.piece_alignment.push_back({static_cast<std::size_t>(source) - tags, target});
  }
  return result;
}

}  // namespace

Translation to_public(LineTranslation translation) {
  Translation result;
  result.status = to_public(translation.status);
  result.truncated = translation.truncated;
  const auto& spans = translation.source.spans;
  for (auto i = translation.source.tags; i < spans.size(); ++i)
    result.source_spans.push_back({spans[i].begin, spans[i].end});
  result.source = std::move(translation.source.text);
  for (auto& candidate : translation.candidates)
    result.candidates.push_back(to_public(std::move(candidate), translation.source.tags));
  return result;
}

}  // namespace gloss
