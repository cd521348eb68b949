#include "pipeline/interchange/import/marian_network.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "pipeline/interchange/import/network_limits.h"

namespace gloss {
namespace {

/// Reads options one by one and collects what is wrong with them.
class OptionReader {
 public:
  OptionReader(const MarianOptions& options, Refusals& refusals, Json& shown)
      : options_(options), refusals_(refusals), shown_(shown) {}

  std::string text(std::string_view key) {
    return get<std::string>(key, [&] { return options_.text(key); });
  }
  bool flag(std::string_view key) {
    return get<bool>(key, [&] { return options_.flag(key); });
  }
  std::vector<std::int64_t> integers(std::string_view key) {
    return get<std::vector<std::int64_t>>(key, [&] { return options_.integers(key); });
  }
  std::vector<std::string> texts(std::string_view key) {
    return get<std::vector<std::string>>(key, [&] { return options_.texts(key); });
  }
  /// Returns a whole number; `fallback` if it is not one of `min` to `max`.
  std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t fallback) {
    const auto before = refusals_.reasons().size();
    const auto value = get<std::int64_t>(key, [&] { return options_.integer(key); });
    if (refusals_.reasons().size() > before) return fallback;
    if (value >= min && value <= max) return value;
    refuse(key, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
    return fallback;
  }

  void refuse(std::string_view key, const std::string& wanted) {
    refusals_.add(std::string(key) + ": wanted " + wanted + ", got " + printable(options_.shown(key), 80));
  }
  void expect(bool holds, std::string_view key, const std::string& wanted) {
    if (!holds) refuse(key, wanted);
  }

 private:
  template <typename T>
  T get(std::string_view key, const std::function<T()>& read) {
    try {
      T value = read();
      shown_[std::string(key)] = options_.shown(key);
      return value;
    } catch (const ModelError& error) {
      refusals_.add(error.what());
      return T{};
    }
  }

  const MarianOptions& options_;
  Refusals& refusals_;
  Json& shown_;
};

std::string without_dropout(std::string operations) {
  std::erase(operations, 'd');
  return operations;
}

void set_sizes(OptionReader& reader, ModelConfig& model) {
  model.encoder_layers = reader.integer("enc-depth", 1, kMaxLayers, 1);
  model.decoder_layers = reader.integer("dec-depth", 1, kMaxLayers, 1);
  model.d_model = reader.integer("dim-emb", 4, kMaxWidth, 4);
  reader.expect(model.d_model % 2 == 0, "dim-emb", "an even number");
  model.heads = reader.integer("transformer-heads", 1, kMaxWidth, 1);
  reader.expect(model.d_model % model.heads == 0, "transformer-heads",
                "a divisor of dim-emb " + std::to_string(model.d_model));
  model.d_ff = reader.integer("transformer-dim-ffn", 1, kMaxWidth, 1);
  const auto decoder = reader.integer("transformer-decoder-dim-ffn", 0, kMaxWidth, 0);
  if (decoder != 0 && decoder != model.d_ff) model.d_ff_decoder = decoder;
}

void set_norms(OptionReader& reader, ModelConfig& model) {
  const auto before = without_dropout(reader.text("transformer-preprocess"));
  const auto after = without_dropout(reader.text("transformer-postprocess"));
  const auto embeddings = without_dropout(reader.text("transformer-postprocess-emb"));
  const auto top = without_dropout(reader.text("transformer-postprocess-top"));
  const bool is_pre = before == "n" && after == "a", is_post = before.empty() && after == "an";
  reader.expect(is_pre || before.empty(), "transformer-preprocess",
                "n with transformer-postprocess da, or nothing with dan");
  reader.expect(is_pre || is_post || !before.empty(), "transformer-postprocess",
                "dan, or da with transformer-preprocess n");
  reader.expect(embeddings.empty() || embeddings == "n", "transformer-postprocess-emb", "d, n or nothing");
  reader.expect(top.empty() || top == "n", "transformer-postprocess-top", "n or nothing");
  model.norm = is_pre ? NormPlace::kPre : NormPlace::kPost;
  model.embedding_norm = embeddings == "n";
  model.final_norm = top == "n";
}

void set_layers(OptionReader& reader, MarianNetwork& network) {
  auto& model = network.model;
  const auto activation = reader.text("transformer-ffn-activation");
  reader.expect(activation == "relu" || activation == "swish" || activation == "gelu", "transformer-ffn-activation",
                "relu, swish or gelu");
  model.activation = activation == "swish"  ? Activation::kSwish
                     : activation == "gelu" ? Activation::kGeluSigmoid
                                            : Activation::kRelu;
  const auto decoder = reader.text("transformer-decoder-autoreg");
  if (decoder == "rnn") {
    model.decoder_layer = DecoderLayerType::kSsru;
    reader.expect(reader.text("dec-cell") == "ssru", "dec-cell", "ssru with transformer-decoder-autoreg rnn");
    reader.expect(!reader.flag("transformer-rnn-projection"), "transformer-rnn-projection", "false");
  } else {
    reader.expect(decoder == "self-attention", "transformer-decoder-autoreg",
                  "self-attention, or rnn with dec-cell ssru");
  }
  for (const auto layer : reader.integers("transformer-tied-layers")) network.tied_layers.push_back(layer - 1);
  const auto fits = [&](std::int64_t layer) { return layer >= 0 && layer < model.decoder_layers; };
  const bool all_fit = network.tied_layers.empty() || (std::ssize(network.tied_layers) >= model.decoder_layers &&
                                                       std::ranges::all_of(network.tied_layers, fits));
  reader.expect(all_fit, "transformer-tied-layers", "a layer from 1 to dec-depth for each layer of the decoder");
  if (!all_fit) network.tied_layers.clear();
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

void refuse_other_features(OptionReader& reader) {
  reader.expect(reader.integer("transformer-ffn-depth", 0, kMaxLayers, 2) == 2, "transformer-ffn-depth", "2");
  const auto depth = reader.integer("transformer-decoder-ffn-depth", 0, kMaxLayers, 0);
  reader.expect(depth == 0 || depth == 2, "transformer-decoder-ffn-depth", "0 or 2");
  for (const auto* key : {"ulr", "right-left", "transformer-pool"}) reader.expect(!reader.flag(key), key, "false");
  reader.expect(reader.integer("lemma-dim-emb", -kMaxWidth, kMaxWidth, 0) == 0, "lemma-dim-emb", "0");
  const auto inputs = reader.texts("input-types");
  reader.expect(std::ranges::all_of(inputs, [](const auto& input) { return input == "sequence"; }), "input-types",
                "sequence for source and target");
}

}  // namespace

MarianNetwork marian_network(const MarianOptions& options, ModelFamily formulas, Refusals& refusals) {
  MarianNetwork network;
  network.options = Json::object();
  OptionReader reader(options, refusals, network.options);
  auto& model = network.model;
  const auto type = reader.text("type");
  reader.expect(type == "transformer", "type", "transformer");
  set_sizes(reader, model);
  network.is_transformer = refusals.empty();
  refuse_other_features(reader);
  set_norms(reader, model);
  set_layers(reader, network);
  set_embeddings(reader, network);
  model.decoder_start = DecoderStart::kZero;
  if (formulas == ModelFamily::kMarian) {
    model.layer_norm_epsilon = kMarianEpsilon;
    if (model.positions == Positions::kSinusoidal) model.position_frequencies = PositionFrequencies::kTensor2Tensor;
  }
  const auto guided = options.has("guided-alignment") ? reader.text("guided-alignment") : "none";
  if (!guided.empty() && guided != "none")
    network.notes.push_back("trained with guided alignment: head 0 of decoder layer " +
                            reader.text("transformer-guided-alignment-layer") +
                            " has it; gloss translate --alignment has its own default, see --alignment-from");
  return network;
}

void set_marian_search(const MarianOptions& options, DecodingConfig& decoding, std::vector<std::string>& notes) {
  const auto note = [&](std::string_view key, const std::string& text) {
    notes.push_back(std::string(key) + ' ' + printable(options.shown(key), 80) + ": " + text);
  };
  const auto is_set = [&](std::string_view key) { return options.has(key); };
  const auto try_to = [&](std::string_view key, const std::function<void()>& read) {
    try {
      if (is_set(key)) read();
    } catch (const ModelError& error) {
      notes.push_back(std::string(error.what()) + "; the default holds");
    }
  };
  try_to("beam-size", [&] {
    const auto beam = options.integer("beam-size");
    if (beam >= 1 && beam <= 1000)
      decoding.beam_size = beam;
    else
      note("beam-size", "out of gloss's range; the default holds");
  });
  try_to("normalize", [&] {
    const auto power = options.number("normalize");
    if (power >= 0 && power <= 10)
      decoding.length_penalty = power;
    else
      note("normalize", "out of gloss's range; the default holds");
  });
  decoding.no_unk = true;  // Marian's default
  try_to("allow-unk", [&] { decoding.no_unk = !options.flag("allow-unk"); });
  try_to("word-penalty", [&] {
    if (options.number("word-penalty") != 0) note("word-penalty", "gloss has no such penalty");
  });
  try_to("max-length-factor", [&] {
    note("max-length-factor", "gloss limits translations by --max-length, not by the length of the source");
  });
  try_to("shortlist", [&] {
    if (!options.texts("shortlist").empty()) note("shortlist", "not used; every piece competes");
  });
}

}  // namespace gloss
