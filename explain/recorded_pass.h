#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
#include "model/encoder_decoder.h"
#include "model/part.h"
#include "model/pass.h"

namespace gloss {

/// The part that a pass leaves out: a part of the network, or a range of source pieces that no attention sees. An empty
/// range removes no part.
struct Removal {
  std::optional<Part> part;
  std::int64_t first = 0, last = 0;  ///< pieces `first` to `last - 1` of the source, if there is no part
};

/// Removes parts of the network in a pass. The attention weights of a head become 0, so that its output is the zero
/// vector. A sublayer returns 0, so that only its residual connection remains, if it has one; the sublayers of a layer
/// do the same. Tokens or positions are not added up. Hidden source pieces are masked like padding, in the encoder and
/// in cross-attention: the softmax is over the others, and a recurrent encoder skips them.
class RemovalProbe : public Probe {
 public:
  /// Removes `everywhere` in all rows of a batch, and by_row[b] in row b. Tokens and positions are not removed by row.
  explicit RemovalProbe(std::vector<Removal> everywhere, std::vector<Removal> by_row = {});

  void embedding(std::string_view site, at::Tensor& tokens, at::Tensor& positions) override;
  void source_mask(Mask& mask, std::int64_t B, std::int64_t S) override;
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor& value) override;
  void output(std::string_view site, const at::Tensor& value) override;

 private:
  std::vector<Removal> everywhere_, by_row_;
};

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
