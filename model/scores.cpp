#include "model/scores.h"

#include <memory>

#include "model/attention.h"

namespace gloss {
namespace {

class ScaledDot final : public ScoresImpl {
 public:
  at::Tensor forward(const at::Tensor& query, const at::Tensor& key) override { return scaled_dot_scores(query, key); }
  bool is_scaled_dot() const override { return true; }
};

}  // namespace

Scores scaled_dot() { return std::shared_ptr<ScoresImpl>(std::make_shared<ScaledDot>()); }

}  // namespace gloss
