#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gloss {

/// The seed of resampling, with sacreBLEU's environment variable.
struct ResamplingSeed {
  std::vector<std::uint32_t> words = {12345};  ///< argument of Pcg64
  std::string text = "12345";                  ///< in the signature of a single system: as written, in lower case
  std::string number = "12345";                ///< in the signature of a paired test: as a number, or "none"

  /// Returns the seed from SACREBLEU_SEED, or 12345 if it is not set. Throws UsageError if parse() fails.
  static ResamplingSeed from_environment();
  /// Parses a value that Python's int() accepts, in ASCII digits, or "none" in any case: a random seed from the
  /// system's entropy. In sacreBLEU's paired tests 0 means none; here 0 is an ordinary seed. Returns nothing for
  /// another text or a negative number. Throws IoError if the system has no entropy for "none".
  static std::optional<ResamplingSeed> parse(const std::string& text);
};

}  // namespace gloss
