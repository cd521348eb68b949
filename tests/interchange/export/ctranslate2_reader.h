#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// A variable of a model.bin, with the numbers of CTranslate2's types: 0 float32, 1 int8, 2 int16, 5 bfloat16.
struct ReadVariable {
  std::vector<std::uint32_t> shape;
  int type = 0;
  std::string bytes;

  std::vector<float> floats() const;   ///< of type 0
  std::vector<int> integers() const;   ///< of type 1 and 2
  std::vector<float> bfloats() const;  ///< of type 5
};

/// A model.bin, read by the description of the format, with none of the writer's code.
struct ReadModel {
  std::uint32_t version = 0, revision = 0;
  std::string spec;
  std::map<std::string, ReadVariable> variables;
  std::map<std::string, std::string> aliases;

  /// The value of a scalar of integers.
  int scalar(const std::string& name) const { return variables.at(name).integers().at(0); }
};

/// Throws std::runtime_error if the bytes end early, or go on after the aliases.
ReadModel read_ctranslate2_model(std::string_view bytes);

}  // namespace gloss
