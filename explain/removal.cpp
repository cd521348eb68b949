#include "explain/removal.h"

#include <algorithm>
#include <utility>

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

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

}  // namespace gloss
