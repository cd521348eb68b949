#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gloss {

/// Where resampling begins, as sacreBLEU takes it from the environment.
struct ResamplingSeed {
  std::vector<std::uint32_t> words = {12345};  ///< as Pcg64 takes it
  std::string text = "12345";                  ///< of a single system's signature: as it was written, in lower case
  std::string number = "12345";                ///< of a paired test's signature: as a number is written, or "none"

  /// Of SACREBLEU_SEED, 12345 where that is not set. Throws UsageError where parse() has none.
  static ResamplingSeed from_environment();
  /// Of such a value, which Python's int() would read, in ASCII digits; "none" in any case is by chance, from the
  /// system's entropy. sacreBLEU's paired tests take 0 for none: here 0 is a seed like others. Nothing where it is
  /// neither, or below 0. Throws IoError where the system has no entropy for "none".
  static std::optional<ResamplingSeed> parse(const std::string& text);
};

}  // namespace gloss
