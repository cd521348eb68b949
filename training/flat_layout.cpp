#include "training/flat_layout.h"

#include <algorithm>

namespace gloss {
namespace {

constexpr std::int64_t kLine = 16;  // floats of a cache line

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

FlatLayout::FlatLayout(const std::vector<at::Tensor>& parameters, std::int64_t processes) : processes_(processes) {
  std::int64_t size = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    offsets_.push_back(size);
    for (std::int64_t begin = 0; begin < parameters[i].numel();) {
      const auto offset = size + begin;
      const auto count = std::min(parameters[i].numel() - begin, kChunk - offset % kChunk);
      pieces_.push_back({i, begin, offset, count});
      begin += count;
    }
    size += rounded_up(parameters[i].numel(), kLine);
  }
  chunks_of_slice_ = rounded_up(size, kChunk * processes) / (kChunk * processes);
  std::size_t piece = 0;
  for (std::int64_t chunk = 0; chunk <= chunks_of_slice_ * processes; ++chunk) {
    begins_.push_back(piece);
    while (piece < pieces_.size() && pieces_[piece].offset < (chunk + 1) * kChunk) ++piece;
  }
}

}  // namespace gloss
