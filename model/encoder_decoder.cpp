#include "model/encoder_decoder.h"

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
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

}  // namespace

EncoderDecoderImpl::EncoderDecoderImpl(const EncoderDecoderModules& modules)
    : encoder_(modules.encoder),
      decoder_(modules.decoder),
      source_embedding_(modules.source_embedding),
      target_embedding_(modules.target_embedding),
      source_positions_(modules.source_positions),
      target_positions_(modules.target_positions),
      generator_(modules.generator),
      dropout_(modules.dropout) {
  modules.validate();
  register_module("encoder", encoder_);
  register_module("decoder", decoder_);
  register_module("source_embedding", source_embedding_);
  register_module("source_positions", source_positions_);
  register_module("generator", generator_);
  if (target_embedding_.ptr() != source_embedding_.ptr()) register_module("target_embedding", target_embedding_);
  if (target_positions_.ptr() != source_positions_.ptr()) register_module("target_positions", target_positions_);
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
  const auto positions = source_positions_(0, source.ids.size(1), source.ids.device());              // [S, D]
  const auto x = add_positions(source_embedding_(source.ids), positions, pass, "source_embedding");  // [B, S, D]
  Pass inner = pass;  // for batch normalization, which leaves out padding
  inner.lengths = &source.lengths;
  return encoder_(x, probed_mask(mask, x, pass), inner);
}

at::Tensor EncoderDecoderImpl::decode(const PaddedIds& target, const at::Tensor& memory, const Mask& source_mask,
                                      const Pass& pass) {
  expect_lengths(target, "target");
  expect_within_limit(target.lengths, target_positions_->limit(), "target");
  const auto positions = target_positions_(0, target.ids.size(1), target.ids.device());              // [T, D]
  const auto y = add_positions(target_embedding_(target.ids), positions, pass, "target_embedding");  // [B, T, D]
  Pass inner = pass;  // for batch normalization, which leaves out padding
  inner.lengths = &target.lengths;
  return decoder_(y, Memory{memory, probed_mask(source_mask, memory, pass)}, inner);
}

at::Device EncoderDecoderImpl::device() const { return source_embedding_->weight().device(); }

Mask EncoderDecoderImpl::probed_mask(const Mask& mask, const at::Tensor& source, const Pass& pass) {
  auto result = mask;
  if (pass.probe != nullptr) pass.probe->source_mask(result, source.size(0), source.size(1));
  return result;
}

at::Tensor EncoderDecoderImpl::add_positions(const at::Tensor& embeddings, const at::Tensor& positions,
                                             const Pass& pass, std::string_view site) {
  if (pass.probe == nullptr) return dropout(embeddings + positions, dropout_, pass, site);
  auto tokens = embeddings, places = positions;
  pass.probe->embedding(site, tokens, places);
  return dropout(tokens + places, dropout_, pass, site);
}

}  // namespace gloss
