// Places at which beam search puts the phrases that its translations must contain.
#include "decoding/phrase_placement.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/replaced_words.h"
#include "decoding/search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Id kStop = 10, kPhrase = 11, kTail = 12;
constexpr std::int64_t kPlacedVocabulary = 14;

/// Copies the source A B C and a stop. The phrase has a little probability in place of any word, and more after the
/// stop.
std::vector<float> copy(const Ids& source, const Ids& generated) {
  const auto words = std::ranges::count_if(generated, [](Id id) { return id != kTail; });
  const auto place = std::min<std::size_t>(static_cast<std::size_t>(words), source.size() - 1);
  const bool has_stopped = !generated.empty() && std::ranges::find(generated, kStop) != generated.end();
  if (!generated.empty() && generated.back() == kPhrase)
    return log_of({{kTail, 0.01}, {source[place], 0.99}}, kPlacedVocabulary);
  if (has_stopped) return log_of({{kEos, 0.9}, {kPhrase, 0.1}}, kPlacedVocabulary);
  if (source[place] == kStop) return log_of({{kStop, 0.99}, {kEos, 0.01}}, kPlacedVocabulary);
  return log_of({{source[place], 0.97}, {kPhrase, 0.001}, {kStop, 0.01}}, kPlacedVocabulary);
}

/// Attends to the place of the source that is copied; a phrase takes the place of a word.
std::vector<float> attend(const Ids& source, const Ids& generated) {
  const auto words = std::ranges::count_if(generated, [](Id id) { return id != kTail; });
  const auto place = std::min<std::size_t>(static_cast<std::size_t>(words), source.size() - 1);
  std::vector<float> attention(source.size(), 0.1F / static_cast<float>(source.size()));
  attention[place] += 0.9F;
  return attention;
}

class PhrasePlacementTest : public DeviceTest {
 protected:
  SearchInputs given(std::int64_t begin, std::int64_t end, std::int64_t sentences = 1) const {
    Phrase phrase{{}, {kPhrase}};
    phrase.source_begin = begin;
    phrase.source_end = end;
    SearchInputs result;
    result.phrases.assign(static_cast<std::size_t>(sentences), {phrase});
    result.continues_word = goes_on_;
    return result;
  }
  PaddedIds source(std::int64_t sentences = 1) const {
    return pad(std::vector<Ids>(static_cast<std::size_t>(sentences), {kA, kB, kC, kStop, kEos}), device());
  }
  std::vector<Ids> found(const SearchInputs& given) const {
    return ids_of(beam_search(scorer_, source(), config_, given).at(0));
  }

  std::vector<std::uint8_t> goes_on_ = std::vector<std::uint8_t>(kPlacedVocabulary);
  DecodingConfig config_{.beam_size = 4};
  FakeScorer scorer_{copy, kPlacedVocabulary, device(), {.attention = attend}};
};

TEST(CountOccurrencesTest, OccurrencesDoNotOverlap) {
  EXPECT_EQ(count_occurrences({kA, kA, kA}, {kA, kA}), 1);
  EXPECT_EQ(count_occurrences({kA, kA, kB, kA, kA}, {kA, kA}), 2);
}

TEST_P(PhrasePlacementTest, NoPhraseStandsAfterTheEndOfTheSentence) {
  for (const std::int64_t beam_size : {1, 2, 5}) {
    config_.beam_size = beam_size;
    const auto ids = found(given(0, 0)).at(0);  // its place is not known
    const auto phrase = std::ranges::find(ids, kPhrase), stop = std::ranges::find(ids, kStop);
    EXPECT_LT(phrase, stop) << testing::PrintToString(ids);
    ASSERT_NE(stop, ids.end());
    EXPECT_EQ(stop + 1, ids.end()) << testing::PrintToString(ids);
  }
}

TEST_P(PhrasePlacementTest, APhraseTakesThePlaceOfTheReplacedWord) {
  for (const std::int64_t beam_size : {1, 2, 5})
    for (const Id place : {0, 1, 2}) {
      config_.beam_size = beam_size;
      const auto ids = found(given(place, place + 1)).at(0);
      Ids wanted = {kA, kB, kC, kStop};
      wanted[static_cast<std::size_t>(place)] = kPhrase;
      EXPECT_EQ(ids, wanted);
    }
}

TEST_P(PhrasePlacementTest, ScoresHoldThePenaltyAndLogProbabilitiesDoNot) {
  const auto hypothesis = beam_search(scorer_, source(), config_, given(1, 2)).at(0).at(0);
  EXPECT_LT(hypothesis.score, hypothesis.log_probability / static_cast<double>(hypothesis.ids.size() + 1));
}

TEST_P(PhrasePlacementTest, TheReplacedWordAttendsMostToThePhrasesSource) {
  const auto words = replaced_words(scorer_, source(), config_, given(1, 2), {});
  ASSERT_THAT(words, SizeIs(1));
  ASSERT_THAT(words[0], SizeIs(1));
  EXPECT_THAT(words[0][0].ids, ElementsAre(kB));
  EXPECT_EQ(words[0][0].elsewhere, 0);
  EXPECT_THAT(replaced_words(scorer_, source(), config_, given(0, 0), {}), IsEmpty());
  const FakeScorer without(copy, kPlacedVocabulary, device());
  EXPECT_THAT(replaced_words(without, source(), config_, given(1, 2), {}), IsEmpty());
}

TEST_P(PhrasePlacementTest, NoWordIsReplacedThatHardlyAttendsToThePhrasesSource) {
  EXPECT_THAT(replaced_words(scorer_, source(), config_, given(4, 5), {}), ElementsAre(IsEmpty()));
}

TEST_P(PhrasePlacementTest, AReplacedWordBeginsAfterTheGivenTokens) {
  goes_on_[kB] = 1;
  auto inputs = given(1, 2);
  inputs.phrases[0][0].has_word_marks = true;
  inputs.prefixes = {{kA}};
  EXPECT_THAT(replaced_words(scorer_, source(), config_, inputs, {}).at(0).at(0).ids, ElementsAre(kA, kB));
  inputs.given_tokens = 1;
  EXPECT_THAT(replaced_words(scorer_, source(), config_, inputs, {}).at(0).at(0).ids, ElementsAre(kB));
}

TEST_P(PhrasePlacementTest, BothPassesForReplacedWordsMayBeCanceled) {
  // Five greedy steps; the beginning of the second pass, then its four steps.
  for (std::size_t allowed = 0; allowed < 10; ++allowed) {
    const auto before = scorer_.steps().size();
    std::size_t calls = 0;
    const auto give_up = [&] {
      if (calls++ == allowed) throw std::runtime_error("enough");
    };
    EXPECT_THROW(replaced_words(scorer_, source(), config_, given(1, 2), {.before_step = give_up}), std::runtime_error);
    EXPECT_EQ(scorer_.steps().size() - before, allowed > 5 ? allowed - 1 : allowed);
  }
}

TEST_P(PhrasePlacementTest, AReplacedWordIsAllPiecesOfTheWord) {
  goes_on_[kC] = 1;
  EXPECT_THAT(replaced_words(scorer_, source(), config_, given(1, 2), {})[0][0].ids, ElementsAre(kB, kC));
  goes_on_[kB] = 1;
  EXPECT_THAT(replaced_words(scorer_, source(), config_, given(1, 2), {})[0][0].ids, ElementsAre(kA, kB, kC));
}

TEST_P(PhrasePlacementTest, NeighborsChangeNothing) {
  const std::vector<Ids> sentences = {
      {kA, kB, kC, kStop, kEos}, {kC, kA, kStop, kEos}, {kB, kB, kA, kC, kA, kStop, kEos}, {kC, kStop, kEos}};
  const std::vector<std::int64_t> places = {1, 0, 3, 0};
  SearchInputs together = given(0, 1, 4);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    together.phrases[i][0].source_begin = places[i];
    together.phrases[i][0].source_end = places[i] + 1;
  }
  const auto found = beam_search(scorer_, pad(sentences, device()), config_, together);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto alone =
        beam_search(scorer_, pad(std::vector<Ids>{sentences[i]}, device()), config_, given(places[i], places[i] + 1))
            .at(0);
    EXPECT_EQ(ids_of(found[i]), ids_of(alone));
    EXPECT_EQ(found[i][0].score, alone[0].score);
    Ids wanted(sentences[i].begin(), sentences[i].end() - 1);
    wanted[static_cast<std::size_t>(places[i])] = kPhrase;
    EXPECT_EQ(found[i][0].ids, wanted);
  }
}

TEST_P(PhrasePlacementTest, EosIsLeftOutWhilePhrasesAreMissing) {
  const auto told = given(1, 2);
  const Beam beam(config_, 9);
  const std::vector<PhraseProgress> progress = {{told.phrases[0], goes_on_}};
  const std::vector<float> attention = {0.5F, 0.25F, 0.25F};
  const std::vector<Candidate> candidates = {{0, kEos, -0.1, 0}, {0, kA, -3, 0}, {0, kPhrase, -9, 0}};
  const auto ranked = rank_by_placement(told.phrases[0], {}, {beam, progress, attention}, candidates);
  ASSERT_THAT(ranked, SizeIs(2));
  EXPECT_EQ(ranked[0].log_probability, -3);
  EXPECT_GT(ranked[0].penalty, ranked[1].penalty) << "the phrase takes the attention to its source";
}

INSTANTIATE_DEVICES(PhrasePlacementTest);

}  // namespace
}  // namespace gloss
