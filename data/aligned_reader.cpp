#include "data/aligned_reader.h"

#include <utility>

#include "common/text/printable.h"

namespace gloss {

std::string names_of(const TextFiles& files) {
  return printable(files.source.string()) + " and " + printable(files.target.string());
}

AlignedReader::AlignedReader(const std::filesystem::path& source, const std::filesystem::path& target,
                             std::function<void()> before_pair, Sums* sums)
    : source_(source, Passes::kSeveral, sums != nullptr ? &sums->source : nullptr),
      target_(target, Passes::kSeveral, sums != nullptr ? &sums->target : nullptr),
      before_pair_(std::move(before_pair)) {}

bool AlignedReader::next(LinePair& pair) {
  if (before_pair_) before_pair_();
  pair.has_source = source_.next(pair.source);
  pair.has_target = target_.next(pair.target);
  return pair.has_source || pair.has_target;
}

}  // namespace gloss
