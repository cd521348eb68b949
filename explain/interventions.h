#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
#include "explain/next_tokens.h"
#include "explain/recorded_pass.h"
#include "model/encoder_decoder.h"

namespace gloss {

/// Results of passes of one sentence, each without a part: by teacher forcing on the same target, and by a greedy
/// search.
struct Effects {
  at::Tensor log_probabilities;  ///< [P, T, K]: of the candidates, for each of P removals
  at::Tensor losses;             ///< [P]: the mean of -log p over the target's tokens that are not given
  std::vector<Ids> greedy;       ///< of each removal, without eos; empty if greedy searches are off
};

/// Runs a sentence through the network once for each of `removals`, each together with `everywhere`. A batch holds many
/// of them, which share the memory if only the decoder changes. A greedy search of a removal ends after `max_length`
/// tokens. Throws Stopped after a signal.
class Interventions {
 public:
  /// `config` is that of the model. `given`: the first tokens of the target, with which greedy searches begin.
  Interventions(EncoderDecoder model, const ModelConfig& config, const SentenceIds& sentence,
                std::vector<Removal> everywhere, std::span<const Id> given = {});

  /// Returns the effects of each removal; without greedy searches if `max_length` is 0.
  Effects effects(std::span<const Removal> removals, const Candidates& candidates, std::int64_t max_length = 0);

 private:
  struct Rows;

  void run_rows(const Rows& rows, const Candidates& candidates, std::int64_t max_length, Effects& effects);

  EncoderDecoder model_;
  std::int64_t numbers_per_pair_;  ///< numbers of the largest tensor of an attention for a query and a key
  SentenceIds sentence_;
  std::vector<Removal> everywhere_;
  Ids given_;
  at::Tensor memory_;  ///< [1, S, D]
};

}  // namespace gloss
