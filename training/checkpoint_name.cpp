#include "training/checkpoint_name.h"

#include <algorithm>
#include <charconv>

namespace gloss {
namespace {

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kSuffix = ".safetensors";
constexpr std::size_t kDigits = 8;

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  const std::string digits = std::to_string(step);
  const std::string zeros(kDigits - std::min(kDigits, digits.size()), '0');
  return std::string(kPrefix) + zeros + digits + std::string(kSuffix);
}

std::optional<std::int64_t> checkpoint_step(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0 || name.size() < kDigits)
    return std::nullopt;
  return step;
}

}  // namespace gloss
