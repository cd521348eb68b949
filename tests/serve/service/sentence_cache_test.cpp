#include "serve/service/sentence_cache.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gloss {
namespace {

/// Adds "!" to a sentence, does not complete "?", and remembers what it was asked.
class CountingTranslator final : public SentenceTranslator {
 public:
  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override {
    std::vector<SentenceTranslation> result;
    for (const auto& sentence : sentences) {
      asked.push_back(sentence.text);
      result.emplace_back().text = sentence.text + '!';
      result.back().complete = sentence.text != "?";
    }
    return result;
  }
  bool fits(std::string_view) const override { return true; }
  bool can_spell(std::string_view) const override { return true; }
  std::vector<TextSpan> phrases(std::string_view) const override { return {}; }

  mutable std::vector<std::string> asked;
};

std::vector<std::string> translated(const SentenceTranslator& translator, std::vector<SentenceRequest> sentences) {
  std::vector<std::string> texts;
  for (const auto& translation : translator.translate(sentences)) texts.push_back(translation.text);
  return texts;
}

TEST(SentenceCache, AsksForWhatItLacksOnly) {
  const CountingTranslator model;
  SentenceCache cache(1 << 20);
  const CachedSentences sentences(model, &cache, "a");
  EXPECT_EQ(translated(sentences, {{"one", {}}, {"two", {}}}), (std::vector<std::string>{"one!", "two!"}));
  EXPECT_EQ(translated(sentences, {{"two", {}}, {"three", {}}, {"one", {}}}),
            (std::vector<std::string>{"two!", "three!", "one!"}));
  EXPECT_EQ(model.asked, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(cache.hits(), 2U);
  EXPECT_EQ(cache.misses(), 3U);
}

TEST(SentenceCache, OptionsAndRequiredTextsAreOfTheKey) {
  const CountingTranslator model;
  SentenceCache cache(1 << 20);
  const CachedSentences a(model, &cache, "a"), b(model, &cache, "b");
  translated(a, {{"one", {}}});
  translated(b, {{"one", {}}});
  translated(a, {{"one", {"x"}}});
  translated(a, {{"one", {"x"}}});
  EXPECT_EQ(model.asked.size(), 3U);
}

TEST(SentenceCache, KeepsNothingThatIsIncomplete) {
  const CountingTranslator model;
  SentenceCache cache(1 << 20);
  const CachedSentences sentences(model, &cache, "");
  translated(sentences, {{"?", {}}});
  translated(sentences, {{"?", {}}});
  EXPECT_EQ(model.asked.size(), 2U);
}

TEST(SentenceCache, TheLongestUnaskedMakesRoom) {
  const CountingTranslator model;
  SentenceCache cache(3000);
  const CachedSentences sentences(model, &cache, "");
  const std::string a(800, 'a'), b(800, 'b'), c(800, 'c');  // two of which have room
  for (const auto& text : {a, b, a, c, a}) translated(sentences, {{text, {}}});
  EXPECT_EQ(model.asked, (std::vector<std::string>{a, b, c}));
  translated(sentences, {{b, {}}});
  EXPECT_EQ(model.asked.size(), 4U);
}

}  // namespace
}  // namespace gloss
