#include "model/encoder_decoder_modules.h"

#include <string>

#include "common/error.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

void expect_all_there(const EncoderDecoderModules& modules) {
  const auto expect_there = [](const auto& module, const char* name) {
    if (!module)
      throw Error(ExitCode::kFault, std::string("EncoderDecoder: ") + name + ": wanted a module, got nothing");
  };
  expect_there(modules.encoder, "encoder");
  expect_there(modules.decoder, "decoder");
  expect_there(modules.source.embedding, "source_embedding");
  expect_there(modules.target.embedding, "target_embedding");
  expect_there(modules.source.positions, "source_positions");
  expect_there(modules.target.positions, "target_positions");
  expect_there(modules.generator, "generator");
}

void expect_same_sizes(const EncoderDecoderModules& modules) {
  const auto D = modules.encoder->d_model(), V = modules.target.embedding->weight().size(0);
  const auto expect_d_model = [D](std::int64_t got, const char* name) {
    if (got == D) return;
    throw ShapeError(std::string("EncoderDecoder: ") + name + ": wanted d_model " + std::to_string(D) +
                     " as the encoder has, got " + std::to_string(got));
  };
  expect_d_model(modules.decoder->d_model(), "decoder");
  expect_d_model(modules.source.embedding->weight().size(1), "source_embedding");
  expect_d_model(modules.target.embedding->weight().size(1), "target_embedding");
  expect_d_model(modules.source.positions->d_model(), "source_positions");
  expect_d_model(modules.target.positions->d_model(), "target_positions");
  expect_shape(modules.generator->weight(), {V, D}, "EncoderDecoder: generator's weight");
}

// A borrowed weight that no module registers would not be trained, saved or moved to another device.
void expect_registered_weight(const EncoderDecoderModules& modules) {
  if (!modules.generator->is_tied() || modules.generator->weight().is_same(modules.target.embedding->weight())) return;
  throw Error(ExitCode::kFault,
              "EncoderDecoder: generator: wanted a weight of its own or target_embedding's, got another tensor");
}

}  // namespace

void EncoderDecoderModules::register_in(torch::nn::Module& network) const {
  expect_all_there(*this);
  expect_same_sizes(*this);
  expect_registered_weight(*this);
  network.register_module("encoder", encoder);
  network.register_module("decoder", decoder);
  network.register_module("source_embedding", source.embedding);
  network.register_module("source_positions", source.positions);
  network.register_module("generator", generator);
  if (target.embedding.ptr() != source.embedding.ptr()) network.register_module("target_embedding", target.embedding);
  if (target.positions.ptr() != source.positions.ptr()) network.register_module("target_positions", target.positions);
  if (source.norm) network.register_module("source_embedding_norm", source.norm);
  if (target.norm) network.register_module("target_embedding_norm", target.norm);
}

}  // namespace gloss
