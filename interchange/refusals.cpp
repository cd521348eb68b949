#include "interchange/refusals.h"

#include <algorithm>
#include <utility>

namespace gloss {

void Refusals::add(std::string reason) {
  if (std::ranges::find(reasons_, reason) == reasons_.end()) reasons_.push_back(std::move(reason));
}

std::string Refusals::text() const {
  std::string text;
  for (const auto& reason : reasons_) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

}  // namespace gloss
