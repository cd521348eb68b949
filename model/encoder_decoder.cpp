#include "model/encoder_decoder.h"

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "model/dropout.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

// Names the sentence of the batch, where the positions alone would only know how many were asked for.
void expect_room(const std::vector<std::int64_t>& lengths, std::optional<std::int64_t> limit, const char* side) {
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

void expect_all_there(const EncoderDecoderParts& parts) {
  const auto expect_there = [](const auto& part, const char* name) {
    if (!part) throw Error(ExitCode::kFault, std::string("EncoderDecoder: ") + name + ": wanted a part, got nothing");
  };
  expect_there(parts.encoder, "encoder");
  expect_there(parts.decoder, "decoder");
  expect_there(parts.source_embedding, "source_embedding");
  expect_there(parts.target_embedding, "target_embedding");
  expect_there(parts.source_positions, "source_positions");
  expect_there(parts.target_positions, "target_positions");
  expect_there(parts.generator, "generator");
}

void expect_same_sizes(const EncoderDecoderParts& parts) {
  const auto D = parts.encoder->d_model(), V = parts.target_embedding->weight().size(0);
  const auto expect_d_model = [D](std::int64_t got, const char* name) {
    if (got == D) return;
    throw ShapeError(std::string("EncoderDecoder: ") + name + ": wanted d_model " + std::to_string(D) +
                     " as the encoder has, got " + std::to_string(got));
  };
  expect_d_model(parts.decoder->d_model(), "decoder");
  expect_d_model(parts.source_embedding->weight().size(1), "source_embedding");
  expect_d_model(parts.target_embedding->weight().size(1), "target_embedding");
  expect_d_model(parts.source_positions->d_model(), "source_positions");
  expect_d_model(parts.target_positions->d_model(), "target_positions");
  expect_shape(parts.generator->weight(), {V, D}, "EncoderDecoder: generator's weight");
}

// A borrowed weight that no part registers would be neither trained nor saved nor moved to another device.
void expect_registered_weight(const EncoderDecoderParts& parts) {
  if (!parts.generator->is_tied() || parts.generator->weight().is_same(parts.target_embedding->weight())) return;
  throw Error(ExitCode::kFault,
              "EncoderDecoder: generator: wanted a weight of its own or target_embedding's, got another tensor");
}

}  // namespace

EncoderDecoderImpl::EncoderDecoderImpl(const EncoderDecoderParts& parts)
    : encoder_(parts.encoder),
      decoder_(parts.decoder),
      source_embedding_(parts.source_embedding),
      target_embedding_(parts.target_embedding),
      source_positions_(parts.source_positions),
      target_positions_(parts.target_positions),
      generator_(parts.generator),
      dropout_(parts.dropout) {
  expect_all_there(parts);
  expect_same_sizes(parts);
  expect_registered_weight(parts);
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
  expect_room(source.lengths, source_positions_->limit(), "source");
  const auto positions = source_positions_(0, source.ids.size(1), source.ids.device());      // [S, D]
  const auto x = embed(source_embedding_(source.ids), positions, pass, "source_embedding");  // [B, S, D]
  return encoder_(x, mask, pass);
}

at::Tensor EncoderDecoderImpl::decode(const PaddedIds& target, const at::Tensor& memory, const Mask& source_mask,
                                      const Pass& pass) {
  expect_lengths(target, "target");
  expect_room(target.lengths, target_positions_->limit(), "target");
  const auto positions = target_positions_(0, target.ids.size(1), target.ids.device());      // [T, D]
  const auto y = embed(target_embedding_(target.ids), positions, pass, "target_embedding");  // [B, T, D]
  return decoder_(y, Memory{memory, source_mask}, pass);
}

DecoderCache EncoderDecoderImpl::start(const at::Tensor& memory, const Mask& source_mask) {
  return decoder_->start({memory, source_mask});
}

at::Tensor EncoderDecoderImpl::step(const at::Tensor& tokens, DecoderCache& cache, const Pass& pass) {
  const auto B = cache.sentences, K = cache.rows;
  expect_shape(tokens, {B, K}, "tokens");
  const auto positions = target_positions_(cache.position, 1, tokens.device());  // [1, D]
  const auto ids = tokens.reshape({B * K, 1});
  const auto y = embed(target_embedding_(ids), positions, pass, "target_embedding");  // [B * K, 1, D]
  return decoder_->step(y, cache, pass).squeeze(1);                                   // [B * K, D]
}

at::Device EncoderDecoderImpl::device() const { return source_embedding_->weight().device(); }

at::Tensor EncoderDecoderImpl::embed(const at::Tensor& tokens, const at::Tensor& positions, const Pass& pass,
                                     std::string_view site) {
  return dropout(tokens + positions, dropout_, pass, site);
}

}  // namespace gloss
