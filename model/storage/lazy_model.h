#pragma once

#include <functional>
#include <memory>
#include <string>

#include <c10/core/Device.h>
#include <torch/nn/module.h>

#include "common/files/user_cache.h"
#include "model/encoder_decoder.h"
#include "model/shortlist.h"
#include "model/storage/stored_weights.h"

namespace gloss {

/// Returns a weight by the name that it has in a model file, on the CPU and in memory of its own.
using WeightSource = std::function<StoredWeight(const std::string& name)>;

/// Returns a source of the parameters of a module, with the values that they have when the source is called.
WeightSource weights_of(const torch::nn::Module& module);
/// Returns a source of the weights of a checked model file, as they are stored. Reading throws as read_weight.
WeightSource weights_of(const SafetensorsFile& file);

/// A network whose weights are loaded when they are needed: one by one, which is enough for an InferenceModel, or all
/// as an EncoderDecoder.
struct LazyModel {
  /// Holds a network that is loaded already.
  LazyModel(EncoderDecoder model);  // NOLINT(google-explicit-constructor)
  /// `load` is called once, when the network is needed first. Copies of the LazyModel share the result, and threads can
  /// call `network` at the same time.
  LazyModel(at::Device where, WeightSource source, std::function<EncoderDecoder()> load);

  at::Device device;  ///< of the network
  WeightSource weights;
  std::function<EncoderDecoder()> network;  ///< in float32, on `device`
  std::string header_sum = {};              ///< of the model file (SafetensorsFile::header_sum); empty: none
  UserCache cache = {};                     ///< for packed weights of the file
  std::shared_ptr<const Shortlist> shortlist = nullptr;  ///< of the model file, or null
};

/// Loads the network of `config` onto the model's device with all weights rounded to `type`, float16 or bfloat16. Its
/// norms and softmax compute in float32. Each call loads another one.
EncoderDecoder load_rounded(const LazyModel& model, const ModelConfig& config, at::ScalarType type);

}  // namespace gloss
