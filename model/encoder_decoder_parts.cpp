#include "model/encoder_decoder_parts.h"

#include <string>

#include "common/error.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

void expect_all_there(const EncoderDecoderParts& parts) {
  const auto expect_there = [](const auto& part, const char* name) {
    if (!part) throw Error(ExitCode::kFault, std::string("EncoderDecoder: ") + name + ": wanted a part, got nothing");
  };
  expect_there(parts.encoder, "encoder");
  expect_there(parts.decoder, "decoder");
  expect_there(parts.source_embedding, "source_embedding");
  expect_there(parts.target_embedding, "target_embedding");
  expect_there(parts.source_positions, "source_positions");
  expect_there(parts.target_positions, "target_positions");
  expect_there(parts.generator, "generator");
}

void expect_same_sizes(const EncoderDecoderParts& parts) {
  const auto D = parts.encoder->d_model(), V = parts.target_embedding->weight().size(0);
  const auto expect_d_model = [D](std::int64_t got, const char* name) {
    if (got == D) return;
    throw ShapeError(std::string("EncoderDecoder: ") + name + ": wanted d_model " + std::to_string(D) +
                     " as the encoder has, got " + std::to_string(got));
  };
  expect_d_model(parts.decoder->d_model(), "decoder");
  expect_d_model(parts.source_embedding->weight().size(1), "source_embedding");
  expect_d_model(parts.target_embedding->weight().size(1), "target_embedding");
  expect_d_model(parts.source_positions->d_model(), "source_positions");
  expect_d_model(parts.target_positions->d_model(), "target_positions");
  expect_shape(parts.generator->weight(), {V, D}, "EncoderDecoder: generator's weight");
}

// A borrowed weight that no part registers would not be trained, saved or moved to another device.
void expect_registered_weight(const EncoderDecoderParts& parts) {
  if (!parts.generator->is_tied() || parts.generator->weight().is_same(parts.target_embedding->weight())) return;
  throw Error(ExitCode::kFault,
              "EncoderDecoder: generator: wanted a weight of its own or target_embedding's, got another tensor");
}

}  // namespace

void EncoderDecoderParts::validate() const {
  expect_all_there(*this);
  expect_same_sizes(*this);
  expect_registered_weight(*this);
}

}  // namespace gloss
