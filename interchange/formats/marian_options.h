#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/yaml.h"

namespace gloss {

/// The tensor of a model that holds its options.
inline constexpr std::string_view kMarianOptionsTensor = "special:model.yml";

/// An option of gloss's own in the models that it writes: the numbers of pieces of source and target that are in use.
/// The rows after them are unused. Marian ignores it.
inline constexpr std::string_view kUsedPiecesOption = "gloss-used-pieces";

/// Options of Marian: those within a model (special:model.yml) or those of decoder.yml. A missing key has the default
/// of marian_option_defaults(), and older names of a key are found under its present one.
///
///     const auto options = MarianOptions::of_model(*file);
///     if (options.text("type") != "transformer") ...
///     const auto layers = options.integer("enc-depth");
class MarianOptions {
 public:
  /// Parses a YAML map; `name` is the file's name in messages. Throws as parse_yaml.
  static MarianOptions parse(std::string_view yaml, std::string name);
  /// Reads a regular file of at most 1 MiB. Throws as parse, IoError.
  static MarianOptions read(const std::filesystem::path& path);
  /// Returns the options within a model. Throws ModelError if it has none.
  static MarianOptions of_model(const ForeignTensors& model);

  /// Returns whether the file has the key, under this or an older name.
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::vector<std::string> keys() const;  ///< as the file has them

  /// Return the value of a key, or else its default. Throw ModelError("name: key: wanted ..., got ...") if the value is
  /// of another kind, or if the key has neither value nor default.
  std::string text(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;  ///< finite
  bool flag(std::string_view key) const;
  /// Return a list. A single scalar counts as a list of one item, an empty value as an empty list.
  std::vector<std::string> texts(std::string_view key) const;
  std::vector<std::int64_t> integers(std::string_view key) const;

  /// Returns the text of the value in the file, for messages: "[1, 2]"; of a missing key, the default.
  std::string shown(std::string_view key) const;
  const std::string& name() const { return name_; }

 private:
  MarianOptions(YamlNode root, std::string name) : root_(std::move(root)), name_(std::move(name)) {}
  const YamlNode* find(std::string_view key) const;
  YamlNode value(std::string_view key) const;

  YamlNode root_;
  std::string name_;
};

/// A key of Marian that gloss reads, with the YAML value that Marian uses if the key is missing.
struct MarianOptionDefault {
  std::string_view key, value;
};
/// Returns the defaults of Marian's command line; sizes have no default, since every model has them.
const std::vector<MarianOptionDefault>& marian_option_defaults();

}  // namespace gloss
