#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/interchange/export/exported_model.h"
#include "tokenizer/mapped_tokenizer.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Returns a tokenizer with the pieces in the opposite order and tags of two languages.
std::string with_own_ids(const std::string& sentencepiece, MappedVocabulary::Normalizer normalizer,
                         const std::string& target_tag = "__de__") {
  MappedVocabulary vocabulary{.pieces = {"<pad>", "<unk>", "<s>", "</s>", "__en__", target_tag},
                              .normalizer = normalizer,
                              .languages = {{"en", 4}, {"de", 5}}};
  const auto pieces = read_piece_table(sentencepiece).pieces;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
    if (piece->type == Piece::Type::kNormal) vocabulary.pieces.push_back(piece->text);
  return MappedTokenizer(vocabulary, sentencepiece, "tokenizer").serialized();
}

std::string with_own_ids(const std::string& sentencepiece) {
  return with_own_ids(sentencepiece, MappedVocabulary::Normalizer::kNone);
}

void use_languages(SmallJob& job) {
  job.config.data.source_language = "en";
  job.config.data.target_language = "de";
  job.config.tokenizer.source_tag = SourceTag::kSource;
  job.config.tokenizer.target_tag = true;
}

TEST(ExportTagsTest, Ctranslate2GetsTheTagsOfTheDefaultLanguages) {
  const ExportedModel model(use_languages, [](const std::string& bytes) { return with_own_ids(bytes); });
  model.write(ExportFormat::kCtranslate2);
  EXPECT_THAT(model.text("README.md"),
              AllOf(HasSubstr("pieces = [[\"__en__\"] + line if line else [] for line in pieces]"),
                    HasSubstr("target_prefix=[[\"__de__\"]] * len(lines)"),
                    HasSubstr("target.decode(result.hypotheses[0][1:])"), HasSubstr("from `en` to `de`")));
  EXPECT_EQ(run_readme(model, "ab\n\nc\n"), "__en__ab\n\n__en__c\n");  // without the tag of the target
  const auto tokenizer = model.model().source_tokenizer;
  const auto pieces = model.json("shared_vocabulary.json");
  ASSERT_EQ(static_cast<std::int64_t>(pieces.size()), tokenizer->vocabulary_size());
  EXPECT_EQ(pieces.at(5), "__de__");
  EXPECT_EQ(model.text("tokenizer.model"), dynamic_cast<const MappedTokenizer&>(*tokenizer).sentencepiece());
}

TEST(ExportTagsTest, WithoutDefaultLanguagesTheReasonIsStated) {
  const ExportedModel model(
      [](SmallJob& job) {
        use_languages(job);
        job.config.data.target_language.clear();
      },
      [](const std::string& bytes) { return with_own_ids(bytes); });
  EXPECT_THAT(refusal(model, ExportFormat::kCtranslate2), HasSubstr("wanted the languages of the language tags"));
}

TEST(ExportTagsTest, OtherFormatsRefuseWhatTheyLack) {
  const ExportedModel model(
      [](SmallJob& job) {
        use_languages(job);
        use_marian_formulas(job.config.model);
      },
      [](const std::string& bytes) { return with_own_ids(bytes); });
  EXPECT_THAT(refusal(model, ExportFormat::kHuggingFace),
              HasSubstr("tokenizer.model: wanted a SentencePiece model with its own ids"));
  EXPECT_THAT(refusal(model, ExportFormat::kMarian), HasSubstr("tokenizer.target_tag: wanted false, got true"));
}

/// A model for Marian whose tag of the target language is `tag`.
ExportedModel with_source_tag(const std::string& tag) {
  return ExportedModel(
      [](SmallJob& job) {
        use_languages(job);
        job.config.model.norm = NormPlace::kPost;
        use_marian_formulas(job.config.model);
        job.config.tokenizer.source_tag = SourceTag::kTarget;
        job.config.tokenizer.target_tag = false;
      },
      [&](const std::string& bytes) { return with_own_ids(bytes, MappedVocabulary::Normalizer::kNone, tag); });
}

TEST(ExportTagsTest, Ctranslate2PrintsTagsWithinATranslation) {
  const auto note = HasSubstr("A language tag within a translation is printed. gloss leaves it out.");
  const ExportedModel with_target_tag(use_languages, [](const std::string& bytes) { return with_own_ids(bytes); });
  with_target_tag.write(ExportFormat::kCtranslate2);
  EXPECT_THAT(with_target_tag.text("README.md"), note);
  const auto without = with_source_tag("__de__");
  without.write(ExportFormat::kCtranslate2);
  EXPECT_THAT(without.text("README.md"), testing::Not(note));
}

TEST(ExportTagsTest, MarianGetsTheTagQuotedForSedAndTheShell) {
  const auto model = with_source_tag(R"(>>d'&|\<<)");
  try {
    model.write(ExportFormat::kMarian);
  } catch (const UsageError& error) {
    GTEST_SKIP() << error.what();  // built without libzip
  }
  EXPECT_THAT(model.text("README.md"), HasSubstr(R"(  sed '/./s|^|>>d'\''\&\|\\<< |' |)"));
  EXPECT_EQ(run_readme(model, "a\n\n\u2581b\n"), ">>d'&|\\<< a\n\n>>d'&|\\<< _b\n");
}

TEST(ExportTagsTest, MarianSplitsPiecesAtSpacesAndFindsThemBySpelling) {
  EXPECT_THAT(refusal(with_source_tag("a\nb"), ExportFormat::kMarian),
              HasSubstr("tag of the source without white space"));
  for (const auto format : {ExportFormat::kMarian, ExportFormat::kCtranslate2})
    EXPECT_THAT(refusal(with_source_tag("</s>"), format),
                HasSubstr("tokenizer.model: wanted each piece once, got </s> twice"));
}

TEST(ExportTagsTest, TheNormalizerOfPackagesIsGlossesOwn) {
  const ExportedModel model(
      [](SmallJob&) {},
      [](const std::string& bytes) { return with_own_ids(bytes, MappedVocabulary::Normalizer::kOpusMt); });
  for (const auto format : {ExportFormat::kCtranslate2, ExportFormat::kMarian})
    EXPECT_THAT(refusal(model, format), HasSubstr("normalizes lines as OPUS-MT packages do"));
}

}  // namespace
}  // namespace gloss
