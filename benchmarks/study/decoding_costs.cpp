#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "benchmarks/study/best_seconds.h"
#include "benchmarks/study/figures.h"
#include "benchmarks/study/random_inputs.h"
#include "model/make_model.h"

namespace gloss::study {
namespace {

constexpr std::int64_t kSourceLength = 24;

/// One sentence that is ready to be decoded.
struct Decoded {
  EncoderDecoder model;
  at::Tensor memory;  ///< [1, S, D]
  Mask mask;
  Pass pass;

  /// The likeliest token that is a piece, after the output x [1, D]. No search ends early, so that every target has the
  /// wanted length.
  Id next_piece(const at::Tensor& x) const {
    const auto pieces = model->generator()->logits(x).narrow(-1, kSpecialIds, kVocabulary - kSpecialIds);
    return static_cast<Id>(kSpecialIds + pieces.argmax(-1).item<std::int64_t>());
  }

  /// The decoder's output [1, T, D] for all of `target` at once.
  at::Tensor parallel(const Ids& target) {
    return model->decode(pad(std::vector<Ids>{target}, at::kCPU), memory, mask, pass);
  }

  /// Greedy search with the cache. `outputs` gets the output [1, D] of each step.
  Ids cached(std::int64_t length, std::vector<at::Tensor>* outputs = nullptr) {
    Ids target{kBos};
    auto cache = model->start(memory, mask, pass);
    for (std::int64_t t = 0; t < length; ++t) {
      const auto output = model->step(at::full({1, 1}, target.back(), at::kLong), cache, pass);
      if (outputs != nullptr) outputs->push_back(output);
      target.push_back(next_piece(output));
    }
    return target;
  }

  /// Greedy search that computes all earlier positions again at each step.
  Ids uncached(std::int64_t length) {
    Ids target{kBos};
    for (std::int64_t t = 0; t < length; ++t) target.push_back(next_piece(parallel(target).select(1, -1)));
    return target;
  }
};

}  // namespace

Json decoding_costs(const ModelConfig& config, const std::vector<std::int64_t>& lengths, std::int64_t repeat) {
  const at::NoGradGuard no_grad;
  auto model = make_model(config, {kVocabulary, kVocabulary}, RandomStream(1, "weights"));
  const auto source = pad(random_sentences(1, kSourceLength, kVocabulary, "source"), at::kCPU);
  const Pass pass{.plain = true};
  Decoded sentence{
      .model = model, .memory = model->encode(source, pass), .mask = Mask::padding(source.lengths), .pass = pass};

  Json rows = Json::array();
  for (const auto length : lengths) {
    std::vector<at::Tensor> outputs;
    const auto target = sentence.cached(length, &outputs);
    const Ids input(target.begin(), target.end() - 1);
    const auto difference = (at::stack(outputs, 1) - sentence.parallel(input)).abs().max().item<double>();
    rows.push_back({{"length", length},
                    {"equal", sentence.uncached(length) == target},
                    {"difference", difference},
                    {"parallel_seconds", best_seconds(repeat, [&] { sentence.parallel(input); })},
                    {"cached_seconds", best_seconds(repeat, [&] { sentence.cached(length); })},
                    {"uncached_seconds", best_seconds(repeat, [&] { sentence.uncached(length); })}});
  }
  return {{"rows", rows}};
}

}  // namespace gloss::study
