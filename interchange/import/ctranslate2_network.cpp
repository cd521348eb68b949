#include "interchange/import/ctranslate2_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/format.h"
#include "common/text/printable.h"
#include "interchange/formats/settings_file.h"
#include "interchange/import/import_model.h"
#include "interchange/model_family.h"
#include "interchange/weight_map.h"
#include "model/make_model.h"

namespace gloss {
namespace {

constexpr std::uint32_t kOldestRevision = 3, kNewestRevision = 7;
constexpr double kUsualEpsilon = 1e-5, kRmsEpsilon = 1e-6;
const std::string kEncodings = "/position_encodings/encodings";

/// Parts that gloss lacks, by a piece of the names of their variables. Other variables are refused by their names
/// alone.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOtherParts{
    {{"relative_", "relative positions"},
     {"rotary", "rotary positions"},
     {"head_dim", "heads of another width"},
     {"sliding_window", "attention to a window"},
     {"queries_scale", "another scale of attention"},
     {"q_norm", "norms of queries"},
     {"project_", "projected embeddings"},
     {"input_layer_norm", "norms at other places"},
     {"embeddings_1", "several features of the source"}}};

/// Numbers that have no effect, or that are read elsewhere, by the ends of their names.
constexpr std::string_view kKnownNumbers =
    " num_heads pre_norm activation scale_embeddings embeddings_merge alignment_layer alignment_heads "
    "start_from_zero_embedding alibi_use_positive_positions scale_alibi multiply_by_sqrt_depth with_source_bos "
    "with_source_eos with_target_bos user_decoder_start_tokens ";

/// The table of positions of a side.
struct PositionTable {
  Positions positions = Positions::kSinusoidal;
  PositionFrequencies frequencies = PositionFrequencies::kTensor2Tensor;
  std::int64_t first = 1;
  bool separates_channels = true;
  bool operator==(const PositionTable&) const = default;
};

class Ctranslate2NetworkReader {
 public:
  Ctranslate2NetworkReader(const Ctranslate2Bin& file, const Json& config, Refusals& refusals)
      : file_(file), config_(config), refusals_(refusals) {}

  Ctranslate2Network read(bool shares_vocabulary) {
    const bool is_usual = file_.specification() == "TransformerSpec",
               is_read = file_.revision() >= kOldestRevision && file_.revision() <= kNewestRevision;
    refusals_.require(is_usual,
                      file_.name() + ": wanted a TransformerSpec, which translates, got " + file_.specification());
    refusals_.require(!is_usual || is_read, file_.name() + ": wanted revision " + std::to_string(kOldestRevision) +
                                                " to " + std::to_string(kNewestRevision) +
                                                " of the specification, got " + std::to_string(file_.revision()));
    if (!is_usual || !is_read) return network_;
    refuse_other_parts();
    const bool has_sizes = read_sizes();
    read_switches();
    read_ties(shares_vocabulary);
    if (!has_sizes) return network_;
    read_positions();
    network_.is_transformer = true;
    return network_;
  }

 private:
  void refuse_other_parts() {
    const auto tensors = file_.names();
    std::vector<std::string> numbers;  // that could change the network
    const auto heads = number("decoder", "num_heads", 8);
    for (const auto& [name, value] : file_.numbers()) {
      const auto key = name.substr(name.rfind('/') + 1);
      const auto is_switch = key == "alibi" || key == "layer_norm_use_residual" || key == "multi_query_attention";
      const bool is_usual =
          (is_switch && value.toDouble() == 0) || (key == "num_heads_kv" && value.toDouble() == heads);
      if (!is_usual && kKnownNumbers.find(' ' + key + ' ') == kKnownNumbers.npos)
        numbers.push_back(printable(name, 80) + ' ' + formatted("%g", value.toDouble()));
    }
    for (const auto& [part, description] : kOtherParts) {
      const auto has_part = [part = part](const std::string& name) { return name.find(part) != name.npos; };
      const auto tensor = std::ranges::find_if(tensors, has_part);
      const auto scalar = std::ranges::find_if(numbers, has_part);
      if (tensor == tensors.end() && scalar == numbers.end()) continue;
      refusals_.add("wanted no " + std::string(description) + ", got " +
                    (tensor == tensors.end() ? *scalar : printable(*tensor, 80)));
      std::erase_if(numbers, has_part);
    }
    refusals_.require(numbers.empty(), "numbers of networks that gloss lacks: " + shown_list(numbers));
  }

  void expect(bool holds, const std::string& name, const std::string& wanted, const at::Scalar& got) {
    refusals_.require(holds, printable(name, 80) + ": wanted " + wanted + ", got " + formatted("%g", got.toDouble()));
  }

  /// Returns a number of a side. Before revision 5 both sides had one.
  double number(const std::string& side, const std::string& key, double fallback) const {
    const auto own = file_.number(side + '/' + key), joint = file_.number(key);
    return own ? own->toDouble() : joint ? joint->toDouble() : fallback;
  }

  /// Returns a value of both sides; refuses it if they differ.
  double both(const std::string& key, const std::function<double(const std::string& side)>& value_of) {
    const auto source = value_of("encoder"), target = value_of("decoder");
    expect(source == target, "decoder/" + key, formatted("%g", source) + " as in the encoder", target);
    return source;
  }
  double both(const std::string& key, double fallback) {
    return both(key, [&](const std::string& side) { return number(side, key, fallback); });
  }
  bool both_have(const std::string& tensor) {
    return both(tensor, [&](const std::string& side) { return file_.has(side + '/' + tensor) ? 1 : 0; }) == 1;
  }

  /// Returns the axis of a matrix, or 0.
  std::int64_t size(const std::string& tensor, std::size_t axis) const {
    return file_.has(tensor) && file_.info(tensor).shape.size() == 2 ? file_.info(tensor).shape[axis] : 0;
  }

  /// Sets the sizes. Returns whether all of them are possible.
  bool read_sizes() {
    auto& model = network_.model;
    const auto before = refusals_.reasons().size();
    const auto expect_size = [&](std::int64_t value, const std::string& name, std::int64_t max) {
      expect(value >= 1 && value <= max, name, "1 to " + std::to_string(max), value);
      return value;
    };
    const auto layers = [&](const std::string& side) {
      std::int64_t count = 0;
      while (size(side + "/layer_" + std::to_string(count) + "/ffn/linear_0/weight", 0) > 0) ++count;
      return expect_size(count, side + ": layers", ModelConfig::kMaxLayers);
    };
    const auto width = [&](const std::string& tensor, std::size_t axis) {
      return expect_size(size(tensor, axis), tensor + ": axis " + std::to_string(axis), ModelConfig::kMaxWidth);
    };
    model.encoder_layers = layers("encoder");
    model.decoder_layers = layers("decoder");
    model.d_model = width("decoder/embeddings/weight", 1);
    model.d_ff = width("encoder/layer_0/ffn/linear_0/weight", 0);
    if (const auto decoder = width("decoder/layer_0/ffn/linear_0/weight", 0); decoder != model.d_ff)
      model.d_ff_decoder = decoder;
    const auto heads = both("num_heads", 8);
    const bool divides = heads >= 1 && heads <= static_cast<double>(model.d_model) &&
                         model.d_model % static_cast<std::int64_t>(heads) == 0;
    expect(divides, "decoder/num_heads", "a divisor of the width " + std::to_string(model.d_model), heads);
    expect(model.d_model % 2 == 0, "the width of the embeddings", "an even number", model.d_model);
    model.heads = divides ? static_cast<std::int64_t>(heads) : 1;
    return refusals_.reasons().size() == before;
  }

  void read_switches() {
    auto& model = network_.model;
    model.norm = both("pre_norm", 1) != 0 ? NormPlace::kPre : NormPlace::kPost;
    model.final_norm = both_have("layer_norm/gamma");
    model.embedding_norm = both_have("layernorm_embedding/gamma");
    model.norm_type = both_have("layer_0/ffn/layer_norm/beta") ? NormType::kLayer : NormType::kRms;
    const auto usual = model.norm_type == NormType::kLayer ? kUsualEpsilon : kRmsEpsilon;
    model.layer_norm_epsilon = JsonFields(config_, refusals_).number("layer_norm_epsilon", 0, 1, usual);

    const auto activation = both("activation", 0);
    const bool is_gated = both_have("layer_0/ffn/linear_0_noact/weight");
    const auto names = std::ranges::find_if(kActivationNames, [&](const ActivationNames& known) {
      return known.ctranslate2 == activation && has_gate(known.activation) == is_gated;
    });
    expect(names != kActivationNames.end(), "decoder/activation",
           is_gated ? "a gate with 2 (swish) or 6 (sigmoid)" : "0 (relu), 2 (swish), 3 (gelu) or 4 (gelu by a sigmoid)",
           activation);
    if (names != kActivationNames.end()) model.activation = names->activation;

    const auto scale = both("scale_embeddings", [&](const std::string& side) { return embedding_scale(side); });
    const auto root = std::sqrt(static_cast<double>(model.d_model));
    const bool is_root = std::abs(scale - root) < 1e-5 * root;
    expect(is_root || scale == 1, "decoder/scale_embeddings",
           "1 or the square root of the width, " + formatted("%g", root), scale);
    model.embedding_scale = is_root ? EmbeddingScale::kSqrt : EmbeddingScale::kOne;
    model.decoder_start =
        number("decoder", "start_from_zero_embedding", 0) != 0 ? DecoderStart::kZero : DecoderStart::kBosRow;
  }

  /// Returns the factor of the embeddings: an integer is a flag.
  double embedding_scale(const std::string& side) const {
    const auto given = file_.number(side + "/scale_embeddings"),
               older = file_.number(side + "/embeddings/multiply_by_sqrt_depth");
    const auto scale = given ? given : older;
    if (scale && scale->isFloatingPoint()) return scale->toDouble();
    return !scale || scale->toLong() != 0 ? std::sqrt(static_cast<double>(network_.model.d_model)) : 1;
  }

  /// Returns whether two names have the same tensor.
  bool is_same(const std::string& a, const std::string& b) const {
    return file_.has(a) && file_.has(b) && file_.original(a) == file_.original(b);
  }

  void read_ties(bool shares_vocabulary) {
    const std::string target = "decoder/embeddings/weight";
    const bool ties_output = is_same(target, "decoder/projection/weight");
    const bool ties_source =
        is_same(target, "encoder/embeddings_0/weight") || is_same(target, "encoder/embeddings/weight");
    network_.model.tie_embeddings = !ties_output                       ? TieEmbeddings::kNone
                                    : ties_source && shares_vocabulary ? TieEmbeddings::kAll
                                                                       : TieEmbeddings::kDecoder;
  }

  void read_positions() {
    auto& model = network_.model;
    const auto source = position_table("encoder");
    const auto target = is_same("encoder" + kEncodings, "decoder" + kEncodings) ? source : position_table("decoder");
    refusals_.require(source == target, "decoder" + kEncodings + ": wanted positions as in the encoder, got others");
    model.positions = source.positions;
    if (source.positions == Positions::kSinusoidal) {
      model.position_frequencies = source.frequencies;
      model.first_position = source.first;
      network_.separates_channels = source.separates_channels;
    }
    if (source.positions == Positions::kLearned)
      model.max_positions = std::clamp<std::int64_t>(size("encoder" + kEncodings, 0), 1, ModelConfig::kMaxPositions);
  }

  PositionTable position_table(const std::string& side) const {
    constexpr double kTolerance = 2e-3, kHalfTolerance = 6e-3;  // of float32 up to position 5,000, and of 8 bits
    constexpr std::int64_t kFirstPositions = 3;
    const auto name = side + kEncodings;
    if (!file_.has(name)) return {};
    PositionTable best{.positions = Positions::kLearned, .first = 0, .separates_channels = false};
    if (size(name, 1) != network_.model.d_model) return best;  // refused later
    const auto table = file_.tensor(name).to(at::kFloat);
    if (table.count_nonzero().item<std::int64_t>() == 0) return {.positions = Positions::kNone};
    auto least = file_.info(name).type == at::kFloat ? kTolerance : kHalfTolerance;
    for (const auto frequencies : {PositionFrequencies::kPaper, PositionFrequencies::kTensor2Tensor})
      for (std::int64_t first = 0; first < kFirstPositions; ++first) {
        auto config = network_.model;
        config.positions = Positions::kSinusoidal;
        config.position_frequencies = frequencies;
        config.first_position = first;
        const auto sinusoids = make_positions(config)->forward(0, table.size(0), at::kCPU);
        for (const bool separates : {false, true}) {
          const auto wanted = separates ? separate_channels(sinusoids, 1) : sinusoids;
          const auto difference = (table - wanted).abs().max().item<double>();
          if (!(difference < least)) continue;
          least = difference;
          best = {Positions::kSinusoidal, frequencies, first, separates};
        }
      }
    return best;
  }

  const Ctranslate2Bin& file_;
  const Json& config_;
  Refusals& refusals_;
  Ctranslate2Network network_;
};

}  // namespace

Ctranslate2Network ctranslate2_network(const Ctranslate2Bin& file, const Json& config, bool shares_vocabulary,
                                       Refusals& refusals) {
  return Ctranslate2NetworkReader(file, config, refusals).read(shares_vocabulary);
}

bool is_position_table(std::string_view tensor) { return tensor.ends_with(kEncodings); }

}  // namespace gloss
