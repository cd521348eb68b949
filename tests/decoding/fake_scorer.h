#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/special_ids.h"
#include "decoding/hypothesis.h"
#include "decoding/scorer.h"

namespace gloss {

inline constexpr Id kA = 4, kB = 5, kC = 6;
inline constexpr std::int64_t kWords = 7;  ///< special ids and A, B, C

/// A scorer without a network: a rule gives the logits of the next token. Its state is the rows themselves, so that a
/// wrong parent, a lost row or a wrong token leads to other scores.
class FakeScorer final : public Scorer {
 public:
  /// Maps the source without padding and the generated tokens without bos to the logits of the next token, [V].
  using Rule = std::function<std::vector<float>(const Ids& source, const Ids& generated)>;

  /// Maps both to the attention to each position of the source.
  using Attention = std::function<std::vector<float>(const Ids& source, const Ids& generated)>;

  struct Options {
    std::int64_t max_target_length = 100;
    bool normalized = true;    ///< false: logits are taken as log-probabilities as they are, for exact ties
    Attention attention = {};  ///< empty: a step has none
  };

  FakeScorer(Rule rule, std::int64_t vocabulary, at::Device device) : FakeScorer(rule, vocabulary, device, Options{}) {}
  FakeScorer(Rule rule, std::int64_t vocabulary, at::Device device, Options options);

  std::unique_ptr<State> start(const PaddedIds& source) const override;
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const override;
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override;
  std::int64_t vocabulary_size() const override { return vocabulary_; }
  std::int64_t max_target_length() const override { return options_.max_target_length; }
  at::Device device() const override { return device_; }

  /// Returns {B, K} of every step so far. Not during a search.
  const std::vector<std::pair<std::int64_t, std::int64_t>>& steps() const { return steps_; }

 private:
  Rule rule_;
  std::int64_t vocabulary_;
  at::Device device_;
  Options options_;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<std::int64_t, std::int64_t>> steps_;
};

/// Returns log-probabilities [V]: those of the named ids, -inf for all others.
std::vector<float> log_of(const std::map<Id, double>& probabilities, std::int64_t vocabulary);

/// Returns a rule with the next tokens for each prefix, the same for every source; eos follows other prefixes.
FakeScorer::Rule table(std::map<Ids, std::map<Id, double>> probabilities, std::int64_t vocabulary);

/// Returns a rule with pseudo-random logits, a function of source and prefix.
FakeScorer::Rule random_rule(std::int64_t vocabulary);

/// Returns B sources of one id each, `first`, `first` + 1, ..., and eos.
PaddedIds sources(std::int64_t B, at::Device device, Id first = 4);

/// Returns the ids of each hypothesis.
std::vector<Ids> ids_of(const std::vector<Hypothesis>& hypotheses);

}  // namespace gloss
