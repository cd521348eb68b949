#pragma once

#include <cstdint>
#include <span>

#include "data/batch.h"
#include "model/encoder_decoder.h"
#include "training/adam.h"
#include "training/label_smoothing.h"
#include "training/training_config.h"

namespace gloss {

/// The loss of a batch by teacher forcing. Only positions that want a token, not those of padding, go through the
/// generator; they are counted in the batch, batch.target_tokens() of them. A plain pass computes generator and
/// label_smoothed_loss one after the other, others `output_loss`. Also for validation, with a pass that is not training
/// and under at::NoGradGuard.
Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass);

struct UpdateOptions {
  std::int64_t step = 1;  ///< number of the update, from 1
  double learning_rate = 0;
  double label_smoothing = 0;
  double clip_norm = 0;                       ///< 0: not clipped
  Precision precision = Precision::kFloat32;  ///< of the factors of matrix products
  bool plain = false;                         ///< Pass::plain
};

/// Where an update's time went, in seconds. A GPU may still be at work when a phase has been handed over to it.
struct UpdateSeconds {
  double forward = 0, backward = 0, optimizer = 0;
};

struct UpdateResult {
  bool applied = true;  ///< false where loss or gradient were not finite: no weight was changed
  double nll_sum = 0;   ///< plain negative log-likelihood of all target tokens
  std::int64_t tokens = 0;
  double gradient_norm = 0;  ///< before clipping
  UpdateSeconds seconds = {};
};

/// One update of the weights from the gradient of the mean smoothed loss over the tokens of all `batches`. Dropout is
/// drawn from `dropout` at (step, index of the batch).
/// Where memory runs out in a batch, forward, backward or behind the last, the free blocks of tensor memory are given
/// back, the gradients are cleared, and the update is made anew with that batch in two halves: the same sum over the
/// tokens; the first half draws its dropout at the batch's own number, the second at 2^31 more. It is said in a
/// warning. A half that does not fit, or a batch of one sentence, is an OutOfMemoryError; the weights are then as they
/// were and the gradients clear. A GPU is waited for once: loss and norm are read with one copy, when all work up to
/// the step has been handed over.
UpdateResult update_weights(EncoderDecoder& model, Adam& adam, std::span<const Batch> batches,
                            const RandomStream& dropout, const UpdateOptions& options);

}  // namespace gloss
