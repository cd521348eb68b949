#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "common/text/printable.h"
#include "interchange/formats/settings_file.h"
#include "interchange/import/import_model.h"
#include "interchange/import/marian_folder.h"
#include "interchange/model_family.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxMarianLength = 1'000'000;  // in pieces

/// Refuses every other value of an option that is not supported.
void expect_off(JsonFields& fields, const char* key) { fields.expect(!fields.flag(key, false), key, "false"); }

std::string without_dropout(std::string operations) {
  std::erase(operations, 'd');
  return operations;
}

/// Sets the sizes. Returns whether all of them are possible.
bool set_sizes(JsonFields& fields, ModelConfig& model) {
  const auto size = [&](const char* key, std::int64_t min, std::int64_t max) {
    fields.expect(fields.has(key), key, "a value");
    return fields.optional_integer(key, min, max);
  };
  const auto encoder = size("enc-depth", 1, ModelConfig::kMaxLayers),
             decoder = size("dec-depth", 1, ModelConfig::kMaxLayers);
  const auto width = size("dim-emb", 4, ModelConfig::kMaxWidth),
             heads = size("transformer-heads", 1, ModelConfig::kMaxWidth);
  const auto inner = size("transformer-dim-ffn", 1, ModelConfig::kMaxWidth),
             inner_of_decoder = size("transformer-decoder-dim-ffn", 0, ModelConfig::kMaxWidth);
  const bool is_even = width && *width % 2 == 0, divides = width && heads && *width % *heads == 0;
  if (width) fields.expect(is_even, "dim-emb", "an even number");
  if (width && heads) fields.expect(divides, "transformer-heads", "a divisor of dim-emb " + std::to_string(*width));
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
void set_vocabularies(JsonFields& fields, MarianNetwork& network) {
  if (!fields.has("dim-vocabs")) return;
  const auto sizes = fields.integers("dim-vocabs");
  const auto fits = [](std::int64_t size) { return size >= 0 && size <= TokenizerConfig::kMaxVocabulary; };
  const bool all_fit = (sizes.size() == 1 || sizes.size() == 2) && std::ranges::all_of(sizes, fits);
  fields.expect(all_fit, "dim-vocabs",
                "the sizes of two vocabularies, up to " + std::to_string(TokenizerConfig::kMaxVocabulary));
  if (!all_fit) return;
  network.dim_vocabs = network.pieces = {sizes.front(), sizes.back()};
  if (!fields.has(kUsedPiecesOption)) return;
  const auto used = fields.integers(kUsedPiecesOption);
  const bool are_rows =
      used.size() == 2 && std::ranges::equal(used, network.dim_vocabs, [](auto a, auto b) { return a > 2 && a <= b; });
  fields.expect(are_rows, kUsedPiecesOption, "two numbers of pieces, up to those of dim-vocabs");
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
void set_self_attention_norm(JsonFields& fields, ModelFamily formulas, MarianNetwork& network) {
  const auto version = fields.text("version", "");
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

void set_norms(JsonFields& fields, ModelFamily formulas, MarianNetwork& network) {
  auto& model = network.model;
  const auto before = without_dropout(fields.text("transformer-preprocess", ""));
  const auto after = without_dropout(fields.text("transformer-postprocess", ""));
  const auto embeddings = without_dropout(fields.text("transformer-postprocess-emb", ""));
  const auto top = without_dropout(fields.text("transformer-postprocess-top", ""));
  const bool is_pre = !before.empty();
  fields.expect(!is_pre || before == "n", "transformer-preprocess", "n or nothing");
  fields.expect(after == (is_pre ? "a" : "an"), "transformer-postprocess",
                is_pre ? "da with a transformer-preprocess" : "dan without a transformer-preprocess");
  fields.expect(embeddings.empty() || embeddings == "n", "transformer-postprocess-emb", "d, n or nothing");
  fields.expect(top.empty() || top == "n", "transformer-postprocess-top", "n or nothing");
  model.norm = is_pre ? NormPlace::kPre : NormPlace::kPost;
  model.embedding_norm = embeddings == "n";
  model.final_norm = top == "n";
  if (is_pre) set_self_attention_norm(fields, formulas, network);
}

void set_layers(JsonFields& fields, MarianNetwork& network) {
  auto& model = network.model;
  const auto activation = fields.text("transformer-ffn-activation", "");
  const auto named =
      std::ranges::find(kActivationNames, std::optional<std::string_view>(activation), &ActivationNames::marian);
  fields.expect(named != kActivationNames.end(), "transformer-ffn-activation", "relu, swish or gelu");
  if (named != kActivationNames.end()) model.activation = named->activation;
  const auto decoder = fields.text("transformer-decoder-autoreg", "");
  if (decoder == "rnn") {
    model.decoder_layer = DecoderLayerType::kSsru;
    fields.expect(fields.text("dec-cell", "") == "ssru", "dec-cell", "ssru with transformer-decoder-autoreg rnn");
    expect_off(fields, "transformer-rnn-projection");
    expect_off(fields, "layer-normalization");  // within the recurrence
  } else {
    fields.expect(decoder == "self-attention", "transformer-decoder-autoreg",
                  "self-attention, or rnn with dec-cell ssru");
  }
  const auto layers = fields.integers("transformer-tied-layers");
  const auto fits = [&](std::int64_t layer) { return layer >= 1 && layer <= model.decoder_layers; };
  const bool all_fit =
      layers.empty() || (std::ssize(layers) == model.decoder_layers && std::ranges::all_of(layers, fits));
  if (network.is_transformer)  // dec-depth is known
    fields.expect(all_fit, "transformer-tied-layers", "a layer from 1 to dec-depth for each layer of the decoder");
  if (all_fit)
    for (const auto layer : layers) network.tied_layers.push_back(layer - 1);
  network.has_projection = !fields.flag("transformer-no-projection", false);
}

void set_embeddings(JsonFields& fields, MarianNetwork& network) {
  auto& model = network.model;
  const bool all = fields.flag("tied-embeddings-all", false), source = fields.flag("tied-embeddings-src", false),
             output = fields.flag("tied-embeddings", false);
  model.tie_embeddings = all || (source && output) ? TieEmbeddings::kAll
                         : output                  ? TieEmbeddings::kDecoder
                                                   : TieEmbeddings::kNone;
  network.has_output_bias = !fields.flag("output-omit-bias", false);
  if (!fields.flag("transformer-train-positions", false)) return;
  model.positions = Positions::kLearned;
  model.embedding_scale = EmbeddingScale::kOne;
}

/// Returns the number from 0 of the decoder layer whose first head was trained with alignments. Marian's option counts
/// from 1, or is "last".
std::int64_t guided_layer(JsonFields& fields, std::int64_t layers) {
  const auto text = fields.text("transformer-guided-alignment-layer", "");
  auto layer = layers;
  std::from_chars(text.data(), text.data() + text.size(), layer);
  return std::clamp<std::int64_t>(layer, 1, layers) - 1;
}

void refuse_other_features(JsonFields& fields) {
  if (const auto depth = fields.optional_integer("transformer-ffn-depth", 0, ModelConfig::kMaxLayers))
    fields.expect(depth == 2, "transformer-ffn-depth", "2");
  if (const auto depth = fields.optional_integer("transformer-decoder-ffn-depth", 0, ModelConfig::kMaxLayers))
    fields.expect(depth == 0 || depth == 2, "transformer-decoder-ffn-depth", "0 or 2");
  for (const auto* key : {"ulr", "right-left", "transformer-pool", "transformer-disable-position-embeddings",
                          "transformer-no-bias", "transformer-no-affine"})
    expect_off(fields, key);
  fields.expect(fields.text("transformer-attention-mask", "") == "default", "transformer-attention-mask", "default");
  if (const auto width = fields.optional_integer("lemma-dim-emb", -ModelConfig::kMaxWidth, ModelConfig::kMaxWidth))
    fields.expect(width == 0, "lemma-dim-emb", "0");
  fields.expect(fields.text("lemma-dependency", "").empty(), "lemma-dependency", "nothing");
  fields.expect(fields.text("factors-combine", "") == "sum", "factors-combine", "sum");
  const auto inputs = fields.texts("input-types");
  fields.expect(std::ranges::all_of(inputs, [](const auto& input) { return input == "sequence"; }), "input-types",
                "sequence for source and target");
}

/// The options of a decoder.yml that set_marian_search reads, and those without a meaning for a search.
constexpr std::array<std::string_view, 10> kReadOptions{
    "models",    "model",     "vocabs",     "relative-paths",    "version",
    "beam-size", "normalize", "max-length", "max-length-factor", "allow-unk"};

}  // namespace

MarianNetwork marian_network(const MarianOptions& options, ModelFamily formulas, Refusals& refusals) {
  MarianNetwork network;
  network.options = Json::object();
  JsonFields fields(options.values, refusals, options.shown, network.options);
  auto& model = network.model;
  const auto type = fields.text("type", "");
  fields.expect(type == "transformer", "type", "transformer");
  network.is_transformer = set_sizes(fields, model) && type == "transformer";
  set_vocabularies(fields, network);
  refuse_other_features(fields);
  set_norms(fields, formulas, network);
  set_layers(fields, network);
  set_embeddings(fields, network);
  model.decoder_start = DecoderStart::kZero;
  if (formulas == ModelFamily::kMarian) {
    model.layer_norm_epsilon = kMarianEpsilon;
    if (model.positions == Positions::kSinusoidal) model.position_frequencies = PositionFrequencies::kTensor2Tensor;
  }
  const auto guided = fields.text("guided-alignment", "");
  if (network.is_transformer && !guided.empty() && guided != "none")
    network.guided_attention = "decoder." + std::to_string(guided_layer(fields, model.decoder_layers)) + ".cross.0";
  return network;
}

void set_marian_search(const MarianOptions& options, TranslatorConfig& config, std::vector<std::string>& notes) {
  Refusals unusable;
  Json read;
  JsonFields fields(options.values, unusable, options.shown, read);
  auto& decoding = config.decoding;
  decoding.beam_size = fields.integer("beam-size", 1, 1000, decoding.beam_size);
  decoding.length_penalty = fields.number("normalize", 0, 10, decoding.length_penalty);
  decoding.max_length_factor = fields.number("max-length-factor", 1e-3, 1000, decoding.max_length_factor);
  config.max_length = fields.integer("max-length", 2, kMaxMarianLength, config.max_length);
  decoding.no_unk = !fields.flag("allow-unk", !decoding.no_unk);
  for (const auto& reason : unusable.reasons()) notes.push_back(reason + "; the default holds");
  const bool has_word_penalty = fields.number("word-penalty", 0, 0, 1) != 0;
  std::vector<std::string> others;
  for (const auto& key : options.keys)
    if (std::ranges::find(kReadOptions, key) == kReadOptions.end() && (key != "word-penalty" || has_word_penalty))
      others.push_back(others.size() < kMaxShown
                           ? printable(key, 40) + ' ' + printable(value_text(options.shown.value(key, Json())), 80)
                           : key);
  if (!others.empty()) notes.push_back("options of decoder.yml that gloss ignores: " + shown_list(others));
}

}  // namespace gloss
