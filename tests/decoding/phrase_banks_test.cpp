#include "decoding/phrase_banks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/beam.h"

namespace gloss {
namespace {

using testing::ElementsAre;

/// Returns the ids that live or finish, from candidates {missing, id} in the order of their probability.
Ids shared(const std::vector<std::pair<std::int64_t, Id>>& candidates, std::int64_t beam_size, std::int64_t rows) {
  std::vector<BankedCandidate> banked;
  double log_probability = 0;
  for (const auto& [missing, id] : candidates) banked.push_back({{0, id, --log_probability}, missing});
  Ids ids;
  for (const auto& candidate : share_rows(banked, beam_size, rows)) ids.push_back(candidate.id);
  return ids;
}

TEST(PhraseBanksTest, BanksShareTheRowsWhateverTheirProbability) {
  EXPECT_THAT(shared({{2, 10}, {2, 11}, {2, 12}, {2, 13}, {1, 14}, {1, 15}, {0, 16}, {0, 17}}, 4, 4),
              ElementsAre(10, 14, 16, 17));
  EXPECT_THAT(shared({{2, 10}, {2, 11}, {2, 12}, {2, 13}, {1, 14}, {1, 15}, {0, 16}, {0, 17}}, 4, 6),
              ElementsAre(10, 11, 14, 15, 16, 17));
}

TEST(PhraseBanksTest, UnusedRowsOfABankGoToTheOthers) {
  EXPECT_THAT(shared({{3, 10}, {3, 11}, {3, 12}, {0, 13}}, 4, 4), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(shared({{1, 10}}, 4, 4), ElementsAre(10));
  EXPECT_THAT(shared({}, 4, 4), testing::IsEmpty());
}

TEST(PhraseBanksTest, WithFewerRowsThanBanksTheFullestHaveThem) {
  EXPECT_THAT(shared({{3, 10}, {2, 11}, {1, 12}, {0, 13}}, 2, 2), ElementsAre(12, 13));
  EXPECT_THAT(shared({{3, 10}, {2, 11}, {1, 12}}, 1, 1), ElementsAre(12));
}

TEST(PhraseBanksTest, EosFinishesAmongTheBestOfItsBankForWhichThereAreRows) {
  EXPECT_THAT(shared({{1, 10}, {1, 11}, {0, kEos}, {0, 12}, {0, 13}}, 4, 4), ElementsAre(kEos, 10, 11, 12, 13));
  EXPECT_THAT(shared({{1, 10}, {1, 11}, {0, 12}, {0, 13}, {0, kEos}}, 4, 4), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(shared({{0, 10}, {0, 11}, {0, kEos}}, 2, 4), ElementsAre(10, 11));  // not beyond the beam's size
  EXPECT_THAT(shared({{0, kEos}}, 1, 1), ElementsAre(kEos));
}

TEST(PhraseBanksTest, WithOneBankABeamAdvancesAsWithoutBanks) {
  DecodingConfig config{.beam_size = 2, .length_penalty = 0, .n_best = 2};
  const std::vector<Candidate> candidates = {{0, 10, -1}, {0, kEos, -2}, {0, 11, -3}, {0, kEos, -4}, {0, 12, -5}};
  std::vector<BankedCandidate> banked;
  for (const auto& candidate : candidates) banked.push_back({candidate, 0});
  Beam plain(config, 9), with_banks(config, 9);
  plain.advance(std::span(candidates).first(4));
  with_banks.advance(share_rows(banked, 2, 2));
  ASSERT_EQ(with_banks.rows().size(), plain.rows().size());
  for (std::size_t k = 0; k < plain.rows().size(); ++k)
    EXPECT_EQ(with_banks.ids(with_banks.rows()[k]), plain.ids(plain.rows()[k]));
  ASSERT_EQ(with_banks.best().size(), 1u);
  EXPECT_EQ(with_banks.best()[0].score, plain.best()[0].score);
}

}  // namespace
}  // namespace gloss
