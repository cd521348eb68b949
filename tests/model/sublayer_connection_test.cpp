#include "model/sublayer_connection.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/dropout.h"
#include "model/layer_norm.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class OutputProbe final : public Probe {
 public:
  void attention(std::string_view, at::Tensor&, const at::Tensor&) override {}
  void output(std::string_view site, const at::Tensor& value) override {
    site_ = site;
    value_ = value;
  }
  std::string site_;
  at::Tensor value_;
};

class SublayerConnectionTest : public DeviceTest {
 protected:
  SublayerConnectionTest() {
    norm_->to(device());
    sublayer_.set_site("encoder.layers.0.feed_forward");
  }

  static at::Tensor square(const at::Tensor& x) { return x * x; }

  // Place, dropout 0.5, and whether x is added.
  SublayerConnection around(NormPlace place, bool residual = true) const {
    ModelConfig config;
    config.norm = place;
    config.dropout = 0.5;
    config.residual = residual;
    return SublayerConnection(sublayer_, Norm(std::shared_ptr<NormImpl>(norm_.ptr())), config);
  }

  SitedModule sublayer_;
  LayerNorm norm_{8};
  const at::Tensor x_ = formula_tensor({2, 3, 8}, device());
};

TEST_P(SublayerConnectionTest, PreNormKeepsTheWayPastTheSublayerFree) {
  EXPECT_THAT(around(NormPlace::kPre)(x_, square, Pass{}), SameAs(x_ + square(norm_(x_, Pass{}))));
}

TEST_P(SublayerConnectionTest, PostNormNormsTheSum) {
  EXPECT_THAT(around(NormPlace::kPost)(x_, square, Pass{}), SameAs(norm_(x_ + square(x_), Pass{})));
}

TEST_P(SublayerConnectionTest, DropsTheSublayersOutputWhileTraining) {
  const RandomStream stream(1, "dropout");
  const Pass training{.training = true, .random = &stream};
  auto pre = around(NormPlace::kPre), post = around(NormPlace::kPost);
  EXPECT_THAT(pre(x_, square, training),
              SameAs(x_ + dropout(square(norm_(x_, Pass{})), 0.5, training, sublayer_.site())));
  EXPECT_THAT(post(x_, square, training),
              SameAs(norm_(x_ + dropout(square(x_), 0.5, training, sublayer_.site()), training)));
}

TEST_P(SublayerConnectionTest, ProbeSeesTheSublayersOwnOutput) {
  OutputProbe probe;
  around(NormPlace::kPre)(x_, square, Pass{.probe = &probe});
  EXPECT_EQ(probe.site_, "encoder.layers.0.feed_forward");
  EXPECT_THAT(probe.value_, SameAs(square(norm_(x_, Pass{}))));
}

TEST_P(SublayerConnectionTest, WithoutTheResidualConnectionXIsNotAdded) {
  EXPECT_THAT(around(NormPlace::kPre, false)(x_, square, Pass{}), SameAs(square(norm_(x_, Pass{}))));
  EXPECT_THAT(around(NormPlace::kPost, false)(x_, square, Pass{}), SameAs(norm_(square(x_), Pass{})));
  const RandomStream stream(1, "dropout");
  const Pass training{.training = true, .random = &stream};
  EXPECT_THAT(around(NormPlace::kPre, false)(x_, square, training),
              SameAs(dropout(square(norm_(x_, Pass{})), 0.5, training, sublayer_.site())));
}

INSTANTIATE_DEVICES(SublayerConnectionTest);

}  // namespace
}  // namespace gloss
