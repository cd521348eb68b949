#pragma once

#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
#include "explain/removal.h"
#include "model/encoder_decoder.h"

namespace gloss {

/// Ids of a sentence pair for the network. The source ends with eos, and the target with eos unless it was cut.
struct SentenceIds {
  Ids source, target;  ///< S and T ids
};

/// Values of one pass of a sentence through the network by teacher forcing, on the CPU and without a batch dimension.
/// The decoder reads bos and the target without its last token.
struct RecordedPass {
  struct Embedding {
    at::Tensor tokens, positions;  ///< [T, D] each
    at::Tensor sum() const;
  };
  struct Attention {
    at::Tensor weights;  ///< [H, T, S]
    at::Tensor value;    ///< [H, S, d_k]
  };

  Embedding source, target;
  std::map<std::string, Attention> attention;  ///< by site
  std::map<std::string, at::Tensor> outputs;   ///< [T, D], by site, the stacks included
  at::Tensor logits;                           ///< [T, V]: of the tokens that follow the decoder's input

  /// Returns the input of the first layer of the encoder ("source") or decoder ("target"), [T, D]. It is the sum of
  /// tokens and positions, normalized if the network does so (ModelConfig::embedding_norm).
  at::Tensor input(const std::string& side) const;
};

/// Runs a pass with the equations of model/ (Pass::plain), without the parts `removed`.
RecordedPass record_pass(EncoderDecoder model, const SentenceIds& sentence, const std::vector<Removal>& removed = {});

}  // namespace gloss
