#include "training/flat_layout.h"

#include <vector>

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

std::vector<at::Tensor> parameters() {
  std::vector<at::Tensor> tensors;
  for (const std::int64_t size : {1, 17, 100'000, 5, 40'000}) tensors.push_back(at::empty({size}));
  return tensors;
}

TEST(FlatLayoutTest, PiecesHoldEachElementOnceAndNoneCrossesAChunk) {
  const auto tensors = parameters();
  const FlatLayout layout(tensors);
  const auto chunk = layout.slice() / layout.chunks_of_slice();
  std::vector<std::int64_t> next(tensors.size());
  std::int64_t end = 0;
  for (const auto& [parameter, begin, offset, count] : layout.pieces()) {
    EXPECT_EQ(begin, next[parameter]);
    EXPECT_EQ(offset, layout.offset(parameter) + begin);
    EXPECT_EQ(offset / chunk, (offset + count - 1) / chunk);
    EXPECT_GE(offset, end) << "pieces overlap";
    next[parameter] += count;
    end = offset + count;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(next[i], tensors[i].numel()) << i;
    EXPECT_EQ(layout.offset(i) % 16, 0) << i;
  }
}

TEST(FlatLayoutTest, PiecesDoNotDependOnTheProcesses) {
  const auto tensors = parameters();
  const FlatLayout alone(tensors);
  for (const std::int64_t processes : {2, 3, 100}) {
    const FlatLayout layout(tensors, processes);
    ASSERT_EQ(layout.pieces().size(), alone.pieces().size());
    for (std::size_t i = 0; i < alone.pieces().size(); ++i) {
      EXPECT_EQ(layout.pieces()[i].offset, alone.pieces()[i].offset);
      EXPECT_EQ(layout.pieces()[i].count, alone.pieces()[i].count);
    }
    const auto& last = layout.pieces().back();
    EXPECT_LE(last.offset + last.count, layout.slice() * processes);
    EXPECT_EQ(layout.begin_of(layout.chunks_of_slice() * processes), layout.pieces().size());
  }
}

}  // namespace
}  // namespace gloss
