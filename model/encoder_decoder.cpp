#include "model/encoder_decoder.h"

#include <optional>
#include <string>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/special_ids.h"
#include "model/dropout.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

/// Throws UsageError, naming the sentence, if a length exceeds `limit`, the number of learned positions.
void expect_within_limit(const std::vector<std::int64_t>& lengths, std::optional<std::int64_t> limit,
                         const char* side) {
  if (!limit) return;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] <= *limit) continue;
    throw UsageError(std::string(side) + " sentence " + std::to_string(b + 1) + " of the batch: wanted at most " +
                     std::to_string(*limit) + " tokens, which is all that the model has positions for, got " +
                     std::to_string(lengths[b]) + "; shorten the line or train with a larger model.max_positions");
  }
}

void expect_lengths(const PaddedIds& batch, const char* name) {
  const auto B = sizes<2>(batch.ids, name)[0];
  if (static_cast<std::int64_t>(batch.lengths.size()) == B) return;
  throw ShapeError(std::string(name) + ": wanted " + std::to_string(B) + " lengths, got " +
                   std::to_string(batch.lengths.size()));
}

// Sets the rows of pad and bos of a matrix [V, D] to zero.
void zero_unread_rows(const at::Tensor& matrix) {
  for (const auto id : {kPad, kBos}) matrix.select(0, id).zero_();
}

// Removes the gradients of the rows of pad and bos, also those of a tied generator.
void freeze_unread_rows(const at::Tensor& embedding) {
  if (!embedding.requires_grad()) return;
  embedding.register_hook([](const at::Tensor& gradient) {
    const auto rest = gradient.clone();  // the gradient may be shared
    zero_unread_rows(rest);
    return rest;
  });
}

}  // namespace

EncoderDecoderImpl::EncoderDecoderImpl(const EncoderDecoderModules& modules)
    : encoder_(modules.encoder),
      decoder_(modules.decoder),
      source_embedding_(modules.source_embedding),
      target_embedding_(modules.target_embedding),
      source_positions_(modules.source_positions),
      target_positions_(modules.target_positions),
      source_embedding_norm_(modules.source_embedding_norm),
      target_embedding_norm_(modules.target_embedding_norm),
      generator_(modules.generator),
      dropout_(modules.dropout),
      starts_from_zero_(modules.starts_from_zero) {
  modules.validate();
  register_module("encoder", encoder_);
  register_module("decoder", decoder_);
  register_module("source_embedding", source_embedding_);
  register_module("source_positions", source_positions_);
  register_module("generator", generator_);
  if (target_embedding_.ptr() != source_embedding_.ptr()) register_module("target_embedding", target_embedding_);
  if (target_positions_.ptr() != source_positions_.ptr()) register_module("target_positions", target_positions_);
  if (source_embedding_norm_) register_module("source_embedding_norm", source_embedding_norm_);
  if (target_embedding_norm_) register_module("target_embedding_norm", target_embedding_norm_);
  if (starts_from_zero_) freeze_unread_rows(target_embedding_->weight());
}

at::Tensor EncoderDecoderImpl::forward(const PaddedIds& source, const PaddedIds& target, const Pass& pass) {
  return decode(target, encode(source, pass), Mask::padding(source.lengths), pass);
}

at::Tensor EncoderDecoderImpl::encode(const PaddedIds& source, const Pass& pass) {
  return encode(source, Mask::padding(source.lengths), pass);
}

at::Tensor EncoderDecoderImpl::encode(const PaddedIds& source, const Mask& mask, const Pass& pass) {
  expect_lengths(source, "source");
  expect_within_limit(source.lengths, source_positions_->limit(), "source");
  const auto positions = source_positions_(0, source.ids.size(1), source.ids.device());  // [S, D]
  Pass inner = pass;  // for batch normalization, which leaves out padding
  inner.lengths = &source.lengths;
  const auto x = add_positions(source_embedding_(source.ids), positions, source_embedding_norm_, inner,
                               "source_embedding");  // [B, S, D]
  return encoder_(x, probed_mask(mask, x, pass), inner);
}

at::Tensor EncoderDecoderImpl::decode(const PaddedIds& target, const at::Tensor& memory, const Mask& source_mask,
                                      const Pass& pass) {
  expect_lengths(target, "target");
  expect_within_limit(target.lengths, target_positions_->limit(), "target");
  const auto positions = target_positions_(0, target.ids.size(1), target.ids.device());  // [T, D]
  Pass inner = pass;  // for batch normalization, which leaves out padding
  inner.lengths = &target.lengths;
  const auto y = add_positions(target_embeddings(target.ids), positions, target_embedding_norm_, inner,
                               "target_embedding");  // [B, T, D]
  return decoder_(y, Memory{memory, probed_mask(source_mask, memory, pass)}, inner);
}

void EncoderDecoderImpl::clear_unread_rows() {
  if (!starts_from_zero_) return;
  const at::NoGradGuard no_grad;
  zero_unread_rows(target_embedding_->weight());
}

at::Device EncoderDecoderImpl::device() const { return source_embedding_->weight().device(); }

Mask EncoderDecoderImpl::probed_mask(const Mask& mask, const at::Tensor& source, const Pass& pass) {
  auto result = mask;
  if (pass.probe != nullptr) pass.probe->source_mask(result, source.size(0), source.size(1));
  return result;
}

at::Tensor EncoderDecoderImpl::target_embeddings(const at::Tensor& ids) {
  const auto embeddings = target_embedding_(ids);
  return starts_from_zero_ ? embeddings.masked_fill(ids.eq(kBos).unsqueeze(-1), 0) : embeddings;
}

at::Tensor EncoderDecoderImpl::add_positions(const at::Tensor& embeddings, const at::Tensor& positions, Norm& norm,
                                             const Pass& pass, const std::string& site) const {
  auto tokens = embeddings, places = positions;
  if (pass.probe != nullptr) pass.probe->embedding(site, tokens, places);
  auto sum = tokens + places;
  if (norm) {
    sum = norm(sum, pass);
    if (pass.probe != nullptr) pass.probe->output(site + "_norm", sum);
  }
  return dropout(sum, dropout_, pass, site);
}

}  // namespace gloss
