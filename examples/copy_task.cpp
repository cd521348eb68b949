// The copy task: builds the Transformer from its parts, trains it to repeat sentences of random tokens, decodes new
// ones greedily, and checks that the copies are exact. Prints the loss as it falls; takes some seconds.
#include <cmath>
#include <cstdio>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>

#include "common/special_ids.h"
#include "model/encoder_decoder.h"
#include "model/weights.h"
#include "tensor/to_device.h"
#include "training/adam.h"
#include "training/label_smoothing.h"
#include "training/schedule.h"

namespace {

using namespace gloss;

constexpr std::int64_t kVocabulary = 14, kMaxTokens = 8, kBatch = 64, kUpdates = 1500;

/// Sentences of 3 to 8 random tokens and eos, another batch for each number.
std::vector<Ids> random_sentences(std::uint32_t number) {
  const auto random = RandomStream(1, "sentences").at(number);
  std::uint64_t drawn = 0;
  std::vector<Ids> sentences(kBatch);
  for (auto& sentence : sentences) {
    sentence.resize(3 + random.below(kMaxTokens - 2, drawn++));
    for (auto& id : sentence) id = static_cast<Id>(kSpecialIds + random.below(kVocabulary - kSpecialIds, drawn++));
    sentence.push_back(kEos);
  }
  return sentences;
}

EncoderDecoder build_from_parts() {
  ModelConfig config;  // sizes of the parts; the rest are defaults, such as pre-norm
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 64;
  config.d_ff = 128;
  config.heads = 4;
  config.dropout = 0;

  EncoderDecoderModules modules;
  modules.encoder = Encoder(config);
  modules.decoder = Decoder(config);
  modules.source.embedding = modules.target.embedding = Embedding(kVocabulary, config.d_model);  // one for both sides
  modules.source.positions = modules.target.positions = PositionalEncoding(config.d_model);      // sinusoids
  modules.generator = Generator(modules.target.embedding->weight());                             // tied
  EncoderDecoder model(modules);
  initialize(*model, RandomStream(1, "weights"));
  return model;
}

void train(EncoderDecoder& model, const Pass& pass) {
  TrainingConfig config;
  config.schedule = ScheduleKind::kInverseSqrt;
  config.learning_rate = 0.002;
  config.warmup_steps = 100;
  Adam adam(named_parameters(model), config);
  for (std::int64_t step = 1; step <= kUpdates; ++step) {
    const auto sentences = random_sentences(static_cast<std::uint32_t>(step));
    const auto target = shift_target(sentences, at::kCPU);                     // bos + tokens; tokens + eos
    const auto output = model(pad(sentences, at::kCPU), target.input, pass);   // [B, T, D]
    const auto log_p = model->generator()->forward(output).flatten(0, 1);      // [B * T, V]
    const auto loss = label_smoothed_loss(log_p, target.labels.flatten(), 0);  // padding does not count
    const auto tokens = target.labels.ne(kPad).sum().item<double>();
    adam.set_gradients(gradients_of(loss.smoothed_sum / tokens, adam.trained()));
    adam.step({.step = step, .learning_rate = learning_rate(config, 64, step)});
    if (step % (step < 200 ? 20 : 100) == 0)
      std::printf("update %3d: %.4f nats a token\n", static_cast<int>(step), loss.nll_sum.item<double>() / tokens);
  }
}

/// The likeliest token at each step, until eos.
Ids greedy(EncoderDecoder& model, const Ids& sentence, const Pass& pass) {
  const at::NoGradGuard no_grad;
  const auto source = pad(std::vector<Ids>{sentence}, at::kCPU);  // [1, S]
  const auto memory = model->encode(source, pass);                // [1, S, D]
  Ids target{kBos};
  while (target.back() != kEos && std::ssize(target) <= kMaxTokens + 1) {
    const auto output =
        model->decode(pad(std::vector<Ids>{target}, at::kCPU), memory, Mask::padding(source.lengths), pass);
    const auto log_p = model->generator()->forward(output.select(1, -1));  // [1, V], after the last token
    target.push_back(static_cast<Id>(log_p.argmax(-1).item<std::int64_t>()));
  }
  target.erase(target.begin());
  return target;
}

}  // namespace

int main() {
  const Pass training{.training = true, .plain = true}, inference{.plain = true};  // the equations alone
  auto model = build_from_parts();
  train(model, training);
  int exact = 0;
  const auto unseen = random_sentences(0);
  for (const auto& sentence : unseen) exact += greedy(model, sentence, inference) == sentence ? 1 : 0;
  std::printf("%d of %d copies are exact\n", exact, static_cast<int>(unseen.size()));
  return exact == static_cast<int>(unseen.size()) ? 0 : 1;
}
