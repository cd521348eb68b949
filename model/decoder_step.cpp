// Decoding token by token: each step computes one position and keeps its keys and values in a cache, in place of
// `forward` on all positions again. The equations are those of decoder.cpp.
#include <ATen/ops/zeros.h>

#include "model/decoder.h"
#include "model/encoder_decoder.h"
#include "tensor/shape.h"

namespace gloss {

LayerCache DecoderLayerImpl::start(const at::Tensor& memory, const Pass& pass) {
  auto [key, value] = cross_attention_->project(memory, pass);  // [B, H, S, d_k]
  LayerCache cache;
  cache.cross_key = key.contiguous();
  cache.cross_value = value.contiguous();
  if (recurrence_) cache.state = at::zeros({memory.size(0), memory.size(2)}, memory.options());  // c_-1
  return cache;
}

at::Tensor DecoderLayerImpl::step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass) {
  const auto B = cache.sentences, K = cache.rows, D = x.size(2);
  auto& layer = cache.layers[index];
  const auto after_self_attention = first_connection_(
      x,
      [&](const at::Tensor& input) {
        if (recurrence_) return recurrence_->step(input, layer.state, pass);
        const auto next =
            self_attention_->project(norms_keys_ ? input : x, pass, cache.position);  // [B * K, H, 1, d_k]
        const auto generated = cache.append(index, next);                             // [B * K, H, position + 1, d_k]
        return self_attention_->attend(input, generated, Mask::unmasked(), pass);     // the cache has no later position
      },
      pass);  // [B * K, 1, D]
  const auto after_cross_attention = cross_attention_connection_(
      after_self_attention,
      [&](const at::Tensor& input) {
        // The K rows of a sentence are K queries to the one memory of that sentence.
        const KeysAndValues source{layer.cross_key, layer.cross_value};
        return cross_attention_->attend(input.view({B, K, D}), source, cache.source_mask, pass).view({B * K, 1, D});
      },
      pass);  // [B * K, 1, D]
  const auto result = feed_forward_connection_(
      after_cross_attention, [&](const at::Tensor& input) { return feed_forward_(input, pass); },
      pass);  // [B * K, 1, D]
  if (pass.probe != nullptr) pass.probe->output(site_, result);
  return result;
}

DecoderCache DecoderImpl::start(const Memory& memory, const Pass& pass) {
  const auto [B, S, D] = sizes<3>(memory.value, "memory");
  memory.mask.expect_fits(B, S);
  DecoderCache cache;
  // The mask is not causal, so one row [B, 1, 1, S] serves all K queries.
  cache.source_mask = memory.mask.precomputed(1, S, memory.value.device());
  cache.sentences = B;
  for (auto& layer : layers_) cache.layers.push_back(layer->start(memory.value, pass));
  return cache;
}

at::Tensor DecoderImpl::step(const at::Tensor& x, DecoderCache& cache, const Pass& pass) {
  expect_shape(x, {cache.sentences * cache.rows, 1, -1}, "x");
  auto result = x;  // [B * K, 1, D]
  for (std::size_t i = 0; i < layers_.size(); ++i) result = layers_[i]->step(result, cache, i, pass);
  ++cache.position;
  return finish(result, pass);
}

DecoderCache EncoderDecoderImpl::start(const at::Tensor& memory, const Mask& source_mask, const Pass& pass) {
  return decoder_->start({memory, probed_mask(source_mask, memory, pass)}, pass);
}

at::Tensor EncoderDecoderImpl::step(const at::Tensor& tokens, DecoderCache& cache, const Pass& pass) {
  const auto B = cache.sentences, K = cache.rows;
  expect_shape(tokens, {B, K}, "tokens");
  const auto positions = target_positions_(cache.position, 1, tokens.device());  // [1, D]
  const auto ids = tokens.reshape({B * K, 1});
  const auto y = add_positions(target_embeddings(ids), positions, target_embedding_norm_, pass,
                               "target_embedding");  // [B * K, 1, D]
  return decoder_->step(y, cache, pass).squeeze(1);  // [B * K, D]
}

}  // namespace gloss
