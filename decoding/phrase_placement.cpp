#include "decoding/phrase_placement.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace gloss {
namespace {

// Chosen on 300 lines (docs/measurements.md), in natural logarithms.
constexpr double kOtherTranslation = 12;  ///< if all attention of a step is on a phrase's source
constexpr double kReplaced = 10;
constexpr double kLate = 20;
constexpr double kEnd = 0.5;  ///< above this probability of eos the model ends the sentence

/// Returns the attention of a row [S] to the source of each phrase.
std::vector<double> attention_to(std::span<const Phrase> phrases, std::span<const float> attention) {
  std::vector<double> result(phrases.size());
  if (attention.empty()) return result;
  for (std::size_t p = 0; p < phrases.size(); ++p)
    for (auto s = phrases[p].source_begin; s < phrases[p].source_end; ++s)
      result[p] += static_cast<double>(attention[static_cast<std::size_t>(s)]);
  return result;
}

/// Returns whether `id` completes the replaced word more often than that word occurs elsewhere.
bool repeats_replaced_word(const Ids& generated, Id id, const ReplacedWord& replaced) {
  const auto& word = replaced.ids;
  if (word.back() != id || word.size() > generated.size() + 1) return false;
  if (!std::equal(word.begin(), word.end() - 1, generated.end() - (std::ssize(word) - 1))) return false;
  return count_occurrences(generated, word) >= replaced.elsewhere;
}

}  // namespace

std::int64_t count_occurrences(const Ids& ids, const Ids& word) {
  std::int64_t found = 0;
  for (auto match = ids.begin(); (match = std::search(match, ids.end(), word.begin(), word.end())) != ids.end();
       match += std::ssize(word))
    ++found;
  return found;
}

std::vector<Candidate> rank_by_placement(std::span<const Phrase> phrases, std::span<const ReplacedWord> replaced,
                                         const PlacementStep& step, std::span<const Candidate> candidates) {
  const auto& [beam, progress, attention] = step;
  const auto& rows = beam.rows();
  const auto S = attention.size() / rows.size();
  std::vector<std::vector<double>> attended;
  std::vector<Ids> generated(rows.size());  // read if words are to be replaced
  std::vector<bool> ends(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    attended.push_back(attention_to(phrases, attention.subspan(row * S, S)));
  if (!replaced.empty())
    std::ranges::transform(rows, generated.begin(), [&](const auto& row) { return step.beam.ids(row); });
  for (const auto& [row, id, log_probability, penalty, of_token] : candidates)
    if (id == kEos) ends[row] = log_probability - rows[row].log_probability > std::log(kEnd);

  std::vector<Candidate> result;
  for (auto candidate : candidates) {
    const auto& row = rows[candidate.row];
    const auto missing = progress[candidate.row].missing();
    const bool advances = progress[candidate.row].missing_after(candidate.id) < missing;
    if (candidate.id == kEos && missing > 0) continue;
    const auto continued = progress[candidate.row].continued_by(candidate.id);
    candidate.penalty = row.penalty;
    for (std::size_t p = 0; p < phrases.size(); ++p)
      if (!(continued[p] && advances) && (p == 0 || !phrases[p].replaces(phrases[p - 1])))
        candidate.penalty += kOtherTranslation * attended[candidate.row][p];
    const auto repeats = [&](const ReplacedWord& word) {
      return repeats_replaced_word(generated[candidate.row], candidate.id, word);
    };
    if (!advances && std::ranges::any_of(replaced, repeats)) candidate.penalty += kReplaced;
    if (candidate.id != kEos && ends[candidate.row]) candidate.penalty += kLate;
    result.push_back(candidate);
  }
  std::ranges::stable_sort(result, std::greater{}, [](const Candidate& c) { return c.log_probability - c.penalty; });
  return result;
}

}  // namespace gloss
