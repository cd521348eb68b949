#include "model/mask.h"

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class MaskTest : public DeviceTest {
 protected:
  static at::Tensor bits(std::initializer_list<int> values, at::IntArrayRef shape) {
    return at::tensor(at::ArrayRef<int>(values), at::kInt).to(at::kBool).view(shape).to(device());
  }
};

TEST_P(MaskTest, PaddingHidesKeysFromTheLengthOn) {
  EXPECT_THAT(Mask::padding({2, 0, 3}).visible(5, 3, device()),
              SameAs(bits({1, 1, 0, 0, 0, 0, 1, 1, 1}, {3, 1, 1, 3})));
}

TEST_P(MaskTest, CausalHidesWhatIsLater) {
  EXPECT_THAT(Mask::causal().visible(3, 3, device()), SameAs(bits({1, 0, 0, 1, 1, 0, 1, 1, 1}, {1, 1, 3, 3})));
}

TEST_P(MaskTest, CausalQueriesAreTheLastWhereKeysAreMore) {
  EXPECT_THAT(Mask::causal().visible(2, 3, device()), SameAs(bits({1, 1, 0, 1, 1, 1}, {1, 1, 2, 3})));
}

TEST_P(MaskTest, CausalWithLengthsHidesBoth) {
  EXPECT_THAT(Mask::causal({1, 2}).visible(2, 2, device()), SameAs(bits({1, 0, 1, 0, 1, 0, 1, 1}, {2, 1, 2, 2})));
}

TEST_P(MaskTest, HidingAddsUp) {
  const auto mask =
      Mask::padding({3, 2}).hiding(bits({1, 0, 0, 0, 0, 0}, {2, 3})).hiding(bits({0, 1, 0, 0, 1, 0}, {2, 3}));
  EXPECT_THAT(mask.visible(1, 3, device()), SameAs(bits({0, 0, 1, 1, 0, 0}, {2, 1, 1, 3})));
}

TEST_P(MaskTest, WhetherItHidesAnythingNeedsNoTensor) {
  EXPECT_TRUE(Mask::unmasked().all_visible(4, 4));
  EXPECT_TRUE(Mask::padding({4, 4}).all_visible(2, 4));
  EXPECT_FALSE(Mask::padding({4, 3}).all_visible(2, 4));
  EXPECT_TRUE(Mask::causal().all_visible(1, 4));
  EXPECT_FALSE(Mask::causal().all_visible(2, 4));
  EXPECT_FALSE(Mask::unmasked().hiding(bits({0}, {1, 1})).all_visible(1, 1));
}

TEST_P(MaskTest, KeptIsTheSameMaskWhoseTensorIsMadeOnce) {
  const auto hidden = bits({0, 0, 1, 0, 0, 0}, {2, 3});
  for (const auto& mask :
       {Mask::padding({2, 3}), Mask::causal(), Mask::causal({1, 3}), Mask::unmasked().hiding(hidden)}) {
    const auto kept = mask.cached(), copy = kept;
    const auto first = kept.visible(3, 3, device());
    EXPECT_THAT(first, SameAs(mask.visible(3, 3, device())));
    EXPECT_TRUE(copy.visible(3, 3, device()).is_same(first));
    EXPECT_FALSE(mask.visible(3, 3, device()).is_same(first)) << "nobody asked it to keep any";
    EXPECT_THAT(kept.visible(2, 3, device()), SameAs(mask.visible(2, 3, device())));
    EXPECT_THAT(kept.visible(3, 3, device()), SameAs(first));
    EXPECT_THAT(kept.hiding(hidden).visible(3, 3, device()), SameAs(mask.hiding(hidden).visible(3, 3, device())));
    EXPECT_THAT(kept.visible(3, 3, device()), SameAs(first)) << "hiding more wrote into what is kept";
  }
}

TEST_P(MaskTest, SelectNamesSentences) {
  const auto hidden = bits({0, 0, 1, 0, 1, 0}, {2, 3});
  for (const auto& mask : {Mask::padding({2, 3}).hiding(hidden), Mask::causal({1, 3}), Mask::causal()}) {
    const auto wanted = mask.visible(3, 3, device()).expand({2, 1, -1, 3}).flip(0);
    const auto filled = mask.cached();
    filled.visible(3, 3, device());
    for (const auto& selected : {mask.select({1, 0}), filled.select({1, 0})}) {
      EXPECT_THAT(selected.visible(3, 3, device()).expand_as(wanted), SameAs(wanted));
    }
  }
}

TEST_P(MaskTest, RejectsWhatDoesNotFit) {
  EXPECT_THAT(
      [] {
        Mask::padding({2, 5}).visible(1, 4, device());
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths from 0 to 4, got 5")));
  EXPECT_THAT(
      [] {
        Mask::padding({2}).hiding(bits({0, 0}, {2, 1})).visible(1, 2, device());
      },
      ThrowsMessage<ShapeError>(HasSubstr("hidden: wanted [1, 2], got [2, 1]")));
}

TEST_P(MaskTest, FitsOnlySentencesAndKeysOfItsOwnNumber) {
  const auto hidden = bits({0, 0, 0, 0}, {2, 2});
  EXPECT_NO_THROW(Mask::causal({2, 0}).hiding(hidden).expect_fits(2, 2));
  EXPECT_NO_THROW(Mask::causal().expect_fits(5, 7));
  EXPECT_THAT([] { Mask::padding({2}).expect_fits(3, 4); },
              ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths of 3 sentences, got 1")));
  EXPECT_THAT(
      [] {
        Mask::padding({4, 9}).cached().expect_fits(2, 4);
      },
      ThrowsMessage<ShapeError>(HasSubstr("mask: wanted lengths from 0 to 4, got 9")));
  EXPECT_THROW(Mask::padding({-1}).expect_fits(1, 4), ShapeError);
  EXPECT_THAT([&] { Mask::unmasked().hiding(hidden).expect_fits(2, 3); },
              ThrowsMessage<ShapeError>(HasSubstr("hidden: wanted [2, 3], got [2, 2]")));
  EXPECT_THROW(Mask::unmasked().hiding(hidden).expect_fits(1, 2), ShapeError);
}

INSTANTIATE_DEVICES(MaskTest);

}  // namespace
}  // namespace gloss
