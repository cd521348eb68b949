// A classifier from the parts of the Transformer: embeddings, positions, the encoder, the mean over the positions, and
// a linear map to the classes. It learns to tell the languages of the demo corpus apart by their letters, 12 of them
// cut from anywhere in a sentence, and is tested on sentences that it has not seen.
#include <cstdio>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <torch/nn/module.h>

#include "common/special_ids.h"
#include "data/demo_corpus.h"
#include "model/embedding.h"
#include "model/encoder.h"
#include "model/padding.h"
#include "model/pass.h"
#include "model/positional_encoding.h"
#include "model/weights.h"
#include "training/adam.h"
#include "training/label_smoothing.h"

namespace {

using namespace gloss;
using grammar::Language;

constexpr const char* kLanguages[] = {"English", "German", "Chinese"};
constexpr std::int64_t kClasses = 3, kBytes = kSpecialIds + 256, kBatch = 32, kUpdates = 600;
constexpr std::size_t kLength = 24;

class ClassifierImpl : public torch::nn::Module {
 public:
  explicit ClassifierImpl(const ModelConfig& config)
      : embedding_(register_module("source_embedding", Embedding(kBytes, config.d_model))),
        positions_(register_module("source_positions", PositionalEncoding(config.d_model))),
        encoder_(register_module("encoder", Encoder(config))),
        output_(register_module("output", Linear(config.d_model, kClasses))) {
    set_sites(*this);  // for dropout
  }

  /// Maps ids [B, S] to the log-probabilities of the classes [B, C].
  at::Tensor forward(const at::Tensor& ids, const Pass& pass) {
    const auto x = embedding_(ids, pass) + positions_(0, ids.size(1), ids.device());  // [B, S, D]
    const auto memory = encoder_(x, Mask::unmasked(), pass);                          // [B, S, D]
    return output_(memory.mean(1), pass).log_softmax(-1);                             // [B, C]
  }

 private:
  Embedding embedding_;
  PositionalEncoding positions_;
  Encoder encoder_;
  Linear output_;
};
TORCH_MODULE(Classifier);

struct Example {
  std::string text;
  std::int64_t language;
};

/// Pieces of the sentences, all of them of one length in bytes.
std::vector<Example> examples(const std::vector<DemoPair>& english_german,
                              const std::vector<DemoPair>& english_chinese) {
  std::vector<Example> result;
  const auto add = [&](const std::string& sentence, Language language) {
    if (sentence.size() < kLength) return;
    const auto first = RandomStream(1, sentence).below(sentence.size() - kLength + 1, 0);
    result.push_back({sentence.substr(first, kLength), static_cast<std::int64_t>(language)});
  };
  for (std::size_t i = 0; i < english_german.size(); ++i) {
    add(english_german[i].source, Language::kEnglish);
    add(english_german[i].target, Language::kGerman);
    add(english_chinese[i].target, Language::kChinese);
  }
  return result;
}

struct Texts {
  at::Tensor ids, wanted;  ///< [B, S], [B]
};
Texts texts_of(const std::vector<Example>& all, std::size_t first, std::size_t count) {
  std::vector<Ids> rows;
  std::vector<std::int64_t> wanted;
  for (std::size_t i = first; i < first + count; ++i) {
    const auto& [text, language] = all[i % all.size()];
    auto& ids = rows.emplace_back();
    for (const char byte : text) ids.push_back(kSpecialIds + static_cast<unsigned char>(byte));
    wanted.push_back(language);
  }
  return {pad(rows, at::kCPU).ids, at::tensor(wanted)};
}

}  // namespace

int main() {
  const auto german = draw_demo_corpus({.size = 2000});
  const auto chinese = draw_demo_corpus({.target = Language::kChinese, .size = 2000});
  const auto train = examples(german.train, chinese.train), test = examples(german.test, chinese.test);

  ModelConfig config;
  config.encoder_layers = 2;
  config.d_model = 32;
  config.d_ff = 64;
  config.heads = 4;
  Classifier model(config);
  initialize(*model, RandomStream(1, "weights"));

  std::vector<std::pair<std::string, at::Tensor>> parameters;
  for (const auto& item : model->named_parameters()) parameters.emplace_back(item.key(), item.value());
  Adam adam(std::move(parameters), TrainingConfig{});
  for (std::int64_t step = 1; step <= kUpdates; ++step) {
    const auto [ids, wanted] = texts_of(train, static_cast<std::size_t>(step * kBatch), kBatch);
    const auto random = RandomStream(1, "dropout").at(static_cast<std::uint32_t>(step));
    const auto log_p = model(ids, Pass{.training = true, .random = &random, .plain = true});
    const auto loss = -log_p.gather(1, wanted.unsqueeze(1)).mean();
    adam.set_gradients(gradients_of(loss, adam.trained()));
    adam.step({.step = step, .learning_rate = 0.003});
    if (step % 100 == 0) std::printf("update %3d: loss %.4f\n", static_cast<int>(step), loss.item<double>());
  }

  const at::NoGradGuard no_grad;
  const auto [ids, wanted] = texts_of(test, 0, test.size());
  const auto log_p = model(ids, Pass{.plain = true});
  const auto right = log_p.argmax(-1).eq(wanted).sum().item<std::int64_t>();
  for (std::size_t i = 0; i < 3; ++i)
    std::printf("%-14s %s, %.0f %%\n", test[i].text.c_str(),
                kLanguages[log_p[static_cast<std::int64_t>(i)].argmax().item<std::int64_t>()],
                100 * log_p[static_cast<std::int64_t>(i)].max().exp().item<double>());
  const auto share = static_cast<double>(right) / static_cast<double>(test.size());
  std::printf("%.1f %% of %d unseen texts are told apart\n", 100 * share, static_cast<int>(test.size()));
  return share > 0.97 ? 0 : 1;
}
