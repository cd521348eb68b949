#include "model/fast/dropout_mask.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace gloss {

kernels::DropoutMask dropout_mask(double p, const Pass& pass, std::string_view site) {
  const auto stream = pass.stream(site);
  const double threshold = std::min(std::round(p * 0x1p32), 0x1p32 - 1);
  const auto key = stream.key();
  return {{key[0], key[1]},
          stream.update(),
          stream.shard(),
          static_cast<std::uint32_t>(threshold),
          static_cast<float>(1 / (1 - p))};
}

void keep(torch::autograd::AutogradContext& context, const kernels::DropoutMask& mask) {
  context.saved_data["mask"] =
      std::vector<std::int64_t>{mask.key[0], mask.key[1], mask.update, mask.shard, mask.threshold};
  context.saved_data["scale"] = static_cast<double>(mask.scale);
}

kernels::DropoutMask kept_mask(torch::autograd::AutogradContext& context) {
  const auto words = context.saved_data["mask"].toIntVector();
  const auto word = [&](std::size_t i) { return static_cast<std::uint32_t>(words[i]); };
  return {{word(0), word(1)}, word(2), word(3), word(4), static_cast<float>(context.saved_data["scale"].toDouble())};
}

}  // namespace gloss
