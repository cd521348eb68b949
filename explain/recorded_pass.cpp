#include "explain/recorded_pass.h"

#include <array>
#include <cstdint>

#include <ATen/ops/cat.h>
#include <c10/core/InferenceMode.h>

namespace gloss {
namespace {

/// Keeps all values of a pass of one sentence, after the removals.
class RecordingProbe final : public RemovalProbe {
 public:
  RecordingProbe(std::vector<Removal> removed, RecordedPass& pass) : RemovalProbe(std::move(removed)), pass_(&pass) {}

  void embedding(std::string_view site, at::Tensor& tokens, at::Tensor& positions) override {
    RemovalProbe::embedding(site, tokens, positions);
    auto& kept = site == "source_embedding" ? pass_->source : pass_->target;
    kept = {on_cpu(tokens.select(0, 0)), on_cpu(positions)};
  }
  void attention(std::string_view site, at::Tensor& weights, const at::Tensor& value) override {
    RemovalProbe::attention(site, weights, value);
    auto& kept = pass_->attention[std::string(site)];
    kept = {after(kept.weights, weights.select(0, 0), 1), on_cpu(value.select(0, 0))};
  }
  void output(std::string_view site, const at::Tensor& value) override {
    RemovalProbe::output(site, value);
    auto& kept = pass_->outputs[std::string(site)];
    kept = after(kept, value.select(0, 0), 0);
  }

 private:
  static at::Tensor on_cpu(const at::Tensor& value) { return value.to(at::kCPU); }
  /// Appends `next` to `before` along `dimension`: a recurrent decoder's attention is recorded position by position.
  static at::Tensor after(const at::Tensor& before, const at::Tensor& next, std::int64_t dimension) {
    return before.defined() ? at::cat({before, on_cpu(next)}, dimension) : on_cpu(next);
  }

  RecordedPass* pass_;
};

}  // namespace

at::Tensor RecordedPass::Embedding::sum() const { return tokens + positions; }

at::Tensor RecordedPass::input(const std::string& side) const {
  if (const auto norm = outputs.find(side + "_embedding_norm"); norm != outputs.end()) return norm->second;
  return side == "source" ? source.sum() : target.sum();
}

RecordedPass record_pass(EncoderDecoder model, const SentenceIds& sentence, const std::vector<Removal>& removed) {
  const c10::InferenceMode inference;
  RecordedPass result;
  RecordingProbe probe(removed, result);
  const Pass pass{.probe = &probe, .plain = true};
  const auto source = pad(std::array{sentence.source}, model->device());
  const auto target = shift_target(std::array{sentence.target}, model->device());
  result.logits = model->generator()->logits(model->forward(source, target.input, pass)).select(0, 0).to(at::kCPU);
  return result;
}

}  // namespace gloss
