#include "model/sublayer_connection.h"

#include <utility>

#include "model/dropout.h"

namespace gloss {

SublayerConnection::SublayerConnection(Norm norm, const ModelConfig& config, std::string site)
    : norm_(std::move(norm)),
      place_(config.norm),
      residual_(config.residual),
      dropout_(config.dropout),
      site_(std::move(site)) {}

at::Tensor SublayerConnection::operator()(const at::Tensor& x, const Sublayer& sublayer, const Pass& pass) {
  const auto value = sublayer(place_ == NormPlace::kPre ? norm_(x, pass) : x);  // [B, T, D]
  if (pass.probe != nullptr) pass.probe->output(site_, value);
  const auto sum = residual_ ? dropout_and_add(x, value, dropout_, pass, site_)
                             : dropout(value, dropout_, pass, site_);  // [B, T, D]
  return place_ == NormPlace::kPre ? sum : norm_(sum, pass);
}

}  // namespace gloss
