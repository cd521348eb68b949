#pragma once

#include <string>
#include <utility>

#include <torch/nn/module.h>

namespace gloss {

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
