#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/inference/inference_model.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class InferenceStateTest : public ::testing::Test {
 protected:
  // Three sentences of two rows each, with one generated position.
  InferenceStateTest() {
    for (std::size_t b = 0; b < 3; ++b) state_.memory.push_back({place(b)});
    for (std::size_t row = 0; row < 6; ++row) state_.generated.push_back({place(10 + row)});
    state_.rows = 2;
    state_.position = 1;
  }
  const float* place(std::size_t i) const { return &floats_[i]; }

  std::array<float, 20> floats_{};
  InferenceState state_;
};

TEST_F(InferenceStateTest, SelectReordersDropsAndWidens) {
  state_.select({2, 0}, {1, 1, 0, 0, 0, 1});
  EXPECT_EQ(state_.sentences(), 2);
  EXPECT_EQ(state_.rows, 3);
  EXPECT_EQ(state_.position, 1);
  EXPECT_THAT(state_.memory, ElementsAre(ElementsAre(place(2)), ElementsAre(place(0))));
  EXPECT_THAT(state_.generated, ElementsAre(ElementsAre(place(15)), ElementsAre(place(15)), ElementsAre(place(14)),
                                            ElementsAre(place(10)), ElementsAre(place(10)), ElementsAre(place(11))));
}

TEST_F(InferenceStateTest, SelectedCopiesAreIndependent) {
  state_.select({0}, {0, 0});
  state_.generated[0].push_back(place(1));
  EXPECT_THAT(state_.generated, ElementsAre(ElementsAre(place(10), place(1)), ElementsAre(place(10))));
}

TEST_F(InferenceStateTest, SentenceMayBeSelectedTwice) {
  state_.select({1, 1}, {0, 1});
  EXPECT_THAT(state_.generated, ElementsAre(ElementsAre(place(12)), ElementsAre(place(13))));
}

TEST_F(InferenceStateTest, SelectionMayBeEmpty) {
  state_.select({}, {});
  EXPECT_EQ(state_.sentences(), 0);
  EXPECT_THAT(state_.generated, IsEmpty());
}

TEST_F(InferenceStateTest, OutOfRangeIndexIsRefusedWithoutChanges) {
  EXPECT_THAT([&] { state_.select({3}, {0}); },
              ThrowsMessage<ShapeError>(HasSubstr("sentences: wanted 0 to 2, got 3")));
  EXPECT_THAT([&] { state_.select({-1}, {0}); }, ThrowsMessage<ShapeError>(HasSubstr("got -1")));
  EXPECT_THAT([&] { state_.select({1}, {2}); }, ThrowsMessage<ShapeError>(HasSubstr("parents: wanted 0 to 1, got 2")));
  EXPECT_THAT([&] { state_.select({1, 2}, {0, -1}); }, ThrowsMessage<ShapeError>(HasSubstr("got -1")));
  EXPECT_THAT([&] { state_.select({1, 2}, {0, 1, 0}); }, ThrowsMessage<ShapeError>(HasSubstr("2 sentences, got 3")));
  EXPECT_THAT([&] { state_.select({}, {0}); }, ThrowsMessage<ShapeError>(HasSubstr("0 sentences, got 1")));
  EXPECT_EQ(state_.sentences(), 3);
  EXPECT_EQ(state_.rows, 2);
  EXPECT_EQ(state_.generated.size(), 6u);
}

}  // namespace
}  // namespace gloss
