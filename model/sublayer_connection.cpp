#include "model/sublayer_connection.h"

#include <utility>

#include "model/dropout.h"

namespace gloss {

SublayerConnection::SublayerConnection(const SitedModule& sublayer, Norm norm, const ModelConfig& config)
    : sublayer_(sublayer),
      norm_(std::move(norm)),
      place_(config.norm),
      residual_(config.residual),
      dropout_(config.dropout) {}

at::Tensor SublayerConnection::operator()(const at::Tensor& x, const Sublayer& sublayer, const Pass& pass) {
  const auto& site = sublayer_.site();
  const auto value = sublayer(place_ == NormPlace::kPre ? norm_(x, pass) : x);  // [B, T, D]
  if (pass.probe != nullptr) pass.probe->output(site, value);
  const auto sum =
      residual_ ? dropout_and_add(x, value, dropout_, pass, site) : dropout(value, dropout_, pass, site);  // [B, T, D]
  return place_ == NormPlace::kPre ? sum : norm_(sum, pass);
}

}  // namespace gloss
