#pragma once

#include <cstdint>
#include <span>

namespace gloss {

struct CodePointRange {
  char32_t first, last;
};

/// Every `step`-th code point from `first` to `last` has its lower case at a distance of `difference`.
struct LowerRange {
  char32_t first, last;
  std::int32_t step, difference;
};

// In ascending order, without overlap. unicode_tables.cpp names the versions of Python, regex and Unicode.

std::span<const CodePointRange> punctuation_ranges();     ///< \p{P}
std::span<const CodePointRange> symbols_ranges();         ///< \p{S}
std::span<const CodePointRange> numbers_ranges();         ///< \p{N}
std::span<const CodePointRange> cased_ranges();           ///< a sigma after one may be final; not case-ignorable
std::span<const CodePointRange> case_ignorable_ranges();  ///< skipped by the rule of the final sigma
std::span<const LowerRange> lower_ranges();               ///< all but U+0130, which becomes two characters

}  // namespace gloss
