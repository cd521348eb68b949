#include "data/aligned_reader.h"

#include <utility>

#include "common/text/format.h"
#include "common/text/printable.h"

namespace gloss {

std::string names_of(const TextFiles& files) {
  return printable(files.source.string()) + " and " + printable(files.target.string());
}

AlignedReader::AlignedReader(const TextFiles& files, std::function<void()> before_pair, Sums* sums)
    : files_(files),
      source_(files.source, Passes::kSeveral, sums != nullptr ? &sums->source : nullptr),
      target_(files.target, Passes::kSeveral, sums != nullptr ? &sums->target : nullptr),
      before_pair_(std::move(before_pair)) {
  if (!files.alignment.empty())
    alignment_.emplace(files.alignment, Passes::kSeveral, sums != nullptr ? &sums->alignment : nullptr);
}

bool AlignedReader::next(LinePair& pair) {
  if (before_pair_) before_pair_();
  pair.has_source = source_.next(pair.source);
  pair.has_target = target_.next(pair.target);
  pair.has_alignment = alignment_ && alignment_->next(pair.alignment);
  return pair.has_source || pair.has_target || pair.has_alignment;
}

void AlignedReader::expect_equal_lines() const {
  gloss::expect_equal_lines(files_.source.string(), source_lines(), files_.target.string(), target_lines());
  if (alignment_)
    gloss::expect_equal_lines(files_.source.string(), source_lines(), files_.alignment.string(),
                              alignment_->line_number());
}

}  // namespace gloss
