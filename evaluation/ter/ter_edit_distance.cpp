#include "evaluation/ter/ter_edit_distance.h"

#include <algorithm>
#include <cmath>

namespace gloss {
namespace {

constexpr std::int32_t kBeam = 25;
constexpr std::int32_t kNoWord = -2;
constexpr std::int32_t kUnreached = 1 << 30;

}  // namespace

void TerEditDistance::begin(TerWords reference, std::size_t length) {
  reference_.assign(1, kNoWord);
  reference_.insert(reference_.end(), reference.begin(), reference.end());
  const auto columns = static_cast<std::int32_t>(reference_.size());
  const double ratio = length == 0 ? 1 : static_cast<double>(reference.size()) / static_cast<double>(length);
  const auto beam = ratio / 2 > kBeam ? static_cast<std::int32_t>(std::ceil(ratio / 2 + kBeam)) : kBeam;

  rows_.assign(length + 1, {0, columns, columns, 0});
  for (std::size_t i = 1; i <= length; ++i) {
    const auto diagonal = static_cast<std::int32_t>(std::floor(static_cast<double>(i) * ratio));
    rows_[i].begin = std::max(0, diagonal - beam);
    if (i < length) rows_[i].end = std::min(columns, diagonal + beam);
  }
  std::ptrdiff_t cells = 0;
  for (std::size_t i = 0; i <= length; ++i) {
    auto& row = rows_[i];
    row.stored_end = i < length ? std::max(row.end, rows_[i + 1].end) : row.end;
    row.origin = cells - row.begin + 1;
    cells += row.stored_end - row.begin + 1;
  }
  cells_.resize(static_cast<std::size_t>(cells));
  std::size_t widest = 0;
  for (const auto& row : rows_) widest = std::max(widest, static_cast<std::size_t>(row.stored_end - row.begin + 1));
  above_.resize(widest);
  below_.resize(widest);

  cells_[0] = kUnreached;
  for (std::int32_t j = 0; j < columns; ++j) cells_[static_cast<std::size_t>(j) + 1] = j;
}

/// Computes row i of the matrix from the row above it. Both pointers refer to the column left of the row's first.
void TerEditDistance::next_row(std::size_t i, std::int32_t word, const std::int32_t* above, std::int32_t* row) const {
  const auto& geometry = rows_[i];
  const auto* reference = reference_.data() + geometry.begin;
  const auto width = geometry.end - geometry.begin;
  above += geometry.begin - rows_[i - 1].begin;
  auto left = *row = kUnreached;
  for (std::int32_t j = 0; j < width; ++j) {
    const auto kept_or_substituted = above[j] + (reference[j] != word);
    left = std::min({kept_or_substituted, above[j + 1] + 1, left + 1});
    row[j + 1] = left;
  }
  std::fill(row + 1 + width, row + 1 + (geometry.stored_end - geometry.begin), kUnreached);
}

std::int32_t TerEditDistance::set(TerWords hypothesis) {
  hypothesis_ = hypothesis;
  const auto left_of = [&](std::size_t i) { return cells_.data() + rows_[i].origin + rows_[i].begin - 1; };
  for (std::size_t i = 1; i <= hypothesis.size(); ++i) next_row(i, hypothesis[i - 1], left_of(i - 1), left_of(i));
  return cells_.back();
}

std::int32_t TerEditDistance::changed(TerWords hypothesis, std::size_t first) {
  const auto* above = cells_.data() + rows_[first].origin + rows_[first].begin - 1;
  for (std::size_t i = first + 1; i <= hypothesis.size(); ++i) {
    next_row(i, hypothesis[i - 1], above, below_.data());
    std::swap(above_, below_);
    above = above_.data();
  }
  return above[rows_.back().end - rows_.back().begin];
}

void TerEditDistance::align(TerAlignment& alignment) const {
  alignment.consumed.assign(reference_.size(), 0);
  alignment.wrong_reference.assign(reference_.size() - 1, 0);
  alignment.wrong_hypothesis.assign(hypothesis_.size(), 0);
  auto i = hypothesis_.size();
  for (auto j = reference_.size() - 1; i > 0 || j > 0;) {
    const auto column = static_cast<std::int32_t>(j);
    const auto wrong = j > 0 && i > 0 && hypothesis_[i - 1] != reference_[j];
    if (i > 0 && j > 0 && cell(i, column) == cell(i - 1, column - 1) + wrong) {
      alignment.consumed[j] = static_cast<std::int32_t>(i);
      alignment.wrong_hypothesis[--i] = alignment.wrong_reference[--j] = wrong;
    } else if (i > 0 && cell(i, column) == cell(i - 1, column) + 1) {
      alignment.wrong_hypothesis[--i] = 1;
    } else {
      alignment.consumed[j] = static_cast<std::int32_t>(i);
      alignment.wrong_reference[--j] = 1;
    }
  }
}

}  // namespace gloss
