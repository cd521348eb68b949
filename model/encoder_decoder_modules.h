#pragma once

#include "model/decoder.h"
#include "model/embedding.h"
#include "model/encoder.h"
#include "model/generator.h"
#include "model/norm.h"
#include "model/positional_encoding.h"

namespace gloss {

/// The modules of an EncoderDecoder. Tied embeddings are one module in two places; it is registered once.
struct EncoderDecoderModules {
  Encoder encoder{nullptr};
  Decoder decoder{nullptr};
  Embedding source_embedding{nullptr};
  Embedding target_embedding{nullptr};  ///< the source's where all are tied
  PositionalEncoding source_positions{nullptr};
  PositionalEncoding target_positions{nullptr};
  Generator generator{nullptr};
  Norm source_embedding_norm{nullptr}, target_embedding_norm{nullptr};  ///< of embeddings plus positions; may be null
  double dropout = 0;                                                   ///< on embeddings plus positions (section 5.4)
  bool starts_from_zero = false;                                        ///< ModelConfig::starts_from_zero

  /// Checks that the modules belong together. Throws Error, a fault of the caller, if a module is missing or the
  /// generator borrows a weight that is not the target embedding's. Throws ShapeError if the modules differ in width or
  /// in the target's vocabulary.
  void validate() const;
};

}  // namespace gloss
