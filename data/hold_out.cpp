#include "data/hold_out.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/random.h"

namespace gloss {
namespace {

// Number of pairs with the smallest hashes that are considered.
constexpr std::size_t kCandidates = 8192;
constexpr std::int64_t kPairsPerHeldOut = 10;  // at least, of the text with and without its repetitions
constexpr std::size_t kMaxLineBytes = 1000;    // of a candidate; longer lines are not ordinary sentences

// The standard library's hash may differ between versions.
std::uint64_t stable_hash(std::string_view bytes) { return mix_bits(fnv1a(bytes)); }

std::uint64_t stable_hash_of_pair(std::uint64_t source, std::uint64_t target) {
  const std::array sides{source, target};
  return stable_hash({reinterpret_cast<const char*>(sides.data()), sizeof sides});
}

// The candidate that has a certain line on one side, its repetitions in the text, and whether another pair has that
// line, too.
struct LineOwner {
  std::uint64_t pair;
  bool shared = false;
  std::int64_t repetitions = 0;
};
using LineOwners = std::unordered_map<std::uint64_t, LineOwner>;

void add_owner(LineOwners& owners, std::uint64_t line, std::uint64_t pair) {
  const auto [place, is_new] = owners.try_emplace(line, LineOwner{pair});
  if (!is_new) place->second.shared = true;
}

void note_use(LineOwners& owners, std::uint64_t line, std::uint64_t pair) {
  const auto found = owners.find(line);
  if (found == owners.end()) return;
  if (found->second.pair == pair)
    ++found->second.repetitions;
  else
    found->second.shared = true;
}

}  // namespace

std::int64_t pairs_to_hold_out(std::int64_t pairs) {
  return std::min(std::clamp<std::int64_t>(pairs / 100, 50, 1000), pairs / kPairsPerHeldOut);
}

void HoldOutChoice::add(std::string_view source, std::string_view target) {
  const auto hashes = pairs_.emplace_back(Sides{stable_hash(source), stable_hash(target)});
  if (std::max(source.size(), target.size()) > kMaxLineBytes) return;
  const auto pair = stable_hash_of_pair(hashes.source, hashes.target);
  if (candidates_.size() == kCandidates && pair > candidates_.rbegin()->first) return;
  candidates_.try_emplace(pair, Candidate{hashes, std::string(source), std::string(target)});
  if (candidates_.size() > kCandidates) candidates_.erase(std::prev(candidates_.end()));
}

HoldOut HoldOutChoice::choose() {
  LineOwners source_owners, target_owners;
  for (const auto& [pair, candidate] : candidates_) {
    add_owner(source_owners, candidate.hashes.source, pair);
    add_owner(target_owners, candidate.hashes.target, pair);
  }
  HoldOut chosen;
  chosen.pairs_of_text_ = std::ssize(pairs_);
  auto wanted = pairs_to_hold_out(chosen.pairs_of_text_);
  std::unordered_set<std::uint64_t> different;  // no more than decide the choice
  for (const auto& [source, target] : pairs_) {
    const auto pair = stable_hash_of_pair(source, target);
    note_use(source_owners, source, pair);
    note_use(target_owners, target, pair);
    if (std::ssize(different) < kPairsPerHeldOut * wanted) different.insert(pair);
  }
  wanted = std::min(wanted, std::ssize(different) / kPairsPerHeldOut);

  auto pairs_left = chosen.pairs_of_text_ / kPairsPerHeldOut;
  for (auto& [pair, candidate] : candidates_) {
    if (std::ssize(chosen.sources_) == wanted) break;
    const auto& owner = source_owners.at(candidate.hashes.source);
    if (owner.shared || target_owners.at(candidate.hashes.target).shared || owner.repetitions > pairs_left) continue;
    pairs_left -= owner.repetitions;
    chosen.sources_.push_back(std::move(candidate.source));
    chosen.targets_.push_back(std::move(candidate.target));
    chosen.hashes_.insert(pair);
  }
  candidates_.clear();
  pairs_.clear();
  return chosen;
}

bool HoldOut::contains(std::string_view source, std::string_view target) const {
  return !hashes_.empty() && hashes_.contains(stable_hash_of_pair(stable_hash(source), stable_hash(target)));
}

}  // namespace gloss
