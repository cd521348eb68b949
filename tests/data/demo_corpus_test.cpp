#include "data/demo_corpus.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "data/grammar/draw.h"
#include "tests/data/count_sentences.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using grammar::Language;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Returns the corpus of the default size, which is made once.
const DemoCorpus& corpus() {
  static const DemoCorpus made = draw_demo_corpus({});
  return made;
}

std::vector<const std::vector<DemoPair>*> parts() { return {&corpus().train, &corpus().valid, &corpus().test}; }

std::set<std::string> words(const std::string& text) {
  auto plain = text;
  for (auto& c : plain)
    if (c == '.' || c == ',' || c == '?') c = ' ';
  std::istringstream stream(plain);
  std::set<std::string> result;
  for (std::string word; stream >> word;) result.insert(word);
  return result;
}

std::set<std::string> combinations(const std::vector<DemoPair>& pairs) {
  std::set<std::string> all;
  for (const auto& pair : pairs) all.insert(pair.combinations.begin(), pair.combinations.end());
  return all;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DemoCorpusTest, HasTheSizesThatItPromises) {
  EXPECT_EQ(corpus().train.size(), 25000u);
  EXPECT_EQ(corpus().valid.size(), 500u);
  EXPECT_EQ(corpus().test.size(), 1500u);
}

TEST(DemoCorpusTest, NoSourceOccursTwice) {
  std::set<std::string> sources;
  for (const auto* part : parts())
    for (const auto& pair : *part) EXPECT_TRUE(sources.insert(pair.source).second) << pair.source;
}

TEST(DemoCorpusTest, EachTestSentenceHasACombinationThatTrainingLacks) {
  auto seen = combinations(corpus().train);
  seen.merge(combinations(corpus().valid));
  for (const auto& pair : corpus().test)
    EXPECT_TRUE(std::ranges::any_of(pair.combinations, [&](const auto& one) { return !seen.contains(one); }))
        << pair.source;
}

TEST(DemoCorpusTest, OnlyAPartOfTheCombinationsIsHeldOut) {
  const auto train = combinations(corpus().train), test = combinations(corpus().test);
  const auto held_out = std::ranges::count_if(test, [&](const auto& one) { return !train.contains(one); });
  EXPECT_GT(held_out, 400);
  EXPECT_LT(held_out, std::ssize(test) / 2);
}

TEST(DemoCorpusTest, EachWordOfTheTestIsInTraining) {
  // With so few pairs, not every word is drawn for training.
  const auto small = draw_demo_corpus({.size = 1000});
  std::set<std::string> known;
  for (const auto& pair : small.train)
    for (const auto* text : {&pair.source, &pair.target}) known.merge(words(*text));
  ASSERT_EQ(small.test.size(), 60u);
  for (const auto& pair : small.test)
    for (const auto* text : {&pair.source, &pair.target})
      for (const auto& word : words(*text)) EXPECT_TRUE(known.contains(word)) << word << ": " << *text;
}

TEST(DemoCorpusTest, TheTestHasEachConstructionEquallyOften) {
  std::map<std::string, int> train, test;
  for (const auto& pair : corpus().train) ++train[pair.construction];
  for (const auto& pair : corpus().test) ++test[pair.construction];
  EXPECT_EQ(test.size(), grammar::demo_grammar().constructions().size());
  for (const auto& [name, count] : test) {
    EXPECT_EQ(count, 60) << name;
    EXPECT_GT(train[name], 500) << name;
  }
}

TEST(DemoCorpusTest, SentencesHaveThreeToTwentyWords) {
  for (const auto* part : parts())
    for (const auto& pair : *part)
      for (const auto* text : {&pair.source, &pair.target}) {
        const auto spaces = std::ranges::count(*text, ' ');
        EXPECT_GE(spaces, 2) << *text;
        EXPECT_LE(spaces, 19) << *text;
      }
}

// The first test sentences are the same on every machine.
TEST(DemoCorpusTest, IsTheSameEverywhere) {
  const auto small = draw_demo_corpus({.seed = 3, .size = 1000});
  EXPECT_EQ(small.train[0].source, "If Julia is ill, she does not work.");
  EXPECT_EQ(small.train[999].target, "Maria hat gestern einige Küchen geputzt.");
  EXPECT_EQ(small.test[0].source, "Lisa is repairing four sofas.");
}

TEST(DemoCorpusTest, EqualOptionsGiveEqualSentencesAndASeedOthers) {
  const auto text = [](std::uint64_t seed) {
    std::string all;
    const auto made = draw_demo_corpus({.seed = seed, .size = 1000});
    for (const auto* part : {&made.train, &made.valid, &made.test})
      for (const auto& pair : *part) all += pair.source + "|" + pair.target + "\n";
    return all;
  };
  EXPECT_EQ(text(3), text(3));
  EXPECT_NE(text(3), text(4));
}

TEST(DemoCorpusTest, ASourceHasOneTranslationInEveryDirection) {
  const auto& grammar = grammar::demo_grammar();
  grammar::Chooser chooser(grammar);
  std::map<std::pair<int, std::string>, std::string> known;
  constexpr Language kAll[] = {Language::kEnglish, Language::kGerman, Language::kChinese};
  for (const auto& construction : grammar.constructions())
    for (std::uint32_t i = 0; i < 4000; ++i) {
      const auto sentence = chooser.draw(construction, RandomStream(5, construction.name).at(i));
      if (!sentence) continue;
      std::vector<std::string> texts;
      for (const auto language : kAll) texts.push_back(realize(grammar.lexicon(), *sentence, language));
      for (int source = 0; source < 3; ++source)
        for (int target = 0; target < 3; ++target) {
          const auto [place, is_new] = known.try_emplace({3 * source + target, texts[static_cast<std::size_t>(source)]},
                                                         texts[static_cast<std::size_t>(target)]);
          EXPECT_EQ(place->second, texts[static_cast<std::size_t>(target)]) << texts[static_cast<std::size_t>(source)];
        }
    }
}

TEST(DemoCorpusTest, EveryPatternGivesSentences) {
  const auto& grammar = grammar::demo_grammar();
  grammar::Chooser chooser(grammar);
  std::set<const grammar::Pattern*> seen;
  std::size_t patterns = 0;
  for (const auto& construction : grammar.constructions()) {
    patterns += construction.patterns.size();
    for (std::uint32_t i = 0; i < 1000; ++i)
      if (const auto sentence = chooser.draw(construction, RandomStream(6, construction.name).at(i)))
        seen.insert(sentence->pattern);
  }
  EXPECT_EQ(seen.size(), patterns);
}

TEST(DemoCorpusTest, TheGrammarHasEnoughSentencesForTheLargestSize) {
  const auto& grammar = grammar::demo_grammar();
  grammar::SentenceCount sentences(grammar);
  std::uint64_t total = 0;
  for (const auto& construction : grammar.constructions()) {
    const auto count = sentences.of(construction);
    EXPECT_GT(count, 10'000u) << construction.name;
    total += count;
  }
  EXPECT_GT(total, 1'000'000'000u);
  std::size_t lemmas = 0;
  for (const auto kind : {grammar::EntryKind::kNoun, grammar::EntryKind::kVerb, grammar::EntryKind::kAdjective,
                          grammar::EntryKind::kAdverb, grammar::EntryKind::kModal})
    lemmas += grammar.lexicon().entries(kind).size();
  EXPECT_GT(lemmas, 300u);
}

TEST(DemoCorpusTest, WritesTheFiles) {
  const TemporaryFolder folder;
  const DemoCorpusOptions options{.source = Language::kChinese, .target = Language::kEnglish, .size = 1000};
  make_demo_corpus(options, folder / "corpus");
  const auto made = draw_demo_corpus(options);
  std::string sources, constructions;
  for (const auto& pair : made.test) {
    sources += pair.source + "\n";
    constructions += pair.construction + "\n";
  }
  EXPECT_EQ(content(folder / "corpus" / "test.source"), sources);
  EXPECT_EQ(content(folder / "corpus" / "test.constructions"), constructions);
  EXPECT_THAT(content(folder / "corpus" / "train.target"), testing::StartsWith(made.train[0].target + "\n"));
  EXPECT_THAT(content(folder / "corpus" / "valid.source"), testing::EndsWith(made.valid.back().source + "\n"));
}

TEST(DemoCorpusTest, RefusesSizesOutOfRange) {
  for (const auto size : {std::int64_t{0}, std::int64_t{999}, std::int64_t{1'000'001}})
    EXPECT_THAT([&] { draw_demo_corpus({.size = size}); },
                ThrowsMessage<UsageError>(HasSubstr("size: wanted 1000 to 1000000, got " + std::to_string(size))));
  EXPECT_THROW(draw_demo_corpus({.source = Language::kGerman}), UsageError);
}

TEST(DemoCorpusTest, ReportsAFolderThatCannotBeMade) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "text";
  EXPECT_THAT([&] { make_demo_corpus({.size = 1000}, folder / "file" / "corpus"); },
              ThrowsMessage<IoError>(HasSubstr("cannot make the folder")));
}

}  // namespace
}  // namespace gloss
