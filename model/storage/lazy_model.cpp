#include "model/storage/lazy_model.h"

#include <memory>
#include <mutex>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include "model/make_model.h"
#include "model/weights.h"

namespace gloss {
namespace {

/// Returns a function that calls `load` at its first call; if that throws, at the next one.
std::function<EncoderDecoder()> once(std::function<EncoderDecoder()> load) {
  struct State {
    std::mutex lock;
    std::function<EncoderDecoder()> load;
    EncoderDecoder model{nullptr};
  };
  auto state = std::make_shared<State>();
  state->load = std::move(load);
  return [state] {
    const std::scoped_lock locked(state->lock);
    if (!state->model) {
      const c10::InferenceMode off(false);  // the parameters stay usable outside of the caller's inference mode
      state->model = state->load();
      state->load = nullptr;
    }
    return state->model;
  };
}

}  // namespace

WeightSource weights_of(const torch::nn::Module& module) {
  return [parameters = module.named_parameters()](const std::string& name) {
    return StoredWeight(parameters[name].detach().to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true));
  };
}

WeightSource weights_of(const SafetensorsFile& file) {
  return [file](const std::string& name) { return read_weight(file, name); };
}

LazyModel::LazyModel(EncoderDecoder model)
    : device(model->device()), weights(weights_of(*model)), network([model = std::move(model)] { return model; }) {}

LazyModel::LazyModel(at::Device where, WeightSource source, std::function<EncoderDecoder()> load)
    : device(where), weights(std::move(source)), network(once(std::move(load))) {}

EncoderDecoder load_rounded(const LazyModel& model, const ModelConfig& config, at::ScalarType type) {
  const c10::InferenceMode off(false);
  const at::NoGradGuard no_grad;
  const auto pieces = [&](const char* embedding) {
    return model.weights(stored_name(embedding, config.tie_embeddings)).values.size(0);
  };
  auto network = make_uninitialized_model(config, {pieces(kSourceEmbedding), pieces(kTargetEmbedding)});
  network->to(model.device, type);
  for (const auto& item : network->named_parameters())
    item.value().copy_(in_half(model.weights(item.key()).to_float(), type));
  return network;
}

}  // namespace gloss
