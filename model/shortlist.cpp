#include "model/shortlist.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "common/error.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

void expect_tokens(const Ids& tokens, std::int64_t size, const char* name) {
  for (const auto id : tokens)
    if (id < 0 || id >= size)
      throw ModelError(std::string(name) + ": wanted tokens from 0 to " + std::to_string(size - 1) + ", got " +
                       std::to_string(id));
}

/// A set of tokens, as bits.
class TokenSet {
 public:
  explicit TokenSet(std::int64_t size) : size_(size), words_(static_cast<std::size_t>(size + 63) / 64) {}

  void add(std::span<const Id> ids) {
    for (const auto id : ids) {
      const auto index = index_below(id, size_, "tokens");
      words_[index / 64] |= std::uint64_t{1} << index % 64;
    }
  }
  Ids ascending() const {
    Ids ids;
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (auto left = words_[w]; left != 0; left &= left - 1)
        ids.push_back(static_cast<Id>(64 * w + static_cast<std::size_t>(std::countr_zero(left))));
    return ids;
  }

 private:
  std::int64_t size_;
  std::vector<std::uint64_t> words_;
};

}  // namespace

Shortlist::Shortlist(Table table, const Vocabularies& vocabularies)
    : table_(std::move(table)), target_size_(vocabularies.target) {
  const auto& [offsets, tokens, always] = table_;
  if (std::ssize(offsets) != vocabularies.source + 1)
    throw ModelError("shortlist.offsets: wanted " + std::to_string(vocabularies.source + 1) + " numbers, got " +
                     std::to_string(offsets.size()));
  if (offsets.front() != 0 || offsets.back() != std::ssize(tokens) || !std::ranges::is_sorted(offsets))
    throw ModelError("shortlist.offsets: wanted numbers that ascend from 0 to " + std::to_string(tokens.size()) +
                     ", the number of tokens");
  expect_tokens(tokens, target_size_, "shortlist.tokens");
  expect_tokens(always, target_size_, "shortlist.always");
  if (std::ranges::find(always, kEos) == always.end())
    throw ModelError("shortlist.always: wanted the end of a sentence among them (" + std::to_string(kEos) +
                     "), without which no translation ends");
}

Ids Shortlist::list(std::span<const std::int64_t> source, std::span<const Id> wanted) const {
  TokenSet set(target_size_);
  set.add(table_.always);
  set.add(wanted);
  for (const auto id : source) {
    const auto at = index_below(id, std::ssize(table_.offsets) - 1, "source");
    const auto first = static_cast<std::size_t>(table_.offsets[at]);
    set.add(std::span(table_.tokens).subspan(first, static_cast<std::size_t>(table_.offsets[at + 1]) - first));
  }
  return set.ascending();
}

}  // namespace gloss
