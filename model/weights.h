#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <torch/nn/module.h>

#include "common/random.h"
#include "model/model_config.h"

namespace gloss {

/// Names of the matrices with one row for each piece of a vocabulary, which may be tied (stored_name).
inline constexpr const char* kSourceEmbedding = "source_embedding.weight";
inline constexpr const char* kTargetEmbedding = "target_embedding.weight";
inline constexpr const char* kGeneratorMatrix = "generator.weight";

/// The scale of cosine scores at first.
inline constexpr double kFirstScale = 10;

enum class WeightKind {
  kMatrix,     ///< of a linear map, [out, in]
  kGates,      ///< of a GRU's linear maps, one below the other, [3 * out, in]
  kScore,      ///< of a score function of attention, two dimensions
  kEmbedding,  ///< [V, D]
  kPositions,  ///< learned positions, [max_positions, D], or relative ones, [buckets, H]
  kNorm,       ///< factor of a norm, or its running variance, [D]
  kBias,       ///< of a linear map or a norm, or its running mean, [out]
  kLogScale,   ///< logarithm of the scale of cosine scores, [H]
};

/// Returns the kind of the weight of this name. Throws ShapeError unless it has the dimensions of its kind.
WeightKind weight_kind(std::string_view name, std::size_t dimensions);

/// Returns whether it is the name of a running mean or variance. An update sets these without a gradient
/// (model/batch_statistics.h).
bool is_running_statistic(std::string_view name);

struct WeightInfo {
  WeightKind kind;
  std::vector<std::int64_t> shape;
  bool operator==(const WeightInfo&) const = default;
};

/// Enumerates the weights of the network that `config` describes, tied ones once, by the names of named_parameters().
/// The network is built without memory for its weights, so a file can be checked before allocating any. The sizes may
/// be those of a damaged file, but `heads` divides `d_model`.
std::map<std::string, WeightInfo> network_weights(const ModelConfig& config, const Vocabularies& vocabularies);

/// Returns the name under which network_weights has a weight: "source_embedding.weight" for "generator.weight" if all
/// three embeddings are one matrix, and `name` itself for any weight that is not tied to another.
std::string stored_name(const std::string& name, TieEmbeddings tie);

/// Returns the module of a weight. In a layer this is the sublayer or its norm: "encoder.layers.0.self_attention" for
/// "encoder.layers.0.self_attention.query.weight".
std::string module_name(const std::string& weight);

/// Returns the number of weights, tied ones once.
std::int64_t count_parameters(const ModelConfig& config, const Vocabularies& vocabularies);

/// Draws the initial weights of every parameter of `module`, by the kind that its name states:
///
/// - embeddings and positions: normal with deviation width^-0.5, the width of a row (D; H for relative positions);
/// - the row of padding of an embedding: 0;
/// - matrices: uniform within sqrt(6 / (in + out)) (Glorot and Bengio 2010), those of a GRU's gates one by one;
/// - matrices of score functions: uniform within sqrt(3 / in);
/// - factors and running variances of norms: 1;
/// - biases and running means: 0;
/// - the scale of cosine scores: kFirstScale.
///
/// Each is a function of the seed of `random` and the parameter's name alone.
void initialize(torch::nn::Module& module, const RandomStream& random);

}  // namespace gloss
