#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tests/decoding/collected_search.h"

namespace gloss {

/// 40 sentences of 1 to 11 pieces and eos, over the 20 pieces of small_model.
inline std::vector<Ids> many_sources() {
  std::vector<Ids> sources;
  for (std::int32_t b = 0; b < 40; ++b) {
    auto& ids = sources.emplace_back();
    for (std::int32_t s = 0; s < 1 + b * 7 % 11; ++s) ids.push_back(4 + (b * 5 + s * 3) % 16);
    ids.push_back(kEos);
  }
  return sources;
}

inline DecodingConfig search_config(std::int64_t beam_size, std::int64_t batch_size) {
  return {.beam_size = beam_size, .max_length = 14, .n_best = beam_size, .batch_size = batch_size};
}

using Found = std::vector<std::vector<Hypothesis>>;

inline void expect_same_bits(const Found& got, const Found& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(got[i].size(), wanted[i].size());
    for (std::size_t k = 0; k < wanted[i].size(); ++k) {
      EXPECT_EQ(got[i][k].ids, wanted[i][k].ids) << "sentence " << i << ", hypothesis " << k;
      EXPECT_EQ(got[i][k].log_probability, wanted[i][k].log_probability) << "sentence " << i << ", hypothesis " << k;
      EXPECT_EQ(got[i][k].score, wanted[i][k].score) << "sentence " << i << ", hypothesis " << k;
    }
  }
}

/// Searches the sentences in batches of several sizes, in two orders, with several numbers of threads.
inline void expect_bits_of_the_line_alone(const Scorer& scorer, const std::vector<Ids>& sources) {
  const int threads_before = at::get_num_threads();
  for (const std::int64_t beam_size : {1, 4}) {
    at::set_num_threads(1);
    const auto wanted = collected_search(scorer, sources, search_config(beam_size, 1));
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      for (const std::int64_t batch_size : {1, 3, 64}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, batches of " + std::to_string(batch_size));
        expect_same_bits(collected_search(scorer, sources, search_config(beam_size, batch_size)), wanted);
      }
      auto reversed = sources;
      std::ranges::reverse(reversed);
      auto backwards = collected_search(scorer, reversed, search_config(beam_size, 7));
      std::ranges::reverse(backwards);
      expect_same_bits(backwards, wanted);
    }
  }
  at::set_num_threads(threads_before);
}

}  // namespace gloss
