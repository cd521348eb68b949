#include "documents/formats/yaml_strings.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "documents/formats/yaml_scalar.h"
#include "documents/markup/text_values.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxYamlBytes = 8 << 20;  // yaml-cpp takes about a hundred bytes for each of them

struct YamlValue {
  YamlScalar scalar;
  std::string path;
};

/// Collects the text values from yaml-cpp's events.
class YamlCollector final : public YAML::EventHandler {
 public:
  YamlCollector(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::vector<YamlValue> values;
  std::vector<YamlScalar> top_keys;  ///< of all documents

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { end_value(""); }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { end_value("*"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    const bool is_top_key = levels_.size() == 1 && levels_[0].awaits_key;
    const bool is_constant = tag != "!" && is_yaml_constant(value);  // "!": in quotes
    const bool is_value =
        (levels_.empty() || !levels_.back().awaits_key) && !is_ignored() && is_of_text(tag) && !is_constant;
    if (is_top_key || (is_value && is_translatable_value(value))) {
      const bool in_brackets = !levels_.empty() && levels_.back().in_brackets;
      auto scalar = find_yaml_scalar(bytes_, static_cast<std::size_t>(mark.pos), value, in_brackets);
      if (scalar && is_top_key)
        top_keys.push_back(*std::move(scalar));
      else if (scalar)
        values.push_back({*std::move(scalar), path()});
    }
    end_value(value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value style) override {
    open(mark, tag, style, /*is_map=*/false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    open(mark, tag, style, /*is_map=*/true);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    bool is_map = false, awaits_key = false;
    bool in_brackets = false;
    bool is_ignored = false;  ///< a key, or of a type of its own
    std::size_t index = 0;
    std::string key, path;
  };

  static bool is_of_text(std::string_view tag) {
    return tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str";
  }
  static bool is_of_collection(std::string_view tag) {
    return tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:map" || tag == "tag:yaml.org,2002:seq";
  }
  bool is_ignored() const { return !levels_.empty() && levels_.back().is_ignored; }

  void open(const YAML::Mark& mark, std::string_view tag, YAML::EmitterStyle::value style, bool is_map) {
    if (levels_.size() == kMaxDepth)
      throw DataError(name_ + ": line " + std::to_string(mark.line + 1) + ": wanted at most " +
                      std::to_string(kMaxDepth) + " levels, got more");
    const bool is_key = !levels_.empty() && levels_.back().awaits_key;
    const bool in_brackets = style == YAML::EmitterStyle::Flow || (!levels_.empty() && levels_.back().in_brackets);
    levels_.push_back({.is_map = is_map,
                       .awaits_key = is_map,
                       .in_brackets = in_brackets,
                       .is_ignored = is_ignored() || is_key || !is_of_collection(tag),
                       .key = {},
                       .path = path()});
  }
  void close() {
    levels_.pop_back();
    end_value("");
  }
  void end_value(std::string_view text) {
    if (levels_.empty()) return;
    auto& level = levels_.back();
    ++level.index;
    if (level.awaits_key) level.key = printable(text, 200);
    level.awaits_key = level.is_map && !level.awaits_key;
  }

  /// Returns the path of the next value. Its length is limited.
  std::string path() const {
    if (levels_.empty()) return {};
    const auto& level = levels_.back();
    if (!level.is_map) return printable(level.path + '[' + std::to_string(level.index) + ']', 200);
    return printable(level.path.empty() ? level.key : level.path + '.' + level.key, 200);
  }

  std::string_view bytes_;
  const std::string& name_;
  std::vector<Level> levels_;
};

}  // namespace

Passage read_yaml(std::string bytes, const DocumentOptions& options) {
  Passage passage{.bytes = std::move(bytes), .units = {}, .render = {}};
  if (passage.bytes.size() > kMaxYamlBytes)
    throw DataError(options.name + ": wanted YAML of at most " + bytes_text(kMaxYamlBytes) +
                    ", because it is read as a whole; split it");
  std::istringstream stream(passage.bytes);
  YamlCollector collector(passage.bytes, options.name);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(collector)) continue;
  } catch (const YAML::Exception& error) {
    throw DataError(options.name + ": line " + std::to_string(error.mark.line + 1) +
                    ": wanted YAML, got a fault: " + printable(error.msg, 200));
  }
  const auto line_end = passage.bytes.find("\r\n") == passage.bytes.npos ? "\n" : "\r\n";
  std::vector<YamlScalar> scalars;
  std::vector<Replacement> fixed;
  const auto& keys = collector.top_keys;
  if (keys.size() == 1 && !options.target_language.empty() &&
      with_hyphens(keys[0].text) == with_hyphens(options.source_language))
    fixed.push_back({keys[0].range, {spelled_yaml(keys[0], options.target_language, line_end)}});
  for (auto& value : collector.values) {
    passage.units.push_back({.id = std::move(value.path), .source = {value.scalar.text, {}}});
    scalars.push_back(std::move(value.scalar));
  }
  if (scalars.empty()) return passage;
  passage.render = [scalars = std::move(scalars), fixed = std::move(fixed), line_end](auto translations) {
    auto replacements = fixed;
    for (std::size_t i = 0; i < scalars.size(); ++i)
      if (const auto text = with_element_texts(translations[i]).target.text; text != scalars[i].text)
        replacements.push_back({scalars[i].range, {spelled_yaml(scalars[i], text, line_end)}});
    return replacements;
  };
  return passage;
}

}  // namespace gloss
