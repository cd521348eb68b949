#include "data/hold_out.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <unordered_map>

#include "common/files/line_reader.h"
#include "common/text/utf8.h"
#include "common/text/white_space.h"

namespace gloss {
namespace {

// Pairs from which the held-out ones are taken: those with the smallest hashes.
constexpr std::size_t kCandidates = 8192;
constexpr std::size_t kMaxLineBytes = 1000;  // of a candidate; longer lines are no usual sentences

// FNV-1a with the last mixing step of SplitMix64. The choice must not depend on the standard library.
std::uint64_t stable_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebU;
  return hash ^ hash >> 31;
}

struct PairHashes {
  std::uint64_t source, target;

  PairHashes(std::string_view source_line, std::string_view target_line)
      : source(stable_hash(source_line)), target(stable_hash(target_line)) {}
  std::uint64_t pair() const {
    const std::array sides{source, target};
    return stable_hash({reinterpret_cast<const char*>(sides.data()), sizeof sides});
  }
};

bool is_usable(std::string_view line) { return line.find_first_not_of(kAsciiSpace) != line.npos && is_text(line); }

template <typename Use>
void for_each_pair(const std::filesystem::path& source, const std::filesystem::path& target,
                   const std::function<void()>& before_pair, Use use) {
  LineReader sources(source), targets(target);
  for (std::string source_line, target_line; sources.next(source_line) && targets.next(target_line);) {
    if (before_pair) before_pair();
    if (sources.overlong() || targets.overlong() || !is_usable(source_line) || !is_usable(target_line)) continue;
    use(source_line, target_line);
  }
}

// The candidate that has a line on one side, and whether another pair has the line, too.
struct LineOwner {
  std::uint64_t pair;
  bool shared = false;
};
using LineOwners = std::unordered_map<std::uint64_t, LineOwner>;

void add_owner(LineOwners& owners, std::uint64_t line, std::uint64_t pair) {
  const auto [place, is_new] = owners.try_emplace(line, LineOwner{pair});
  if (!is_new) place->second.shared = true;
}

void note_use(LineOwners& owners, std::uint64_t line, std::uint64_t pair) {
  const auto found = owners.find(line);
  if (found != owners.end() && found->second.pair != pair) found->second.shared = true;
}

}  // namespace

std::int64_t pairs_to_hold_out(std::int64_t pairs) {
  return std::min(std::clamp<std::int64_t>(pairs / 100, 50, 1000), pairs / 10);
}

HoldOut HoldOut::choose(const std::filesystem::path& source, const std::filesystem::path& target,
                        const std::function<void()>& before_pair) {
  HoldOut chosen;
  std::map<std::uint64_t, PairHashes> candidates;
  for_each_pair(source, target, before_pair, [&](const std::string& source_line, const std::string& target_line) {
    ++chosen.pairs_of_text_;
    if (std::max(source_line.size(), target_line.size()) > kMaxLineBytes) return;
    const PairHashes hashes(source_line, target_line);
    const auto pair = hashes.pair();
    if (candidates.size() == kCandidates && pair > candidates.rbegin()->first) return;
    candidates.emplace(pair, hashes);
    if (candidates.size() > kCandidates) candidates.erase(std::prev(candidates.end()));
  });

  LineOwners source_owners, target_owners;
  for (const auto& [pair, hashes] : candidates) {
    add_owner(source_owners, hashes.source, pair);
    add_owner(target_owners, hashes.target, pair);
  }
  std::unordered_map<std::uint64_t, std::pair<std::string, std::string>> lines;
  for_each_pair(source, target, before_pair, [&](const std::string& source_line, const std::string& target_line) {
    const PairHashes hashes(source_line, target_line);
    const auto pair = hashes.pair();
    note_use(source_owners, hashes.source, pair);
    note_use(target_owners, hashes.target, pair);
    if (candidates.contains(pair)) lines.try_emplace(pair, source_line, target_line);
  });

  const auto wanted = pairs_to_hold_out(chosen.pairs_of_text_);
  for (const auto& [pair, hashes] : candidates) {
    if (std::ssize(chosen.sources_) == wanted) break;
    if (source_owners.at(hashes.source).shared || target_owners.at(hashes.target).shared) continue;
    const auto found = lines.find(pair);
    if (found == lines.end()) continue;  // the text was changed between the two passes
    chosen.sources_.push_back(std::move(found->second.first));
    chosen.targets_.push_back(std::move(found->second.second));
    chosen.hashes_.insert(pair);
  }
  return chosen;
}

bool HoldOut::contains(std::string_view source, std::string_view target) const {
  return !hashes_.empty() && hashes_.contains(PairHashes(source, target).pair());
}

}  // namespace gloss
