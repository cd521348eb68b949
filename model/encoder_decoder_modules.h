#pragma once

#include "model/decoder.h"
#include "model/embedding.h"
#include "model/encoder.h"
#include "model/generator.h"
#include "model/layer_norm.h"
#include "model/positional_encoding.h"

namespace gloss {

/// The modules of a side's input: embeddings, to which positions are added, and a norm of the sum, which may be null.
struct InputModules {
  Embedding embedding{nullptr};
  PositionalEncoding positions{nullptr};
  Norm norm{nullptr};
};

/// The modules of an EncoderDecoder. Tied embeddings are one module in two places; it is registered once.
struct EncoderDecoderModules {
  Encoder encoder{nullptr};
  Decoder decoder{nullptr};
  InputModules source, target;
  Generator generator{nullptr};
  double dropout = 0;  ///< on embeddings plus positions (section 5.4)

  /// Checks that the modules belong together, and registers them with `network`. Throws Error, a fault of the caller,
  /// if a module is missing or the generator borrows a weight that is not the target embedding's. Throws ShapeError if
  /// the modules differ in width or in the target's vocabulary.
  void register_in(torch::nn::Module& network) const;
};

}  // namespace gloss
