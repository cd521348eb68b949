#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "common/random.h"
#include "model/int8_scales.h"

namespace gloss {

class Mask;

/// Reads, or changes, values inside a forward pass, by their sites (SitedModule). Attention weights may be
/// changed in every pass; other values only while no gradients are recorded. Each function does nothing by default.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Receives the two terms of a network's input: embeddings [B, T, D] and positions [T, D]; in a step of decoding
  /// [B * K, 1, D] and [1, D]. Both may be replaced, but not changed in place.
  virtual void embedding(std::string_view /*site*/, at::Tensor& /*tokens*/, at::Tensor& /*positions*/) {}
  /// Receives the mask over the S source positions of B sentences, before the encoder or cross-attention uses it. It
  /// may be replaced by one that hides more (Mask::hiding), for example to measure the influence of a source token.
  virtual void source_mask(Mask& /*mask*/, std::int64_t /*B*/, std::int64_t /*S*/) {}
  /// Receives attention weights [B, H, T, S] before dropout, and the values [B, H, S, d_k]. The weights average the
  /// values and may be changed in place, for example to remove a head. In a step of decoding, self-attention has
  /// [B * K, H, 1, positions] and cross-attention [B, H, K, S]. A recurrent decoder calls this for one position after
  /// the other, T = 1.
  virtual void attention(std::string_view /*site*/, at::Tensor& /*weights*/, const at::Tensor& /*value*/) {}
  /// Receives the output [B, T, D] of a sublayer ("....feed_forward"), a layer ("encoder.layers.0") or a stack
  /// ("encoder"); in a step of decoding, and of a recurrent decoder's cross-attention, [B * K, 1, D]. The elements of a
  /// sublayer's output may be written, although the tensor is const.
  virtual void output(std::string_view /*site*/, const at::Tensor& /*value*/) {}
  /// Receives the weight [out, in] and the input [..., in] of each linear map; not of the generator, whose input is the
  /// network's output. All of them call it in a plain pass only.
  virtual void product(const at::Tensor& /*weight*/, const at::Tensor& /*x*/) {}
};

struct BatchContext;

/// The settings of one forward pass. No module stores it: it is an argument of every forward that has dropout, a probe
/// or a fast twin.
struct Pass {
  bool training = false;                 ///< dropout on
  const RandomStream* random = nullptr;  ///< numbers for dropout; required if training
  Probe* probe = nullptr;                ///< receives attention weights and outputs; may be null
  /// Only the equations of model/ run, by LibTorch's operators. Otherwise fast twins run, if there are any
  /// (model/fast/dispatch.h): the same numbers to rounding, except that on a GPU dropout draws other random numbers.
  bool plain = false;
  BatchContext* batch = nullptr;        ///< of a training pass, for norms over its positions; set by batch_loss
  Int8Scales int8 = Int8Scales::kNone;  ///< rounds the factors of products to int8 (model/int8_rounding.h)

  /// Returns the stream of random numbers of the dropout at `site`. Throws Error, a fault of the caller, without
  /// `random` or without a site.
  RandomStream stream(std::string_view site) const;
};

/// A module that knows its site: its path in the network, to which its tensors' names add ".weight" or another word.
/// Sites name places for the probe, and for the random numbers of a dropout:
///
///     encoder.layers.0                                     output of a layer
///     decoder.layers.0.self_attention                      output of a sublayer, and its dropout
///     decoder.layers.0.cross_attention.weights             dropout of attention weights
///     decoder.layers.0.feed_forward.inner                  dropout after the activation
///
/// Others are no modules: the outputs of the stacks, "encoder" and "decoder", and the sums of embeddings and positions,
/// "source_embedding" and "target_embedding".
class SitedModule : public torch::nn::Module {
 public:
  const std::string& site() const { return site_; }  ///< empty until it is set
  void set_site(std::string site) { site_ = std::move(site); }

 private:
  std::string site_;
};

/// Sets the site of each module inside `network`. EncoderDecoder calls it; a network of your own that has dropout has
/// to call it, too.
void set_sites(torch::nn::Module& network);

}  // namespace gloss
