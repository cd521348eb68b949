#include "evaluation/statistics/resampling_seed.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "evaluation/tokenize/characters.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxDigits = 4300;  // limit of Python's int()

/// Computes words * 10 + digit.
void append_digit(std::vector<std::uint32_t>& words, char digit) {
  auto carry = static_cast<std::uint64_t>(digit - '0');
  for (auto& word : words) {
    carry += std::uint64_t{word} * 10;
    word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) words.push_back(static_cast<std::uint32_t>(carry));
}

/// Returns "12345" for " +012_345", or nothing if Python's int() does not accept the text as a nonnegative number.
std::optional<std::string> decimal_digits(std::string_view text) {
  text = strip(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  bool after_digit = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c != '_' || !after_digit)) return std::nullopt;
    if (digit) digits += c;
    after_digit = digit;
  }
  if (!after_digit || digits.size() > kMaxDigits) return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (negative && digits != "0") return std::nullopt;
  return digits;
}

void draw_words(std::vector<std::uint32_t>& words) {
  try {
    std::random_device entropy;
    for (auto& word : words) word = entropy();
  } catch (const std::exception& error) {
    throw IoError("seed none: the system gives no random numbers (" + printable(error.what()) + "); give a number");
  }
}

}  // namespace

ResamplingSeed ResamplingSeed::from_environment() {
  const char* text = std::getenv("SACREBLEU_SEED");
  if (text == nullptr) return {};
  if (auto seed = parse(text)) return *std::move(seed);
  throw UsageError("SACREBLEU_SEED: wanted a whole number from 0, or none, got \"" + printable(text) + '"');
}

std::optional<ResamplingSeed> ResamplingSeed::parse(const std::string& text) {
  ResamplingSeed seed{{}, lower(text), {}};
  if (seed.text == "none") {
    seed.number = seed.text;
    seed.words.resize(4);
    draw_words(seed.words);
    return seed;
  }
  const auto digits = decimal_digits(text);
  if (!digits) return std::nullopt;
  seed.number = *digits;
  for (const char digit : *digits) append_digit(seed.words, digit);
  return seed;
}

}  // namespace gloss
