#include "interchange/formats/marian_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "common/error.h"
#include "common/text/printable.h"
#include "interchange/formats/model_text.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

struct OlderName {
  std::string_view key, older;
};
constexpr std::array<OlderName, 2> kOlderNames = {
    {{"transformer-train-positions", "transformer-train-position-embeddings"}, {"models", "model"}}};

// Returns the value of a default: one scalar, or a list without items.
YamlNode default_node(std::string_view value) {
  YamlNode node;
  node.kind = value == "[]" ? YamlNode::Kind::kList : YamlNode::Kind::kScalar;
  if (node.kind == YamlNode::Kind::kScalar) node.text = value;
  return node;
}

std::string shown_node(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return node.quoted || node.text.empty() ? '"' + node.text + '"' : node.text;
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kList:
      break;
  }
  std::string text;
  for (const auto& item : node.items) text += (text.empty() ? "" : ", ") + shown_node(item);
  return '[' + text + ']';
}

template <typename Number>
std::optional<Number> read_number(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar) return {};
  Number number{};
  const auto* const end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

std::vector<YamlNode> as_list(YamlNode node) {
  if (node.kind == YamlNode::Kind::kList) return std::move(node.items);
  if (node.kind == YamlNode::Kind::kNull) return {};
  return {std::move(node)};
}

[[noreturn]] void refuse(const std::string& file, std::string_view key, const std::string& wanted,
                         const YamlNode& got) {
  throw ModelError(file + ": " + std::string(key) + ": wanted " + wanted + ", got " + printable(shown_node(got), 80));
}

}  // namespace

MarianOptions MarianOptions::parse(std::string_view yaml, std::string name) {
  auto root = parse_yaml(yaml, name, {.bytes = kMaxBytes, .nodes = 100'000, .depth = 8});
  if (root.kind != YamlNode::Kind::kMap)
    throw ModelError(name + ": wanted options of Marian (a map of keys and values), got " +
                     printable(shown_node(root), 80));
  return {std::move(root), std::move(name)};
}

MarianOptions MarianOptions::read(const std::filesystem::path& path) {
  return parse(read_model_text(path, kMaxBytes), printable(path.string()));
}

MarianOptions MarianOptions::of_model(const ForeignTensors& model) {
  const auto name = model.name() + ": " + std::string(kMarianOptionsTensor);
  if (!model.has(kMarianOptionsTensor))
    throw ModelError(model.name() + ": wanted a tensor " + std::string(kMarianOptionsTensor) +
                     " with the options of training, got none; this is not a whole model of Marian");
  const auto info = model.info(kMarianOptionsTensor);
  if ((info.type != ForeignType::kI8 && info.type != ForeignType::kU8) || info.quantized)
    throw ModelError(name + ": wanted a text as int8, got " + shown_shape(info));
  if (element_count(info) > kMaxBytes)
    throw ModelError(name + ": wanted at most " + std::to_string(kMaxBytes) + " bytes, got " +
                     std::to_string(element_count(info)));
  const auto bytes = model.tensor(kMarianOptionsTensor).bytes;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return parse(text.substr(0, text.find('\0')), name);
}

std::vector<std::string> MarianOptions::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : root_.members) keys.push_back(key);
  return keys;
}

const YamlNode* MarianOptions::find(std::string_view key) const {
  const auto member = [&](std::string_view name) -> const YamlNode* {
    const auto found = std::ranges::find(root_.members, name, [](const auto& entry) { return entry.key; });
    return found == root_.members.end() ? nullptr : &found->value;
  };
  if (const auto* const value = member(key)) return value;
  for (const auto& [present, older] : kOlderNames)
    if (present == key) return member(older);
  return nullptr;
}

YamlNode MarianOptions::value(std::string_view key) const {
  if (const auto* const found = find(key)) return *found;
  const auto& defaults = marian_option_defaults();
  const auto known = std::ranges::find(defaults, key, &MarianOptionDefault::key);
  if (known == defaults.end())
    throw ModelError(name_ + ": " + std::string(key) + ": wanted a value, got none; the options are not whole");
  return default_node(known->value);
}

std::string MarianOptions::text(std::string_view key) const {
  auto node = value(key);
  if (node.kind == YamlNode::Kind::kNull) return {};
  if (node.kind != YamlNode::Kind::kScalar) refuse(name_, key, "a text", node);
  return std::move(node.text);
}

std::int64_t MarianOptions::integer(std::string_view key) const {
  const auto node = value(key);
  if (const auto number = read_number<std::int64_t>(node)) return *number;
  refuse(name_, key, "a whole number", node);
}

double MarianOptions::number(std::string_view key) const {
  const auto node = value(key);
  if (const auto number = read_number<double>(node); number && std::isfinite(*number)) return *number;
  refuse(name_, key, "a number", node);
}

bool MarianOptions::flag(std::string_view key) const {
  const auto node = value(key);
  auto word = node.text;
  // YAML has true, True and TRUE.
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (node.kind == YamlNode::Kind::kScalar) {
    if (word == "true" || word == "yes" || word == "on" || word == "y") return true;
    if (word == "false" || word == "no" || word == "off" || word == "n") return false;
  }
  refuse(name_, key, "true or false", node);
}

std::vector<std::string> MarianOptions::texts(std::string_view key) const {
  std::vector<std::string> texts;
  for (auto& item : as_list(value(key))) {
    if (item.kind != YamlNode::Kind::kScalar) refuse(name_, key, "a list of texts", item);
    texts.push_back(std::move(item.text));
  }
  return texts;
}

std::vector<std::int64_t> MarianOptions::integers(std::string_view key) const {
  std::vector<std::int64_t> integers;
  for (const auto& item : as_list(value(key))) {
    const auto number = read_number<std::int64_t>(item);
    if (!number) refuse(name_, key, "a list of whole numbers", item);
    integers.push_back(*number);
  }
  return integers;
}

std::string MarianOptions::shown(std::string_view key) const { return printable(shown_node(value(key)), 200); }

const std::vector<MarianOptionDefault>& marian_option_defaults() {
  static const std::vector<MarianOptionDefault> defaults{
      // The network.
      {"version", ""},
      {"transformer-heads", "8"},
      {"transformer-decoder-dim-ffn", "0"},
      {"transformer-decoder-ffn-depth", "0"},
      {"transformer-ffn-depth", "2"},
      {"transformer-ffn-activation", "swish"},
      {"transformer-preprocess", ""},
      {"transformer-postprocess", "dan"},
      {"transformer-postprocess-emb", "d"},
      {"transformer-postprocess-top", ""},
      {"transformer-decoder-autoreg", "self-attention"},
      {"transformer-rnn-projection", "false"},
      {"dec-cell", "gru"},
      {"transformer-tied-layers", "[]"},
      {"transformer-train-positions", "false"},
      {"transformer-no-projection", "false"},
      {"transformer-pool", "false"},
      {"guided-alignment", "none"},
      {"transformer-guided-alignment-layer", "last"},
      {"tied-embeddings", "false"},
      {"tied-embeddings-src", "false"},
      {"tied-embeddings-all", "false"},
      {"output-omit-bias", "false"},
      {"right-left", "false"},
      {"transformer-attention-mask", "default"},
      {"transformer-disable-position-embeddings", "false"},
      {"transformer-no-bias", "false"},
      {"transformer-no-affine", "false"},
      {"layer-normalization", "false"},
      // Inputs other than texts, and factors of words.
      {"input-types", "[]"},
      {"lemma-dim-emb", "0"},
      {"lemma-dependency", ""},
      {"factors-combine", "sum"},
      {"ulr", "false"},
      // The files of decoder.yml.
      {"models", "[]"},
      {"vocabs", "[]"},
  };
  return defaults;
}

}  // namespace gloss
