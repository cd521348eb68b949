#include "explain/recorded_pass.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>

#include "model/mask.h"

namespace gloss {
namespace {

bool hides_source(const Removal& removal) { return !removal.part && removal.first < removal.last; }

/// Hides the source pieces in all rows of `hidden` [..., S].
void hide_pieces(const Removal& removal, const at::Tensor& hidden) {
  if (hides_source(removal)) hidden.narrow(-1, removal.first, removal.last - removal.first).fill_(true);
}

/// Sets the weights of a removed head to 0 in all rows of `weights` [B, H, T, S].
void remove_head(const Removal& removal, std::string_view site, const at::Tensor& weights) {
  if (removal.part && removal.part->kind == Part::Kind::kHead && removal.part->site() == site)
    weights.select(1, removal.part->head).zero_();
}

/// Returns whether the output of the sublayer at `site` is removed.
bool removes_output(const Removal& removal, std::string_view site) {
  if (!removal.part) return false;
  if (removal.part->kind == Part::Kind::kSublayer) return removal.part->site() == site;
  return removal.part->kind == Part::Kind::kLayer && site.starts_with(removal.part->site() + ".");
}

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

RemovalProbe::RemovalProbe(std::vector<Removal> everywhere, std::vector<Removal> by_row)
    : everywhere_(std::move(everywhere)), by_row_(std::move(by_row)) {}

void RemovalProbe::embedding(std::string_view /*site*/, at::Tensor& tokens, at::Tensor& positions) {
  for (const auto& [part, first, last] : everywhere_) {
    if (part && part->kind == Part::Kind::kTokens) tokens = at::zeros_like(tokens);
    if (part && part->kind == Part::Kind::kPositions) positions = at::zeros_like(positions);
  }
}

void RemovalProbe::source_mask(Mask& mask, std::int64_t B, std::int64_t S) {
  if (std::ranges::none_of(everywhere_, hides_source) && std::ranges::none_of(by_row_, hides_source)) return;
  const auto hidden = at::zeros({B, S}, at::kBool);
  for (const auto& removal : everywhere_) hide_pieces(removal, hidden);
  for (std::size_t b = 0; b < by_row_.size(); ++b)
    hide_pieces(by_row_[b], hidden.select(0, static_cast<std::int64_t>(b)));
  mask = mask.hiding(hidden);
}

void RemovalProbe::attention(std::string_view site, at::Tensor& weights, const at::Tensor& /*value*/) {
  for (const auto& removal : everywhere_) remove_head(removal, site, weights);
  for (std::size_t b = 0; b < by_row_.size(); ++b)
    remove_head(by_row_[b], site, weights.narrow(0, static_cast<std::int64_t>(b), 1));
}

void RemovalProbe::output(std::string_view site, const at::Tensor& value) {
  for (const auto& removal : everywhere_)
    if (removes_output(removal, site)) value.zero_();
  for (std::size_t b = 0; b < by_row_.size(); ++b)
    if (removes_output(by_row_[b], site)) value.select(0, static_cast<std::int64_t>(b)).zero_();
}

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
