// Prints the shape of every value on the way of one batch through the Transformer, from ids to the loss. At the end a
// batch of vectors in place of tokens, [10, 5, 8], goes through a linear map and two layers of the encoder.
#include <cstdio>
#include <string>
#include <string_view>

#include <ATen/ops/ones.h>

#include "common/special_ids.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "training/label_smoothing.h"

namespace {

using namespace gloss;

void print(std::string_view name, const at::Tensor& x) {
  std::string shape;
  for (const auto size : x.sizes()) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  std::printf("%-38s [%s]\n", std::string(name).c_str(), shape.c_str());
}

/// Prints attention weights and outputs inside the model.
class ShapeProbe final : public Probe {
 public:
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor&) override {
    print("  " + std::string(site) + " weights", weights);
  }
  void output(std::string_view site, const at::Tensor& value) override { print("  " + std::string(site), value); }
};

ModelConfig small_config() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 16;
  config.d_ff = 32;
  config.heads = 4;
  return config;
}

void show_translation() {
  constexpr std::int64_t kVocabulary = 20;
  const auto config = small_config();
  auto model = make_model(config, {kVocabulary, kVocabulary}, RandomStream(1, "weights"));
  const std::vector<Ids> sources = {{5, 6, 7, 8, kEos}, {9, 10, kEos}}, targets = {{11, 12, kEos}, {13, 14, 15, kEos}};
  const auto source = pad(sources, at::kCPU);
  const auto target = shift_target(targets, at::kCPU);
  ShapeProbe probe;
  const Pass pass{.probe = &probe, .plain = true};

  std::printf(
      "B = 2 sentences, S = 5 source and T = 4 target positions, D = %d, H = %d, d_k = %d, d_ff = %d, V = %d\n\n",
      static_cast<int>(config.d_model), static_cast<int>(config.heads), static_cast<int>(config.d_model / config.heads),
      static_cast<int>(config.d_ff), static_cast<int>(kVocabulary));
  const auto mask = Mask::padding(source.lengths);
  print("source ids", source.ids);
  print("source mask", mask.visible(4, 5, at::kCPU));
  const auto memory = model->encode(source, pass);
  print("memory", memory);
  print("target input ids (bos + pieces)", target.input.ids);
  print("causal mask", Mask::causal().visible(4, 4, at::kCPU));
  const auto output = model->decode(target.input, memory, mask, pass);
  print("decoder output", output);
  const auto log_p = model->generator()->forward(output);
  print("log-probabilities", log_p);
  print("labels (pieces + eos)", target.labels);
  print("loss", label_smoothed_loss(log_p.flatten(0, 1), target.labels.flatten(), 0.1).smoothed_sum);

  std::printf("\nThe same, token by token: K = 1 row for each sentence\n\n");
  auto cache = model->start(memory, mask, pass);
  const auto step = model->step(target.input.ids.narrow(1, 0, 1), cache, pass);
  print("output of a step", step);
  print("log-probabilities of the next token", model->generator()->forward(step));
}

void show_vectors() {
  std::printf("\nVectors in place of tokens: 10 sequences of 5 vectors of width 8\n\n");
  const auto config = small_config();
  Linear input(8, config.d_model);
  EncoderLayer first(config), second(config);
  const RandomStream random(1, "weights");
  initialize(*input, random);
  initialize(*first, random.stream("first"));
  initialize(*second, random.stream("second"));
  const Pass pass{.plain = true};
  const auto x = at::ones({10, 5, 8});
  print("x", x);
  const auto widened = input(x, pass);
  print("after the linear map", widened);
  const auto one = first(widened, Mask::unmasked(), pass);
  print("after one encoder layer", one);
  print("after two", second(one, Mask::unmasked(), pass));
}

}  // namespace

int main() {
  show_translation();
  show_vectors();
}
