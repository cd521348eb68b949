#include "translation/models/input_scales.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <c10/core/InferenceMode.h>

#include "common/error.h"
#include "model/int8_rounding.h"
#include "model/padding.h"
#include "translation/translate_texts.h"

namespace gloss {
namespace {

constexpr double kDeviations = 1.1;  // standard deviations above the mean; larger inputs are cut

/// Records the largest magnitude of the inputs of each matrix in each pass.
class InputProbe final : public Probe {
 public:
  explicit InputProbe(const torch::nn::Module& network) {
    for (const auto& weight : network.named_parameters()) names_[weight.value().unsafeGetTensorImpl()] = weight.key();
  }
  void start_pass() { largest_.clear(); }
  void product(const at::Tensor& weight, const at::Tensor& x) override {
    auto& largest = largest_[names_.at(weight.unsafeGetTensorImpl())];
    largest = std::max(largest, x.abs().max().item<double>());
  }
  const std::map<std::string, double>& largest() const { return largest_; }

 private:
  std::map<const at::TensorImpl*, std::string> names_;
  std::map<std::string, double> largest_;  // in this pass
};

}  // namespace

std::map<std::string, float> measured_input_scales(const TranslationModel& model, std::span<const std::string> lines) {
  if (!model.config.model.is_transformer())
    throw UsageError("--calibrate: wanted a transformer, whose products have scales of inputs, got another network");
  auto decoding = model.config.decoding;
  decoding.beam_size = decoding.n_best = 1;
  decoding.sampling.enabled = false;
  const auto translator = model.translator(WeightPrecision::kFloat32);
  const auto translations = translate_texts(translator, decoding, lines, "calibrating");
  auto network = model.file.model.network();
  InputProbe probe(*network);
  const Pass pass{.probe = &probe, .plain = true};
  const c10::InferenceMode inference;
  std::map<std::string, std::vector<double>> seen;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (translations[i].text.empty()) continue;
    const std::array sources{translator.encode_source(lines[i]).ids};
    std::array targets{translator.encode_target(translations[i].text)};
    auto& target = targets.front();
    target.resize(std::min(target.size(), static_cast<std::size_t>(model.config.max_target_length() - 1)));
    target.push_back(kEos);
    probe.start_pass();
    const auto x = network->forward(pad(sources, at::kCPU), shift_target(targets, at::kCPU).input, pass);
    probe.product(network->generator()->weight(), x);
    for (const auto& [name, largest] : probe.largest()) seen[name].push_back(largest);
  }
  if (seen.empty()) throw UsageError("--calibrate: wanted lines that the model translates, got none");
  std::map<std::string, float> scales;
  for (const auto& [name, values] : seen) {
    double sum = 0, squares = 0;
    for (const auto value : values) {
      sum += value;
      squares += value * value;
    }
    const auto mean = sum / static_cast<double>(values.size());
    const auto deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(values.size()) - mean * mean));
    const auto scale = static_cast<float>((mean + kDeviations * deviation) / kMaxInt8);
    if (scale > 0 && std::isfinite(1 / scale)) scales[name] = scale;
  }
  return scales;
}

}  // namespace gloss
