#include "data/epoch_stage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "common/error.h"
#include "data/training_stage.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxOccurrences = std::numeric_limits<Occurrence>::max();

/// Returns the number of places of a permutation that all epochs before `epoch` took. Exact up to epoch 2^32.
std::uint64_t places_before(const WeightedRange& text, std::uint64_t epoch) {
  constexpr std::uint64_t kOne = WeightedRange::kWeightOfOne;
  const auto fraction = static_cast<std::uint64_t>(text.weight % WeightedRange::kWeightOfOne);
  const auto an_epoch = fraction * static_cast<std::uint64_t>(text.pairs());  // in billionths
  return epoch * (an_epoch / kOne) + epoch * (an_epoch % kOne) / kOne;
}

/// Returns the least number of pairs that any epoch has of the text.
std::int64_t min_pairs(const WeightedRange& text) {
  return text.weight / WeightedRange::kWeightOfOne * text.pairs() + static_cast<std::int64_t>(places_before(text, 1));
}

std::string weight_key(std::size_t stage, std::size_t text) { return key_of_text(stage, text) + ".weight"; }

void expect_pairs(const EpochStage& stage, std::size_t number, const TrainingStage& planned) {
  std::int64_t min_of_epoch = 0;
  for (const auto& text : stage.texts) min_of_epoch += min_pairs(text);
  const auto& first = stage.texts.front();
  require(min_of_epoch > 0, weight_key(number, 0),
          "a weight with which each epoch of the stage has one of the " + std::to_string(first.pairs()) +
              " pairs, about " + to_text(std::ceil(1e6 / static_cast<double>(first.pairs())) / 1e6),
          planned.sources.front().weight);
}

void expect_countable(const EpochStage& stage, std::size_t number, std::int64_t pairs_of_corpus,
                      const TrainingStage& planned) {
  std::int64_t occurrences = 0;
  for (std::size_t i = 0; i < stage.texts.size(); ++i) {
    const auto copies = stage.texts[i].max_copies();
    occurrences += copies * stage.texts[i].pairs();
    require(copies * pairs_of_corpus <= kMaxOccurrences && occurrences <= kMaxOccurrences, weight_key(number, i),
            "weights with which an epoch has fewer than 2^32 pairs; all texts have " + std::to_string(pairs_of_corpus),
            planned.sources[i].weight);
  }
}

/// Returns the positions of the pairs of a text, each once: its longer side.
double positions_of(const WeightedRange& text, const ParallelCorpus& corpus) {
  double positions = 0;
  for (auto pair = text.begin; pair < text.end; ++pair)
    positions += static_cast<double>(std::max(corpus.source_length(pair), corpus.target_length(pair)));
  return positions;
}

// The substreams of the random draws of an epoch.
enum Draw : std::uint32_t { kEquals, kBatches, kBegin };

// Shuffles neighbors of equal lengths.
void shuffle_equals(std::vector<Occurrence>& occurrences, const LengthsOf& lengths_of, const RandomStream& random) {
  for (std::size_t begin = 0, end = 0; begin < occurrences.size(); begin = end) {
    const auto equal = lengths_of(occurrences[begin]);
    for (end = begin + 1; end < occurrences.size() && lengths_of(occurrences[end]) == equal;) ++end;
    for (std::size_t last = end - 1; last > begin; --last)
      std::swap(occurrences[last], occurrences[begin + random.below(last - begin + 1, last)]);
  }
}

}  // namespace

std::vector<EpochStage> one_stage(const ParallelCorpus& corpus) {
  return {{.first_epoch = 0, .texts = {{.begin = 0, .end = corpus.size()}}}};
}

std::vector<EpochStage> epoch_stages(const DataConfig& config, const ParallelCorpus& corpus) {
  std::vector<std::int64_t> begins{0};
  for (const auto& report : corpus.reports()) begins.push_back(begins.back() + report.pairs);
  const auto planned = config.training_stages();
  const auto texts = texts_of(planned);
  std::vector<EpochStage> stages;
  std::int64_t epoch = 0;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    auto& stage = stages.emplace_back(EpochStage{.first_epoch = epoch, .texts = {}});
    for (std::size_t j = 0; j < planned[i].sources.size(); ++j) {
      const auto text = texts.of_stage[i][j];
      const auto weight = planned[i].sources[j].weight * static_cast<double>(WeightedRange::kWeightOfOne);
      stage.texts.push_back({begins.at(text), begins.at(text + 1), std::llround(weight)});
    }
    expect_pairs(stage, i, planned[i]);
    expect_countable(stage, i, corpus.size(), planned[i]);
    epoch += planned[i].until_epochs.value_or(0);
  }
  return stages;
}

std::size_t stage_of(std::span<const EpochStage> stages, std::int64_t epoch) {
  const auto next = std::ranges::upper_bound(stages, epoch, {}, &EpochStage::first_epoch);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - stages.begin(), 1) - 1);
}

LengthsOf lengths_in(const ParallelCorpus& corpus) {
  return [&corpus](Occurrence occurrence) {
    const auto pair = pair_of(occurrence, corpus);
    return PairLengths{corpus.source_length(pair), corpus.target_length(pair)};
  };
}

std::vector<Occurrence> occurrences_of(const EpochStage& stage, std::int64_t epoch, std::int64_t pairs_of_corpus,
                                       const RandomStream& random) {
  std::vector<Occurrence> occurrences;
  for (const auto& text : stage.texts) {
    const auto count = static_cast<std::size_t>(text.pairs());
    const auto add_copy = [&](std::int64_t copy) {
      const auto place = occurrences.size();
      occurrences.resize(place + count);
      std::iota(occurrences.begin() + static_cast<std::ptrdiff_t>(place), occurrences.end(),
                static_cast<Occurrence>(text.begin + copy * pairs_of_corpus));
    };
    const auto copies = text.weight / WeightedRange::kWeightOfOne;
    for (std::int64_t copy = 0; copy < copies; ++copy) add_copy(copy);
    const auto from = places_before(text, static_cast<std::uint64_t>(epoch));
    const auto to = places_before(text, static_cast<std::uint64_t>(epoch) + 1);
    if (from == to) continue;
    std::vector<Occurrence> permutation(count);
    std::iota(permutation.begin(), permutation.end(), static_cast<Occurrence>(text.begin + copies * pairs_of_corpus));
    random.stream("rotation").at(static_cast<std::uint32_t>(text.begin)).shuffle(std::span(permutation));
    for (auto place = from; place != to; ++place) occurrences.push_back(permutation[place % count]);
  }
  return occurrences;
}

std::vector<double> expected_positions(std::span<const EpochStage> stages, const ParallelCorpus& corpus) {
  std::map<std::int64_t, double> of_text;  // by the text's first pair
  std::vector<double> positions;
  for (const auto& stage : stages) {
    auto& sum = positions.emplace_back();
    for (const auto& text : stage.texts) {
      const auto [place, is_new] = of_text.try_emplace(text.begin);
      if (is_new) place->second = positions_of(text, corpus);
      sum += place->second * static_cast<double>(text.weight) / static_cast<double>(WeightedRange::kWeightOfOne);
    }
  }
  return positions;
}

EpochOrder::EpochOrder(const LengthsOf& lengths_of, std::vector<Occurrence> occurrences, std::int64_t batch_tokens,
                       const RandomStream& random)
    : occurrences_(std::move(occurrences)) {
  const auto begin = random.at(random.update(), kBegin);
  sort_by_length(occurrences_, lengths_of, /*even_rise=*/begin.bits(0) % 2 == 0);
  shuffle_equals(occurrences_, lengths_of, random.at(random.update(), kEquals));
  const auto first = static_cast<std::int64_t>(begin.uniform(1) * static_cast<double>(batch_tokens)) + 1;
  begins_ = cut_by_length(occurrences_, lengths_of, batch_tokens, first);
  order_.resize(begins_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  random.at(random.update(), kBatches).shuffle(std::span(order_));
}

std::span<const Occurrence> EpochOrder::batch(std::int64_t index) const {
  const auto number = order_[static_cast<std::size_t>(index)];
  const auto end = number + 1 < begins_.size() ? begins_[number + 1] : occurrences_.size();
  return std::span(occurrences_).subspan(begins_[number], end - begins_[number]);
}

std::vector<std::vector<std::int64_t>> batches_by_length(const ParallelCorpus& corpus, std::int64_t batch_tokens) {
  std::vector<PairLengths> lengths;
  for (std::int64_t i = 0; i < corpus.size(); ++i)
    lengths.push_back({corpus.source_length(i), corpus.target_length(i)});
  return batches_by_length(lengths, batch_tokens);
}

}  // namespace gloss
