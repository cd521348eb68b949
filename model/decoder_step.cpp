// Decoding token by token: each step computes one position and keeps its keys and values in a cache, in place of
// `forward` on all positions again. The equations are those of decoder.cpp.
#include "model/decoder.h"
#include "model/encoder_decoder.h"
#include "tensor/shape.h"

namespace gloss {

LayerCache DecoderLayerImpl::start(const at::Tensor& memory, const Pass& pass) {
  return cache_of_memory(cross_attention_, memory, pass);
}

at::Tensor DecoderLayerImpl::step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass) {
  const auto after_self_attention = self_attention_connection_(
      x,
      [&](const at::Tensor& input) {
        const auto next = self_attention_->project(norms_keys_ ? input : x, pass);  // [B * K, H, 1, d_k]
        const auto generated = cache.append(index, next);                           // [B * K, H, position + 1, d_k]
        return self_attention_->attend(input, generated, Mask::unmasked(), pass);   // the cache has no later position
      },
      pass);  // [B * K, 1, D]
  const auto after_cross_attention = cross_attention_connection_(
      after_self_attention, [&](const at::Tensor& input) { return cache.attend(index, cross_attention_, input, pass); },
      pass);  // [B * K, 1, D]
  const auto result = feed_forward_connection_(
      after_cross_attention, [&](const at::Tensor& input) { return feed_forward_(input, pass); },
      pass);  // [B * K, 1, D]
  if (pass.probe != nullptr) pass.probe->output(site(), result);
  return result;
}

DecoderCache DecoderImpl::start(const Memory& memory, const Pass& pass) {
  DecoderCache cache(memory.value, memory.mask);
  for (const auto& layer : layers_) cache.layers.push_back(layer->start(memory.value, pass));
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
  return modules_.decoder->start({memory, probed_mask(source_mask, memory, pass)}, pass);
}

at::Tensor EncoderDecoderImpl::step(const at::Tensor& tokens, DecoderCache& cache, const Pass& pass) {
  const auto B = cache.sentences, K = cache.rows;
  expect_shape(tokens, {B, K}, "tokens");
  const auto ids = tokens.reshape({B * K, 1});
  const auto y = embed(modules_.target, ids, cache.position, pass, "target_embedding");  // [B * K, 1, D]
  return modules_.decoder->step(y, cache, pass).squeeze(1);                              // [B * K, D]
}

}  // namespace gloss
