#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "alignment/alignment_model.h"
#include "alignment/symmetrization.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// A job of `gloss align`.
struct TextAlignment {
  static constexpr std::size_t kMaxWords = 1000;  ///< a pair with a longer side gets no links

  std::filesystem::path source, target;
  std::shared_ptr<const Tokenizer> source_tokenizer, target_tokenizer;  ///< null: words between spaces
  AlignmentSettings model;
  int iterations = 5;  ///< passes after the first one; the last of them aligns
  Symmetrization symmetrization = Symmetrization::kGrowDiagFinalAnd;
  std::optional<std::filesystem::path> lexical_table, reverse_lexical_table;
  std::size_t best = 0;  ///< of LinkCounts::write
};

/// Aligns two texts, which are read once more in each pass, and hands on the links, a line for each pair, in the
/// Pharaoh format. A pair with an empty side has an empty line. Prints the perplexities of each pass. Throws DataError
/// if the numbers of lines differ, or if no pair has words on both sides, and Stopped after a signal.
void align_texts(const TextAlignment& job, const std::function<void(const std::string& lines)>& take);

}  // namespace gloss
