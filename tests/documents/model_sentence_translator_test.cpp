#include "documents/model_sentence_translator.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/translation/letters.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

/// Attends to the piece that copy_letters copies.
std::vector<float> attend_to_copied(const Ids& source, const Ids& generated) {
  std::vector<float> weights(source.size(), 0.2F / static_cast<float>(source.size()));
  weights[std::min(generated.size(), source.size() - 1)] += 0.8F;
  return weights;
}

/// A model that copies letters. Its translations have no spaces.
class CopyingTranslator {
 public:
  explicit CopyingTranslator(bool aligns = true, std::int64_t max_source_length = 100)
      : translator_(scorer_, letters_, letters_, max_source_length, aligns ? Aligner{scorer_, {}} : Aligner{}) {}

  ModelSentenceTranslator make(std::vector<std::pair<std::string, std::string>> glossary = {},
                               TranslationHooks hooks = {}, std::int64_t max_length = 100) const {
    DecodingConfig config;
    config.beam_size = 2;
    config.max_length = max_length;
    return {translator_, config, std::move(glossary), std::move(hooks)};
  }
  SentenceTranslation translate(const SentenceRequest& sentence) const {
    const std::vector<SentenceRequest> sentences{sentence};
    return make().translate(sentences).at(0);
  }

 private:
  std::shared_ptr<FakeScorer> scorer_ = std::make_shared<FakeScorer>(
      copy_letters, kLetterVocabulary, at::kCPU, FakeScorer::Options{.attention = attend_to_copied});
  std::shared_ptr<Letters> letters_ = std::make_shared<Letters>();
  LineTranslator translator_;
};

/// Expects a link from each letter of the translation to the same letter of the source, in order.
void expect_copied(const std::string& source, const SentenceTranslation& translation) {
  ASSERT_EQ(translation.links.size(), translation.text.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < translation.links.size(); ++i) {
    const auto& link = translation.links[i];
    EXPECT_EQ(link.target, (TextSpan{i, i + 1}));
    EXPECT_EQ(link.source.of(source), link.target.of(translation.text));
    EXPECT_GE(link.source.begin, end);
    EXPECT_GT(link.weight, 0.8);
    EXPECT_LE(link.weight, 1);
    end = link.source.end;
  }
}

TEST(ModelSentenceTranslatorTest, LinksAreInBytesOfBothTexts) {
  const auto translation = CopyingTranslator().translate({"ab  cd e", {}});
  EXPECT_EQ(translation.text, "abcde");
  EXPECT_TRUE(translation.complete);
  EXPECT_EQ(translation.tokens, 6u) << "the end of the sentence is a token";
  EXPECT_LT(translation.log_probability, 0);
  expect_copied("ab  cd e", translation);
}

// The model does not read soft hyphens, word joiners and marks of direction.
TEST(ModelSentenceTranslatorTest, LinksAreInBytesOfTheRequestWithItsInvisibleCharacters) {
  for (const std::string sentence : {"a\u00adb c", "\u00adabc", "abc\u00ad", "a\u2060\u00ad\u200eb\u00ad c",
                                     "ab\u00ad\u00ad\u00adc", "\ufeffa b\u202ec"}) {
    const auto translation = CopyingTranslator().translate({sentence, {}});
    EXPECT_EQ(translation.text, "abc");
    expect_copied(sentence, translation);
  }
}

TEST(ModelSentenceTranslatorTest, WithoutAttentionThereAreNoLinks) {
  const auto translation = CopyingTranslator(/*aligns=*/false).translate({"abc", {}});
  EXPECT_EQ(translation.text, "abc");
  EXPECT_THAT(translation.links, IsEmpty());
}

TEST(ModelSentenceTranslatorTest, AModelWithoutAttentionHasNoLinks) {
  const auto model = load_translation_model(GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors", at::kCPU);
  const ModelSentenceTranslator translator(model.translator(), model.config.decoding, {}, {}, /*has_attention=*/false);
  const std::vector<SentenceRequest> sentences{{"ana baka.", {}}};
  const auto translation = translator.translate(sentences).at(0);
  EXPECT_FALSE(translation.text.empty());
  EXPECT_THAT(translation.links, IsEmpty());
}

// Pieces of one byte each, as those of a fallback to bytes.
TEST(SentenceOf, LinksAreOfWholeCharacters) {
  LineTranslation found;
  found.source.text = "\ufffd\u00e4";
  found.source.ids = {4, 5, 6, 7, 8, 9};
  found.source.spans = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 5}};
  LineTranslation::Candidate best;
  best.text = "\u00f6";
  best.tokens = {{.piece = "a", .span = {0, 1}}, {.piece = "b", .span = {1, 2}}};
  best.links = {{.source = 1, .weight = 1}, {.source = 4, .weight = 1}};
  found.candidates.push_back(best);
  const std::string line("\0\u00ad\u00e4", 5);
  const auto links = sentence_of(line, found).links;
  ASSERT_THAT(links, SizeIs(2));
  EXPECT_EQ(links[0].target, (TextSpan{0, 2}));
  EXPECT_EQ(links[0].source, (TextSpan{0, 1}));
  EXPECT_EQ(links[1].target, (TextSpan{0, 2}));
  EXPECT_EQ(links[1].source, (TextSpan{3, 5}));
}

TEST(LanguagesOfTags, AreThoseThatAModelRecordsOrHasTagsFor) {
  const Languages given{"en", "de"};
  TranslatorConfig config;
  EXPECT_EQ(languages_of_tags(given, config).source + languages_of_tags(given, config).target, "");
  config.languages.target = "de";
  EXPECT_EQ(languages_of_tags(given, config).source, "");
  EXPECT_EQ(languages_of_tags(given, config).target, "de");
  config.languages = {};
  config.tokenizer.source_tag = SourceTag::kSource;
  EXPECT_EQ(languages_of_tags(given, config).source, "en");
  EXPECT_EQ(languages_of_tags(given, config).target, "");
  config.tokenizer.source_tag = SourceTag::kTarget;
  EXPECT_EQ(languages_of_tags(given, config).source, "");
  EXPECT_EQ(languages_of_tags(given, config).target, "de");
}

TEST(ModelSentenceTranslatorTest, SentencesWithoutLettersAreCopied) {
  const auto translation = CopyingTranslator().translate({"?!", {}});
  EXPECT_EQ(translation.text, "?!");
  EXPECT_TRUE(translation.complete);
  EXPECT_EQ(translation.tokens, 0u);
}

TEST(ModelSentenceTranslatorTest, OneTranslationForEachSentence) {
  const std::vector<SentenceRequest> sentences{{"abc", {}}, {"", {}}, {"de", {}}, {"abc", {}}};
  const auto translations = CopyingTranslator().make().translate(sentences);
  ASSERT_THAT(translations, SizeIs(4));
  EXPECT_EQ(translations[0].text, "abc");
  EXPECT_EQ(translations[1].text, "");
  EXPECT_EQ(translations[2].text, "de");
  EXPECT_EQ(translations[3].text, "abc");
  EXPECT_THAT(CopyingTranslator().make().translate({}), IsEmpty());
}

TEST(ModelSentenceTranslatorTest, TranslationsContainWhatIsRequired) {
  const CopyingTranslator model;
  const std::vector<SentenceRequest> sentences{{"ab cd e", {"cd"}}, {"fg cd h cd", {"cd", "cd"}}, {"xy", {}}};
  const auto translations = model.make({{"ab", "zz"}}).translate(sentences);
  EXPECT_THAT(translations[0].text, HasSubstr("cd"));
  EXPECT_THAT(translations[0].text, HasSubstr("zz"));
  const auto first = translations[1].text.find("cd");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(translations[1].text.find("cd", first + 1), std::string::npos);
  EXPECT_EQ(translations[2].text, "xy");
}

TEST(ModelSentenceTranslatorTest, PhrasesWithoutSpellingAreRefused) {
  const std::vector<SentenceRequest> sentences{{"ab", {}}};
  EXPECT_THROW(CopyingTranslator().make({{"ab", "12"}}).translate(sentences), Error);
}

TEST(ModelSentenceTranslatorTest, FitsIsWhetherSourceAndTranslationAreShortEnough) {
  const auto fitting = [](const ModelSentenceTranslator& translator) {
    std::size_t letters = 0;
    while (letters < 200 && translator.fits(std::string(letters + 1, 'a'))) ++letters;
    return letters;
  };
  // The end of the sentence is a token, too.
  EXPECT_EQ(fitting(CopyingTranslator(true, 20).make()), 18u);
  EXPECT_EQ(fitting(CopyingTranslator(true, 100).make({}, {}, 20)), 18u);
  const CopyingTranslator model(true, 20);
  EXPECT_TRUE(model.make().fits("a b c d e f g h i j k l m n o")) << "spaces are no pieces";
  const std::vector<SentenceRequest> sentences{{std::string(18, 'a'), {}}};
  EXPECT_EQ(model.make().translate(sentences)[0].text, std::string(18, 'a')) << "it is read to its end";
}

TEST(ModelSentenceTranslatorTest, CanSpellIsWhetherTheVocabularyGivesATextBack) {
  const auto translator = CopyingTranslator().make();
  EXPECT_TRUE(translator.can_spell("abc"));
  for (const auto* text : {"a b", "a1", "a|b", "|", "\u00e4"}) EXPECT_FALSE(translator.can_spell(text)) << text;
}

TEST(ModelSentenceTranslatorTest, AfterADeadlineSentencesAreIncomplete) {
  TranslationHooks hooks;
  hooks.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const std::vector<SentenceRequest> sentences{{"abc", {}}, {"de", {"de"}}};
  for (const auto& translation : CopyingTranslator().make({}, hooks).translate(sentences)) {
    EXPECT_FALSE(translation.complete);
    EXPECT_EQ(translation.text, "");
    EXPECT_THAT(translation.links, IsEmpty());
  }
  std::stop_source stop;
  stop.request_stop();
  hooks = {};
  hooks.stop = stop.get_token();
  for (const auto& translation : CopyingTranslator().make({}, hooks).translate(sentences))
    EXPECT_FALSE(translation.complete);
}

TEST(ModelSentenceTranslatorTest, ExceptionsOfHooksLeaveTheCall) {
  TranslationHooks hooks;
  hooks.before_step = [] { throw UsageError("enough"); };
  const std::vector<SentenceRequest> sentences{{"abc", {}}};
  EXPECT_THAT([&] { CopyingTranslator().make({}, hooks).translate(sentences); },
              ThrowsMessage<UsageError>(HasSubstr("enough")));
}

TEST(ModelSentenceTranslatorTest, DrawsAreRefused) {
  const auto model = load_translation_model(GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors", at::kCPU);
  auto decoding = model.config.decoding;
  decoding.sampling.enabled = true;
  EXPECT_THAT([&] { ModelSentenceTranslator(model.translator(), decoding); },
              ThrowsMessage<UsageError>(HasSubstr("sample: wanted a search")));
}

TEST(ModelSentenceTranslatorTest, LinksOfAModelLieInBothTexts) {
  const auto model = load_translation_model(GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors", at::kCPU);
  const ModelSentenceTranslator translator(model.translator(), model.config.decoding);
  const std::vector<SentenceRequest> sentences{{"ana ba\u00adka dalo emi.", {}}, {"Yoze \u00e4 1 ana", {}}};
  const auto translations = translator.translate(sentences);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    std::size_t begin = 0;
    EXPECT_THAT(translations[i].links, testing::Not(IsEmpty()));
    for (const auto& [target, source, weight] : translations[i].links) {
      EXPECT_LE(begin, target.begin);
      EXPECT_LT(target.begin, target.end);
      EXPECT_LE(target.end, translations[i].text.size());
      EXPECT_LT(source.begin, source.end);
      EXPECT_LE(source.end, sentences[i].text.size());
      begin = target.begin;
    }
  }
  const std::vector<std::string> lines{sentences[0].text, sentences[1].text};
  const auto found = model.translator().translate(lines, model.config.decoding);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(translations[i].text, found[i].candidates[0].text);
    EXPECT_EQ(translations[i].log_probability, found[i].candidates[0].log_probability);
  }
}

}  // namespace
}  // namespace gloss
