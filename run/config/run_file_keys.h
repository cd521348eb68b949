#pragma once

#include <cstdint>
#include <string>

#include "common/config/json.h"

namespace gloss {

/// Values of a run file by dotted keys, such as "model.d_model".
class RunFileKeys {
 public:
  /// `run_file` outlives it and may change.
  explicit RunFileKeys(const Json& run_file) : run_file_(&run_file) {}

  /// Returns the value of a key; null if the file does not set it.
  const Json* find(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }

  /// Returns a number, or `otherwise` if the key is open or has another type.
  double number(const std::string& key, double otherwise) const;
  /// As number, for a whole number, which it clamps to 32 bits; validation refuses larger ones later.
  std::int64_t whole(const std::string& key, std::int64_t otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  /// Returns a text; empty if the key is open or has another type.
  std::string text(const std::string& key) const;

 private:
  const Json* run_file_;
};

/// Sets a dotted key. Makes the sections that are missing. Throws UsageError if a section is a value.
void set_key(Json& run_file, const std::string& key, Json value);

}  // namespace gloss
