#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "decoding/hypothesis.h"
#include "decoding/phrase.h"
#include "translation/line_translator.h"

namespace gloss {

/// A line whose search is done.
struct SearchedLine {
  std::size_t index = 0;            ///< index into the lines of the request
  const Ids* source = nullptr;      ///< pieces and eos
  std::span<const Phrase> phrases;  ///< of the glossary
  std::string_view prefix;          ///< the beginning that was given; may be empty
  std::vector<Hypothesis> hypotheses;
  LineTranslation* translation = nullptr;  ///< has its source; `candidates` are to be filled
};

/// Fills the candidates of translations from their hypotheses: decodes them and computes the details that `options`
/// asks for. On the CPU the details of a line depend on the line alone, bit for bit. `before_step`, unless empty, is
/// called before each pass or step of a model, by one thread at a time; it may throw to leave.
void fill_candidates(const LineTranslator& translator, const DetailOptions& options, const DecodingConfig& config,
                     std::span<const SearchedLine> lines, const std::function<void()>& before_step = {});

}  // namespace gloss
