#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "decoding/search.h"
#include "translation/line_translator.h"

namespace gloss {

/// A beam search of one sentence as a tree. It has every continuation that the beam considered, and whether it was
/// kept, pruned or finished.
class BeamTree {
 public:
  struct Node {
    std::int64_t parent = -1;  ///< index of a node; -1: the beginning of the sentence
    std::int64_t step = 0;     ///< from 0
    Id id = 0;
    double log_probability = 0;        ///< of all tokens so far
    double token_log_probability = 0;  ///< of this token
    enum class State { kLive, kPruned, kFinished } state = State::kPruned;
    double score = 0;   ///< of a finished hypothesis, after the length penalty
    bool best = false;  ///< on the path of the translation
  };

  /// Searches with `config`. With a beam of one hypothesis this is greedy search, on which patience has no effect.
  BeamTree(const Scorer& scorer, const Ids& source, DecodingConfig config, const SearchInputs& inputs = {});

  const std::vector<Node>& nodes() const { return nodes_; }
  const Hypothesis& best() const { return best_; }  ///< the translation

 private:
  void add_step(std::span<const Candidate> candidates, const Beam& beam);
  void mark_best();

  std::vector<Node> nodes_;
  std::vector<std::int64_t> live_ = {-1};  ///< the node of each row
  std::int64_t step_ = 0;
  Hypothesis best_;
};

/// Returns the tree and the greedy translation (docs/explanation_format.md).
Json to_json(const BeamTree& tree, const DecodingConfig& config, const Hypothesis& greedy, const Tokenizer& target);

}  // namespace gloss
