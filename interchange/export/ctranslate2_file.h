#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

namespace gloss {

/// The variables of a model.bin of CTranslate2.
struct Ctranslate2Variables {
  /// Returns a variable on the CPU: float32, bfloat16, int8 or int16; no dimensions for a scalar. It is called once,
  /// when the variable is written, so that one variable at a time takes memory.
  using Values = std::function<at::Tensor()>;

  std::map<std::string, Values> values;        ///< by name
  std::map<std::string, std::string> aliases;  ///< other names of variables; they hold for their scales, too

  /// Adds a scalar: int8, which is also a flag or an enumeration, or int16.
  void add_number(const std::string& name, std::int64_t value, at::ScalarType type = at::kChar);
};

/// Writes the file atomically in version 6 of its format, with a TransformerSpec of revision 7. Throws UsageError if a
/// variable or a name is too large for the format; IoError.
void write_ctranslate2_file(const std::filesystem::path& path, const Ctranslate2Variables& variables);

}  // namespace gloss
