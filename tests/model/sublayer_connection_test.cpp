#include "model/sublayer_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/dropout.h"
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
  SublayerConnectionTest() { norm_->to(device()); }

  static at::Tensor square(const at::Tensor& x) { return x * x; }

  LayerNorm norm_{8};
  const at::Tensor x_ = formula_tensor({2, 3, 8}, device());
};

TEST_P(SublayerConnectionTest, PreNormKeepsTheWayPastTheSublayerFree) {
  SublayerConnection around(norm_, NormPlace::kPre, 0.5, "site");
  EXPECT_THAT(around(x_, square, Pass{}), SameAs(x_ + square(norm_(x_, Pass{}))));
}

TEST_P(SublayerConnectionTest, PostNormNormsTheSum) {
  SublayerConnection around(norm_, NormPlace::kPost, 0.5, "site");
  EXPECT_THAT(around(x_, square, Pass{}), SameAs(norm_(x_ + square(x_), Pass{})));
}

TEST_P(SublayerConnectionTest, DropsTheSublayersOutputWhileTraining) {
  const RandomStream stream(1, "dropout");
  const Pass training{.training = true, .random = &stream};
  SublayerConnection pre(norm_, NormPlace::kPre, 0.5, "site"), post(norm_, NormPlace::kPost, 0.5, "site");
  EXPECT_THAT(pre(x_, square, training), SameAs(x_ + dropout(square(norm_(x_, Pass{})), 0.5, training, "site")));
  EXPECT_THAT(post(x_, square, training), SameAs(norm_(x_ + dropout(square(x_), 0.5, training, "site"), training)));
}

TEST_P(SublayerConnectionTest, ProbeSeesTheSublayersOwnOutput) {
  OutputProbe probe;
  SublayerConnection around(norm_, NormPlace::kPre, 0.5, "encoder.layers.0.feed_forward");
  around(x_, square, Pass{.probe = &probe});
  EXPECT_EQ(probe.site_, "encoder.layers.0.feed_forward");
  EXPECT_THAT(probe.value_, SameAs(square(norm_(x_, Pass{}))));
}

INSTANTIATE_DEVICES(SublayerConnectionTest);

}  // namespace
}  // namespace gloss
