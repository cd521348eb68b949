#include "interchange/import/marian_network.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "interchange/activation_names.h"
#include "interchange/import/import_report.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxMarianLength = 1'000'000;  // in pieces

/// Reads options one by one and collects their faults.
class OptionReader {
 public:
  OptionReader(const MarianOptions& options, Refusals& refusals, Json& shown)
      : options_(options), refusals_(refusals), shown_(shown) {}

  std::string text(std::string_view key) {
    return get(key, [&] { return options_.text(key); }).value_or("");
  }
  bool flag(std::string_view key) {
    return get(key, [&] { return options_.flag(key); }).value_or(false);
  }
  std::vector<std::int64_t> integers(std::string_view key) {
    return get(key, [&] { return options_.integers(key); }).value_or(std::vector<std::int64_t>{});
  }
  std::vector<std::string> texts(std::string_view key) {
    return get(key, [&] { return options_.texts(key); }).value_or(std::vector<std::string>{});
  }
  /// Returns a whole number from `min` to `max`; absent if it is refused.
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t min, std::int64_t max) {
    const auto value = get(key, [&] { return options_.integer(key); });
    if (!value || (*value >= min && *value <= max)) return value;
    refuse(key, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
    return std::nullopt;
  }

  void expect(bool holds, std::string_view key, const std::string& wanted) {
    if (!holds) refuse(key, wanted);
  }
  /// Refuses every other value of an option that is not supported.
  void expect_off(std::string_view key) { expect(!flag(key), key, "false"); }

 private:
  template <typename Read>
  auto get(std::string_view key, const Read& read) -> std::optional<decltype(read())> {
    try {
      auto value = read();
      shown_[std::string(key)] = options_.shown(key);
      return value;
    } catch (const ModelError& error) {
      refusals_.add(error.what());
      return std::nullopt;
    }
  }
  void refuse(std::string_view key, const std::string& wanted) {
    refusals_.add(std::string(key) + ": wanted " + wanted + ", got " + printable(options_.shown(key), 80));
  }

  const MarianOptions& options_;
  Refusals& refusals_;
  Json& shown_;
};

std::string without_dropout(std::string operations) {
  std::erase(operations, 'd');
  return operations;
}

/// Sets the sizes. Returns whether all of them are possible.
bool set_sizes(OptionReader& reader, ModelConfig& model) {
  const auto encoder = reader.integer("enc-depth", 1, ModelConfig::kMaxLayers),
             decoder = reader.integer("dec-depth", 1, ModelConfig::kMaxLayers);
  const auto width = reader.integer("dim-emb", 4, ModelConfig::kMaxWidth),
             heads = reader.integer("transformer-heads", 1, ModelConfig::kMaxWidth);
  const auto inner = reader.integer("transformer-dim-ffn", 1, ModelConfig::kMaxWidth),
             inner_of_decoder = reader.integer("transformer-decoder-dim-ffn", 0, ModelConfig::kMaxWidth);
  const bool is_even = width && *width % 2 == 0, divides = width && heads && *width % *heads == 0;
  if (width) reader.expect(is_even, "dim-emb", "an even number");
  if (width && heads) reader.expect(divides, "transformer-heads", "a divisor of dim-emb " + std::to_string(*width));
  if (!encoder || !decoder || !inner || !inner_of_decoder || !is_even || !divides) return false;
  model.encoder_layers = *encoder;
  model.decoder_layers = *decoder;
  model.d_model = *width;
  model.heads = *heads;
  model.d_ff = *inner;
  if (*inner_of_decoder != 0 && inner_of_decoder != inner) model.d_ff_decoder = inner_of_decoder;
  return true;
}

/// Sets the numbers of pieces that dim-vocabs states.
void set_vocabularies(const MarianOptions& options, OptionReader& reader, MarianNetwork& network) {
  if (!options.has("dim-vocabs")) return;
  const auto sizes = reader.integers("dim-vocabs");
  const auto fits = [](std::int64_t size) { return size >= 0 && size <= TokenizerConfig::kMaxVocabulary; };
  const bool all_fit = (sizes.size() == 1 || sizes.size() == 2) && std::ranges::all_of(sizes, fits);
  reader.expect(all_fit, "dim-vocabs",
                "the sizes of two vocabularies, up to " + std::to_string(TokenizerConfig::kMaxVocabulary));
  if (!all_fit) return;
  network.dim_vocabs = network.pieces = {sizes.front(), sizes.back()};
  if (!options.has(kUsedPiecesOption)) return;
  const auto used = reader.integers(kUsedPiecesOption);
  const bool are_rows =
      used.size() == 2 && std::ranges::equal(used, network.dim_vocabs, [](auto a, auto b) { return a > 2 && a <= b; });
  reader.expect(are_rows, kUsedPiecesOption, "two numbers of pieces, up to those of dim-vocabs");
  if (are_rows) network.pieces = {used.front(), used.back()};
}

/// Returns whether pre-norm self-attention norms keys and values, too, in a network that this version of Marian
/// trained, as "v1.11.0 f00d0621 2022-02-08". Older versions, and the fork for browsers, which is at 1.9, norm the
/// query alone.
bool norms_keys(std::string_view version) {
  std::array<int, 3> numbers{};
  for (auto& number : numbers) {
    if (version.empty()) break;
    version.remove_prefix(1);  // "v" or "."
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
  }
  return numbers > std::array{1, 10, 28};
}

/// Sets which parts of self-attention a pre-norm network norms.
void set_self_attention_norm(OptionReader& reader, ModelFamily formulas, MarianNetwork& network) {
  const auto version = reader.text("version");
  const auto written =
      version.empty() ? "no version" : "version " + printable(version.substr(0, version.find(' ')), 20);
  if (formulas != ModelFamily::kMarian) {
    network.notes.push_back("pre-norm: self-attention norms query, keys and values, as CTranslate2 computes it");
  } else if (norms_keys(version)) {
    network.notes.push_back("pre-norm, " + written + ": self-attention norms query, keys and values, as in its " +
                            "training; Marian's own search leaves keys and values of the decoder without the norm");
  } else {
    network.model.self_attention_norm = SelfAttentionNorm::kQuery;
    network.notes.push_back("pre-norm, " + written + ": self-attention norms the query alone, as Marian before 1.11 " +
                            "and its fork for browsers do (model.self_attention_norm)");
  }
}

void set_norms(OptionReader& reader, ModelFamily formulas, MarianNetwork& network) {
  auto& model = network.model;
  const auto before = without_dropout(reader.text("transformer-preprocess"));
  const auto after = without_dropout(reader.text("transformer-postprocess"));
  const auto embeddings = without_dropout(reader.text("transformer-postprocess-emb"));
  const auto top = without_dropout(reader.text("transformer-postprocess-top"));
  const bool is_pre = !before.empty();
  reader.expect(!is_pre || before == "n", "transformer-preprocess", "n or nothing");
  reader.expect(after == (is_pre ? "a" : "an"), "transformer-postprocess",
                is_pre ? "da with a transformer-preprocess" : "dan without a transformer-preprocess");
  reader.expect(embeddings.empty() || embeddings == "n", "transformer-postprocess-emb", "d, n or nothing");
  reader.expect(top.empty() || top == "n", "transformer-postprocess-top", "n or nothing");
  model.norm = is_pre ? NormPlace::kPre : NormPlace::kPost;
  model.embedding_norm = embeddings == "n";
  model.final_norm = top == "n";
  if (is_pre) set_self_attention_norm(reader, formulas, network);
}

void set_layers(OptionReader& reader, MarianNetwork& network) {
  auto& model = network.model;
  const auto activation = reader.text("transformer-ffn-activation");
  const auto named =
      std::ranges::find(kActivationNames, std::optional<std::string_view>(activation), &ActivationNames::marian);
  reader.expect(named != kActivationNames.end(), "transformer-ffn-activation", "relu, swish or gelu");
  if (named != kActivationNames.end()) model.activation = named->activation;
  const auto decoder = reader.text("transformer-decoder-autoreg");
  if (decoder == "rnn") {
    model.decoder_layer = DecoderLayerType::kSsru;
    reader.expect(reader.text("dec-cell") == "ssru", "dec-cell", "ssru with transformer-decoder-autoreg rnn");
    reader.expect_off("transformer-rnn-projection");
    reader.expect_off("layer-normalization");  // within the recurrence
  } else {
    reader.expect(decoder == "self-attention", "transformer-decoder-autoreg",
                  "self-attention, or rnn with dec-cell ssru");
  }
  const auto layers = reader.integers("transformer-tied-layers");
  const auto fits = [&](std::int64_t layer) { return layer >= 1 && layer <= model.decoder_layers; };
  const bool all_fit =
      layers.empty() || (std::ssize(layers) == model.decoder_layers && std::ranges::all_of(layers, fits));
  if (network.is_transformer)  // dec-depth is known
    reader.expect(all_fit, "transformer-tied-layers", "a layer from 1 to dec-depth for each layer of the decoder");
  if (all_fit)
    for (const auto layer : layers) network.tied_layers.push_back(layer - 1);
  network.has_projection = !reader.flag("transformer-no-projection");
}

void set_embeddings(OptionReader& reader, MarianNetwork& network) {
  auto& model = network.model;
  const bool all = reader.flag("tied-embeddings-all"), source = reader.flag("tied-embeddings-src"),
             output = reader.flag("tied-embeddings");
  model.tie_embeddings = all || (source && output) ? TieEmbeddings::kAll
                         : output                  ? TieEmbeddings::kDecoder
                                                   : TieEmbeddings::kNone;
  network.has_output_bias = !reader.flag("output-omit-bias");
  if (!reader.flag("transformer-train-positions")) return;
  model.positions = Positions::kLearned;
  model.embedding_scale = EmbeddingScale::kOne;
}

/// Returns the number from 0 of the decoder layer whose first head was trained with alignments. Marian's option counts
/// from 1, or is "last".
std::int64_t guided_layer(OptionReader& reader, std::int64_t layers) {
  const auto text = reader.text("transformer-guided-alignment-layer");
  auto layer = layers;
  std::from_chars(text.data(), text.data() + text.size(), layer);
  return std::clamp<std::int64_t>(layer, 1, layers) - 1;
}

void refuse_other_features(OptionReader& reader) {
  if (const auto depth = reader.integer("transformer-ffn-depth", 0, ModelConfig::kMaxLayers))
    reader.expect(depth == 2, "transformer-ffn-depth", "2");
  if (const auto depth = reader.integer("transformer-decoder-ffn-depth", 0, ModelConfig::kMaxLayers))
    reader.expect(depth == 0 || depth == 2, "transformer-decoder-ffn-depth", "0 or 2");
  for (const auto* key : {"ulr", "right-left", "transformer-pool", "transformer-disable-position-embeddings",
                          "transformer-no-bias", "transformer-no-affine"})
    reader.expect_off(key);
  reader.expect(reader.text("transformer-attention-mask") == "default", "transformer-attention-mask", "default");
  if (const auto width = reader.integer("lemma-dim-emb", -ModelConfig::kMaxWidth, ModelConfig::kMaxWidth))
    reader.expect(width == 0, "lemma-dim-emb", "0");
  reader.expect(reader.text("lemma-dependency").empty(), "lemma-dependency", "nothing");
  reader.expect(reader.text("factors-combine") == "sum", "factors-combine", "sum");
  const auto inputs = reader.texts("input-types");
  reader.expect(std::ranges::all_of(inputs, [](const auto& input) { return input == "sequence"; }), "input-types",
                "sequence for source and target");
}

/// The options of a decoder.yml that set_marian_search reads, and those without a meaning for a search.
constexpr std::array<std::string_view, 10> kReadOptions{
    "models",    "model",     "vocabs",     "relative-paths",    "version",
    "beam-size", "normalize", "max-length", "max-length-factor", "allow-unk"};

/// Takes settings of the search, and adds a note for each impossible value.
class SearchReader {
 public:
  SearchReader(const MarianOptions& options, std::vector<std::string>& notes) : options_(options), notes_(notes) {}

  void take(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t& setting) {
    take_from(key, min, max, setting, &MarianOptions::integer);
  }
  void take(std::string_view key, double min, double max, double& setting) {
    take_from(key, min, max, setting, &MarianOptions::number);
  }
  void take(std::string_view key, bool& setting) { take_from(key, false, true, setting, &MarianOptions::flag); }

 private:
  template <typename Value>
  void take_from(std::string_view key, Value min, Value max, Value& setting,
                 Value (MarianOptions::*read)(std::string_view) const) {
    if (!options_.has(key)) return;
    try {
      const auto value = (options_.*read)(key);
      if (value >= min && value <= max)
        setting = value;
      else
        notes_.push_back(std::string(key) + ' ' + options_.shown(key) + " is not in gloss's range; the default holds");
    } catch (const ModelError& error) {
      notes_.push_back(std::string(error.what()) + "; the default holds");
    }
  }

  const MarianOptions& options_;
  std::vector<std::string>& notes_;
};

bool is_zero(const MarianOptions& options, std::string_view key) {
  try {
    return options.number(key) == 0;
  } catch (const ModelError&) {
    return false;
  }
}

}  // namespace

MarianNetwork marian_network(const MarianOptions& options, ModelFamily formulas, Refusals& refusals) {
  MarianNetwork network;
  network.options = Json::object();
  OptionReader reader(options, refusals, network.options);
  auto& model = network.model;
  const auto type = reader.text("type");
  reader.expect(type == "transformer", "type", "transformer");
  network.is_transformer = set_sizes(reader, model) && type == "transformer";
  set_vocabularies(options, reader, network);
  refuse_other_features(reader);
  set_norms(reader, formulas, network);
  set_layers(reader, network);
  set_embeddings(reader, network);
  model.decoder_start = DecoderStart::kZero;
  if (formulas == ModelFamily::kMarian) {
    model.layer_norm_epsilon = kMarianEpsilon;
    if (model.positions == Positions::kSinusoidal) model.position_frequencies = PositionFrequencies::kTensor2Tensor;
  }
  const auto guided = reader.text("guided-alignment");
  if (network.is_transformer && !guided.empty() && guided != "none")
    network.guided_attention = "decoder." + std::to_string(guided_layer(reader, model.decoder_layers)) + ".cross.0";
  return network;
}

void set_marian_search(const MarianOptions& options, TranslatorConfig& config, std::vector<std::string>& notes) {
  SearchReader reader(options, notes);
  reader.take("beam-size", 1, 1000, config.decoding.beam_size);
  reader.take("normalize", 0.0, 10.0, config.decoding.length_penalty);
  reader.take("max-length-factor", 1e-3, 1000.0, config.decoding.max_length_factor);
  reader.take("max-length", 2, kMaxMarianLength, config.max_length);
  bool allows_unk = !config.decoding.no_unk;
  reader.take("allow-unk", allows_unk);
  config.decoding.no_unk = !allows_unk;
  std::vector<std::string> others;
  for (const auto& key : options.keys())
    if (std::ranges::find(kReadOptions, key) == kReadOptions.end() && !(key == "word-penalty" && is_zero(options, key)))
      others.push_back(others.size() < kMaxShown ? printable(key, 40) + ' ' + printable(options.shown(key), 80) : key);
  if (!others.empty()) notes.push_back("options of decoder.yml that gloss ignores: " + shown_list(others));
}

}  // namespace gloss
