#include "model/encoder_decoder.h"

#include <ATen/TensorOperators.h>

#include "model/dropout.h"
#include "model/pass.h"

namespace gloss {

EncoderDecoderImpl::EncoderDecoderImpl(const EncoderDecoderModules& modules) : modules_(modules) {
  modules_.register_in(*this);
  set_sites(*this);
}

at::Tensor EncoderDecoderImpl::forward(const PaddedIds& source, const PaddedIds& target, const Pass& pass) {
  return decode(target, encode(source, pass), Mask::padding(source.lengths), pass);
}

at::Tensor EncoderDecoderImpl::encode(const PaddedIds& source, const Pass& pass) {
  return encode(source, Mask::padding(source.lengths), pass);
}

at::Tensor EncoderDecoderImpl::encode(const PaddedIds& source, const Mask& mask, const Pass& pass) {
  expect_batch(source, source_positions()->limit(), "source");
  const auto x = embed(modules_.source, source.ids, 0, pass, "source_embedding");  // [B, S, D]
  return modules_.encoder(x, probed_mask(mask, x, pass), pass);
}

at::Tensor EncoderDecoderImpl::decode(const PaddedIds& target, const at::Tensor& memory, const Mask& source_mask,
                                      const Pass& pass) {
  expect_batch(target, target_positions()->limit(), "target");
  const auto y = embed(modules_.target, target.ids, 0, pass, "target_embedding");  // [B, T, D]
  return modules_.decoder(y, Memory{memory, probed_mask(source_mask, memory, pass)}, pass);
}

at::Tensor EncoderDecoderImpl::embed(InputModules& side, const at::Tensor& ids, std::int64_t first, const Pass& pass,
                                     const std::string& site) const {
  auto tokens = side.embedding(ids, pass);                                                     // [B, T, D]
  auto positions = side.positions(first, ids.size(1), ids.device()).to(tokens.scalar_type());  // [T, D]
  if (pass.probe != nullptr) pass.probe->embedding(site, tokens, positions);
  auto sum = tokens + positions;
  if (side.norm) {
    sum = side.norm(sum, pass);
    if (pass.probe != nullptr) pass.probe->output(site + "_norm", sum);
  }
  return dropout(sum, modules_.dropout, pass, site);
}

Mask EncoderDecoderImpl::probed_mask(const Mask& mask, const at::Tensor& source, const Pass& pass) {
  auto result = mask;
  if (pass.probe != nullptr) pass.probe->source_mask(result, source.size(0), source.size(1));
  return result;
}

at::Device EncoderDecoderImpl::device() const { return modules_.source.embedding->weight().device(); }

}  // namespace gloss
