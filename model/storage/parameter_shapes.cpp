#include "model/storage/parameter_shapes.h"

namespace gloss {
namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

void add_linear(Shapes& shapes, const std::string& name, std::int64_t in, std::int64_t out) {
  shapes[name + ".weight"] = {out, in};
  shapes[name + ".bias"] = {out};
}

void add_norm(Shapes& shapes, const std::string& name, std::int64_t width) {
  shapes[name + ".weight"] = {width};
  shapes[name + ".bias"] = {width};
}

void add_attention(Shapes& shapes, const std::string& name, std::int64_t width) {
  for (const char* part : {".query", ".key", ".value", ".output"}) add_linear(shapes, name + part, width, width);
  add_norm(shapes, name + "_norm", width);
}

void add_stack(Shapes& shapes, const std::string& name, std::int64_t layers, const ModelConfig& config) {
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = name + ".layers." + std::to_string(i);
    add_attention(shapes, layer + ".self_attention", config.d_model);
    if (name == "decoder") add_attention(shapes, layer + ".cross_attention", config.d_model);
    add_linear(shapes, layer + ".feed_forward.inner", config.d_model, config.d_ff);
    add_linear(shapes, layer + ".feed_forward.outer", config.d_ff, config.d_model);
    add_norm(shapes, layer + ".feed_forward_norm", config.d_model);
  }
  if (config.has_final_norm()) add_norm(shapes, name + ".norm", config.d_model);
}

}  // namespace

Shapes parameter_shapes(const ModelConfig& config, const Vocabularies& vocabularies) {
  const auto D = config.d_model;
  Shapes shapes;
  add_stack(shapes, "encoder", config.encoder_layers, config);
  add_stack(shapes, "decoder", config.decoder_layers, config);
  shapes["source_embedding.weight"] = {vocabularies.source, D};
  if (config.tie_embeddings != TieEmbeddings::kAll) shapes["target_embedding.weight"] = {vocabularies.target, D};
  if (config.tie_embeddings == TieEmbeddings::kNone) shapes["generator.weight"] = {vocabularies.target, D};
  shapes["generator.bias"] = {vocabularies.target};
  if (config.positions == Positions::kLearned) {
    shapes["source_positions.weight"] = {config.max_positions, D};
    shapes["target_positions.weight"] = {config.max_positions, D};
  }
  return shapes;
}

std::int64_t count_parameters(const ModelConfig& config, const Vocabularies& vocabularies) {
  std::int64_t count = 0;
  for (const auto& [name, shape] : parameter_shapes(config, vocabularies)) {
    std::int64_t product = 1;
    for (const auto size : shape) product *= size;
    count += product;
  }
  return count;
}

}  // namespace gloss
