#include "interchange/formats/marian_options.h"

#include <array>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "interchange/formats/settings_file.h"
#include "interchange/formats/yaml.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

/// Values that Marian's command line has for keys that are missing. Sizes have none, since every model has them.
constexpr std::array<std::pair<const char*, std::string_view>, 36> kDefaults{{
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
}};

/// Present names of keys, and the older ones.
constexpr std::array<std::pair<const char*, const char*>, 2> kOlderNames{
    {{"transformer-train-positions", "transformer-train-position-embeddings"}, {"models", "model"}}};

std::string shown_node(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kNull) return "nothing";
  if (node.kind == YamlNode::Kind::kMap) return "a map";
  if (node.kind == YamlNode::Kind::kScalar) return node.quoted || node.text.empty() ? '"' + node.text + '"' : node.text;
  std::string text;
  for (const auto& item : node.items) text += (text.empty() ? "" : ", ") + shown_node(item);
  return '[' + text + ']';
}

Json json_of(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kNull) return nullptr;
  if (node.kind == YamlNode::Kind::kScalar) return node.text;
  auto json = node.kind == YamlNode::Kind::kMap ? Json::object() : Json::array();
  for (const auto& item : node.items)
    if (json.is_array())
      json.push_back(json_of(item));
    else
      json[item.key] = json_of(item);
  return json;
}

}  // namespace

MarianOptions parse_marian_options(std::string_view yaml, const std::string& name) {
  const auto root = parse_yaml(yaml, name, {.bytes = kMaxBytes, .nodes = 100'000, .depth = 8});
  if (root.kind != YamlNode::Kind::kMap)
    throw ModelError(name + ": wanted options of Marian (a map of keys and values), got " +
                     printable(shown_node(root), 80));
  MarianOptions options;
  const auto set = [&](const std::string& key, const YamlNode& node) {
    if (node.kind == YamlNode::Kind::kNull) return;
    options.values[key] = json_of(node);
    options.shown[key] = printable(shown_node(node), 200);
  };
  for (const auto& [key, value] : kDefaults) {
    YamlNode node;
    node.kind = value == "[]" ? YamlNode::Kind::kList : YamlNode::Kind::kScalar;
    node.text = value;
    set(key, node);
  }
  for (const auto& [present, older] : kOlderNames)
    for (const auto& item : root.items)
      if (item.key == older) set(present, item);
  for (const auto& item : root.items) {
    set(item.key, item);
    options.keys.push_back(item.key);
  }
  return options;
}

MarianOptions read_marian_options(const std::filesystem::path& path) {
  return parse_marian_options(read_model_text(path, kMaxBytes), printable(path.string()));
}

MarianOptions marian_options_of(const ForeignTensors& model) {
  const auto name = model.name() + ": " + std::string(kMarianOptionsTensor);
  if (!model.has(kMarianOptionsTensor))
    throw ModelError(model.name() + ": wanted a tensor " + std::string(kMarianOptionsTensor) +
                     " with the options of training, got none; this is not a whole model of Marian");
  const auto& info = model.info(kMarianOptionsTensor);
  if ((info.type != at::kChar && info.type != at::kByte) || info.multiplier)
    throw ModelError(name + ": wanted a text as int8, got " + shown_shape(info));
  if (const auto bytes = checked_byte_count(info, name); bytes > kMaxBytes)
    throw ModelError(name + ": wanted at most " + std::to_string(kMaxBytes) + " bytes, got " + std::to_string(bytes));
  const auto values = model.tensor(kMarianOptionsTensor).contiguous();
  const std::string_view text(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  return parse_marian_options(text.substr(0, text.find('\0')), name);
}

}  // namespace gloss
