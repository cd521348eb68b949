#include "model/inference/top_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <ATen/Parallel.h>

#include "kernels/kernel_table.h"
#include "model/inference/inference_rows.h"

namespace gloss {
namespace {

// The vocabulary is always summed in the same number of parts, so that sums do not depend on the number of threads.
constexpr std::int64_t kParts = 8;

/// Results of the kernel for each part of the vocabulary; the best tokens are those of all parts so far.
struct Found {
  Found(std::int64_t rows, std::int64_t width)
      : logits(static_cast<std::size_t>(rows * width), -std::numeric_limits<float>::infinity()),
        ids(static_cast<std::size_t>(rows * width), 0) {}

  std::vector<float> logits;
  std::vector<std::int32_t> ids;
};

/// [parts, rows] and [parts, rows, 16].
struct Sums {
  explicit Sums(std::int64_t row_count)
      : rows(row_count),
        max(static_cast<std::size_t>(kParts * rows)),
        lanes(static_cast<std::size_t>(kParts * rows * kernels::kSumLanes)) {}

  double log_normalizer(std::int64_t row) const {
    double highest = -std::numeric_limits<double>::infinity();
    for (std::int64_t part = 0; part < kParts; ++part)
      highest = std::max<double>(highest, max[static_cast<std::size_t>(part * rows + row)]);
    double total = 0;
    for (std::int64_t part = 0; part < kParts; ++part) {
      const auto at = static_cast<std::size_t>(part * rows + row);
      double sum = 0;
      for (std::int64_t lane = 0; lane < kernels::kSumLanes; ++lane)
        sum += lanes[at * kernels::kSumLanes + static_cast<std::size_t>(lane)];
      total += sum * std::exp(max[at] - highest);
    }
    return highest + std::log(total);
  }

  std::int64_t rows;
  std::vector<float> max, lanes;
};

/// Rows `first` to `last` - 1 and one part of the vocabulary.
struct Share {
  std::int64_t part, first, last;
};

/// Returns the kernel's arguments for a share of `whole`.
kernels::TopTokens job(const kernels::TopTokens& whole, Share share, Sums& sums, const PackedScratch& scratch) {
  const auto [part, first, last] = share;
  auto result = whole;
  result.scratch = scratch.data();
  const auto panels = kernels::panels_of(whole.matrix.columns);
  result.in.data += first * whole.in.stride;
  result.rows = last - first;
  result.first = panels * part / kParts;
  result.last = panels * (part + 1) / kParts;
  result.logits += first * whole.width;
  result.ids += first * whole.width;
  if (whole.all.data != nullptr) result.all.data += first * whole.all.stride;
  result.max = sums.max.data() + part * sums.rows + first;
  result.sums = sums.lanes.data() + (part * sums.rows + first) * kernels::kSumLanes;
  return result;
}

// Parts are ordered by id, so merging them in order keeps the order of ties.
void merge(const Found& part, std::int64_t rows, std::int64_t width, Found& into) {
  std::vector<std::pair<float, std::int32_t>> both;
  for (auto begin = std::int64_t{0}; begin < rows * width; begin += width) {
    both.clear();
    for (const auto* found : {static_cast<const Found*>(&into), &part}) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(begin + width); ++i)
        both.emplace_back(found->logits[i], found->ids[i]);
    }
    std::ranges::stable_sort(both, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto i = std::int64_t{0}; i < width; ++i) {
      std::tie(into.logits[static_cast<std::size_t>(begin + i)], into.ids[static_cast<std::size_t>(begin + i)]) =
          both[static_cast<std::size_t>(i)];
    }
  }
}

kernels::TopTokens whole_of(const kernels::PackedMatrix& matrix, kernels::Rows x, std::int64_t rows, std::int64_t width,
                            Found& target, kernels::MutableRows all) {
  kernels::TopTokens whole{x, rows, matrix};
  whole.width = width;
  whole.logits = target.logits.data();
  whole.ids = target.ids.data();
  whole.all = all;
  return whole;
}

TopTokens result_of(Found found, std::int64_t width, const Sums& sums) {
  TopTokens result{width, std::move(found.logits), std::move(found.ids), {}};
  for (std::int64_t row = 0; row < sums.rows; ++row) result.log_normalizers.push_back(sums.log_normalizer(row));
  return result;
}

/// Moves the logits of listed tokens, the first of a row of V, to the places of their ids.
void spread(const Ids& ids, float* row, std::int64_t V) {
  constexpr auto kNone = -std::numeric_limits<float>::infinity();
  std::fill(row + ids.size(), row + V, kNone);
  for (auto j = ids.size(); j-- > 0;) row[ids[j]] = std::exchange(row[j], kNone);  // ids ascend, so ids[j] >= j
}

}  // namespace

TopTokens top_tokens(const PackedLinear& generator, kernels::Rows x, std::int64_t rows, std::int64_t width,
                     kernels::MutableRows all) {
  const auto& kernel = *kernels::kernel_table().top_tokens;
  Sums sums(rows);
  Found found(rows, width);
  const auto into = [&](Found& target) { return whole_of(generator.matrix(), x, rows, width, target, all); };
  if (has_rows_for_threads(rows)) {
    const auto whole = into(found);
    over_rows(rows, [&](std::int64_t first, std::int64_t last) {
      const PackedScratch scratch(whole.matrix, last - first);
      for (std::int64_t part = 0; part < kParts; ++part) kernel(job(whole, {part, first, last}, sums, scratch));
    });
  } else {
    std::vector<Found> parts(kParts, found);
    const auto panels = std::max<std::int64_t>(1, kernels::panels_of(generator.out()) / kParts);
    at::parallel_for(0, kParts, (panels_a_thread(generator.matrix(), rows) + panels - 1) / panels,
                     [&](std::int64_t first, std::int64_t last) {
                       const PackedScratch scratch(generator.matrix(), rows);
                       for (auto part = first; part < last; ++part)
                         kernel(job(into(parts[static_cast<std::size_t>(part)]), {part, 0, rows}, sums, scratch));
                     });
    for (const auto& part : parts) merge(part, rows, width, found);
  }
  return result_of(std::move(found), width, sums);
}

TopTokens top_tokens(const TokenLists& lists, kernels::Rows x, std::int64_t rows, std::int64_t width,
                     kernels::MutableRows all) {
  const auto& kernel = *kernels::kernel_table().top_tokens;
  const auto K = rows / std::ssize(lists);  // rows of a sentence
  Sums sums(rows);
  Found found(rows, width);
  const auto search = [&](std::int64_t begin, std::int64_t end) {
    const PackedScratch scratch(lists.front()->matrix(), K);
    for (auto b = begin; b < end; ++b) {
      const auto& list = *lists[static_cast<std::size_t>(b)];
      const auto first = b * K, last = first + K;
      const auto whole = whole_of(list.matrix(), x, rows, width, found, all);
      for (std::int64_t part = 0; part < kParts; ++part) kernel(job(whole, {part, first, last}, sums, scratch));
      for (auto i = static_cast<std::size_t>(first * width); i < static_cast<std::size_t>(last * width); ++i)
        found.ids[i] = std::isinf(found.logits[i]) ? kPad : list.ids()[static_cast<std::size_t>(found.ids[i])];
      for (auto row = first; row < last && all.data != nullptr; ++row)
        spread(list.ids(), all.data + row * all.stride, all.stride);
    }
  };
  if (has_rows_for_threads(rows))
    at::parallel_for(0, std::ssize(lists), 1, search);
  else
    search(0, std::ssize(lists));
  return result_of(std::move(found), width, sums);
}

}  // namespace gloss
