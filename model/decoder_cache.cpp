// Decoding token by token: each step computes one position and keeps its keys and values in a cache, in place of
// `forward` on all positions again. The equations are those of decoder.cpp.
#include "model/decoder_cache.h"

#include <algorithm>
#include <string>

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include "common/error.h"
#include "model/decoder.h"
#include "model/encoder_decoder.h"
#include "tensor/shape.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

constexpr std::int64_t kBlock = 32;  // positions by which the capacity grows

at::Device device_of(const LayerCache& layer) {
  return layer.cross_key.defined() ? layer.cross_key.device() : layer.state.device();
}

// Keeps cross-attention's keys and values of `sentences`, B' of them.
void keep_sentences(std::vector<LayerCache>& layers, const std::vector<std::int64_t>& sentences) {
  if (layers.empty()) return;
  const auto index = to_device(sentences, device_of(layers.front()));
  for (auto& layer : layers) {
    if (!layer.cross_key.defined()) continue;
    layer.cross_key = layer.cross_key.index_select(0, index);
    layer.cross_value = layer.cross_value.index_select(0, index);
  }
}

bool is_identity(const std::vector<std::int64_t>& values, std::int64_t count) {
  std::int64_t next = 0;
  return std::ssize(values) == count && std::ranges::all_of(values, [&](auto value) { return value == next++; });
}

}  // namespace

LayerCache cache_of_memory(MultiHeadAttention& cross_attention, const at::Tensor& memory, const Pass& pass) {
  const auto [key, value] = cross_attention->project(memory, pass);  // [B, H, S, d_k] each
  LayerCache cache;
  cache.cross_key = key.contiguous();
  cache.cross_value = value.contiguous();
  return cache;
}

DecoderCache::DecoderCache(const Memory& memory) : source_mask(memory.mask.cached()), sentences(memory.value.size(0)) {
  memory.mask.expect_fits(memory.value.size(0), memory.value.size(1));
}

KeysAndValues DecoderCache::append(std::size_t layer, const KeysAndValues& next) {
  const auto capacity = generated.defined() ? generated.size(3) : 0;
  if (position == capacity) {
    const auto& key = next.key;
    auto grown =
        at::empty({2 * std::ssize(layers), key.size(0), key.size(1), capacity + kBlock, key.size(3)}, key.options());
    if (generated.defined()) grown.narrow(3, 0, position).copy_(generated);
    generated = grown;
  }
  const auto append_to = [&](std::size_t place, const at::Tensor& x) {
    const auto buffer = generated.select(0, static_cast<std::int64_t>(place));  // [B * K, H, capacity, d_k]
    buffer.narrow(2, position, 1).copy_(x);
    return buffer.narrow(2, 0, position + 1);
  };
  return {append_to(2 * layer, next.key), append_to(2 * layer + 1, next.value)};
}

at::Tensor DecoderCache::attend(std::size_t layer, MultiHeadAttention& cross_attention, const at::Tensor& x,
                                const Pass& pass) const {
  const auto D = x.size(2);
  const KeysAndValues memory{layers[layer].cross_key, layers[layer].cross_value};
  return cross_attention->attend(x.view({sentences, rows, D}), memory, source_mask, pass)
      .view({sentences * rows, 1, D});
}

void DecoderCache::select(const std::vector<std::int64_t>& kept, const std::vector<std::int64_t>& parents) {
  const auto B = static_cast<std::int64_t>(kept.size());
  const auto K = B == 0 ? rows : static_cast<std::int64_t>(parents.size()) / B;
  if (static_cast<std::int64_t>(parents.size()) != B * K || (B > 0 && K == 0)) {
    throw ShapeError("parents: wanted the same number of rows for each of " + std::to_string(B) + " sentences, got " +
                     std::to_string(parents.size()));
  }
  std::vector<std::int64_t> previous_rows;  // [B' * K']
  previous_rows.reserve(parents.size());
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const auto sentence = kept[i / static_cast<std::size_t>(K)];
    index_below(sentence, sentences, "sentences");
    index_below(parents[i], rows, "parents");
    previous_rows.push_back(sentence * rows + parents[i]);
  }
  if (!layers.empty() && !is_identity(previous_rows, sentences * rows))
    keep_rows(to_device(previous_rows, device_of(layers.front())));
  if (!is_identity(kept, sentences)) {
    keep_sentences(layers, kept);
    source_mask = source_mask.select(kept);
  }
  sentences = B;
  rows = K;
}

void DecoderCache::reorder(const at::Tensor& index) {
  rows = index.size(0) / sentences;
  keep_rows(index);
}

/// Keeps the keys and values of self-attention and the states of rows.
void DecoderCache::keep_rows(const at::Tensor& index) {
  if (generated.defined()) {
    auto sizes = generated.sizes().vec();
    sizes[1] = index.size(0);
    auto kept = at::empty(sizes, generated.options());
    auto filled = kept.narrow(3, 0, position);
    at::index_select_out(filled, generated.narrow(3, 0, position), 1, index);
    generated = kept;
  }
  for (auto& layer : layers)
    if (layer.state.defined()) layer.state = layer.state.index_select(0, index);
}

LayerCache DecoderLayerImpl::start(const at::Tensor& memory, const Pass& pass) {
  return cache_of_memory(cross_attention_, memory, pass);
}

at::Tensor DecoderLayerImpl::step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass) {
  const auto after_self_attention = self_attention_connection_(
      x,
      [&](const at::Tensor& input) { return self_attention_step(input, norms_keys_ ? input : x, cache, index, pass); },
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

at::Tensor DecoderLayerImpl::self_attention_step(const at::Tensor& input, const at::Tensor& keys, DecoderCache& cache,
                                                 std::size_t index, const Pass& pass) {
  const auto next = self_attention_->project(keys, pass);                    // [B * K, H, 1, d_k]
  const auto generated = cache.append(index, next);                          // [B * K, H, position + 1, d_k]
  return self_attention_->attend(input, generated, Mask::unmasked(), pass);  // the cache has no later position
}

DecoderCache DecoderImpl::start(const Memory& memory, const Pass& pass) {
  DecoderCache cache(memory);
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
