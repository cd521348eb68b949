#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/cached_encoder.h"
#include "tokenizer/language_tags.h"
#include "tokenizer/mapped_tokenizer.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr Id kTag = 4;

std::shared_ptr<const Tokenizer> tokenizer_with(int languages) {
  const auto model = train_on(training_text(), small_config());
  MappedVocabulary vocabulary{.pieces = {"<pad>", "<unk>", "<s>", "</s>"}};
  for (int i = 0; i < languages; ++i) {
    const auto name = std::string("l") + static_cast<char>('a' + i);
    vocabulary.languages[name] = static_cast<Id>(vocabulary.pieces.size());
    vocabulary.pieces.push_back(">>" + name + "<<");
  }
  for (const auto& piece : read_piece_table(model).pieces)
    if (piece.type == Piece::Type::kNormal) vocabulary.pieces.push_back(piece.text);
  return std::make_shared<MappedTokenizer>(vocabulary, model, "m");
}

TokenizerConfig with_tags(SourceTag source, bool target) {
  TokenizerConfig config;
  config.source_tag = source;
  config.target_tag = target;
  return config;
}

TEST(TaggedTokenizerTest, TagStandsInFrontOfThePieces) {
  const auto plain = tokenizer_with(2);
  const TaggedTokenizer tagged(plain, kTag);
  auto ids = plain->encode("Zwei Kinder");
  ids.insert(ids.begin(), kTag);
  EXPECT_EQ(tagged.encode("Zwei Kinder"), ids);
  EXPECT_EQ(CachedEncoder(tagged).encode("Zwei Kinder"), ids) << "once, not for each word";
  EXPECT_THAT(tagged.encode(" "), IsEmpty());
  const auto pieces = tagged.encode_with_spans("Zwei Kinder"), plain_pieces = plain->encode_with_spans("Zwei Kinder");
  EXPECT_EQ(pieces.ids, ids);
  EXPECT_EQ(pieces.tags, 1u);
  EXPECT_EQ(pieces.text, "Zwei Kinder");
  EXPECT_EQ(pieces.spans.size(), ids.size());
  EXPECT_EQ(pieces.text_of(0), "");
  EXPECT_EQ(pieces.text_of(1), plain_pieces.text_of(0));
  EXPECT_EQ(tagged.encode_with_spans("").tags, 0u);
  const auto words = words_of(pieces), plain_words = words_of(plain_pieces);
  EXPECT_EQ(words.words, plain_words.words);
  EXPECT_EQ(words.of_piece[0].begin, words.of_piece[0].end);
  EXPECT_EQ(words.of_piece[1].end, plain_words.of_piece[0].end);
}

TEST(TaggedTokenizerTest, TagIsRemovedWhenDecoding) {
  const TaggedTokenizer tagged(tokenizer_with(2), kTag);
  const auto ids = tagged.encode("Zwei Kinder");
  EXPECT_EQ(tagged.decode(ids), "Zwei Kinder");
  const auto pieces = tagged.decode_with_spans(ids);
  EXPECT_EQ(pieces.text, "Zwei Kinder");
  EXPECT_EQ(pieces.ids, ids);
  EXPECT_EQ(pieces.tags, 1u);
  EXPECT_EQ(pieces.spans.size(), ids.size());
  EXPECT_EQ(tagged.decode_with_spans(std::span(ids).subspan(1)).tags, 0u);
  EXPECT_EQ(tagged.decode({}), "");
}

TEST(TaggedTokenizerTest, TheRestIsTheTokenizers) {
  const auto plain = tokenizer_with(2);
  const TaggedTokenizer tagged(plain, kTag);
  EXPECT_EQ(tagged.serialized(), plain->serialized());
  EXPECT_EQ(tagged.vocabulary_size(), plain->vocabulary_size());
  EXPECT_EQ(tagged.piece(7), plain->piece(7));
  EXPECT_EQ(tagged.tag(), kTag);
  EXPECT_EQ(plain->tag(), std::nullopt);
  EXPECT_EQ(&tagged.untagged(), plain.get());
  EXPECT_EQ(&plain->untagged(), plain.get());
  EXPECT_THAT(tagged.languages(), ElementsAre("la", "lb"));
  EXPECT_EQ(tagged.language_tag("lb"), 5);
}

TEST(LanguageTagsTest, SidesGetTheTagsThatTheConfigurationNames) {
  const auto tokenizer = tokenizer_with(2);
  const Languages languages{"la", "lb"};
  const auto tags = [&](SourceTag source, bool target) {
    const auto config = with_tags(source, target);
    return std::pair(tagged_source(tokenizer, config, languages, "")->tag(),
                     tagged_target(tokenizer, config, languages, "")->tag());
  };
  using Tags = std::pair<std::optional<Id>, std::optional<Id>>;
  EXPECT_EQ(tags(SourceTag::kNone, false), Tags(std::nullopt, std::nullopt));
  EXPECT_EQ(tags(SourceTag::kTarget, false), Tags(5, std::nullopt));
  EXPECT_EQ(tags(SourceTag::kSource, true), Tags(4, 5));
}

TEST(LanguageTagsTest, UnknownLanguagesAreRefusedWithSomeKnownOnes) {
  const auto config = with_tags(SourceTag::kTarget, true);
  const auto source_of = [&](int languages, const std::string& target) {
    const auto tokenizer = tokenizer_with(languages);
    return [=] { tagged_source(tokenizer, config, {"", target}, "data."); };
  };
  EXPECT_THAT(source_of(2, "xx"),
              ThrowsMessage<UsageError>("data.target_language: wanted a language of this model, one of la, lb, "
                                        "got xx"));
  EXPECT_THAT(source_of(20, ""),
              ThrowsMessage<UsageError>(AllOf(HasSubstr("ll ... (20 in all; gloss inspect lists them), got none"))));
  EXPECT_THAT(source_of(0, "la"), ThrowsMessage<UsageError>(HasSubstr("needs a tokenizer with language tags")));
  EXPECT_THAT(
      [&] {
        tagged_target(tokenizer_with(2), config, {"la", "xx"}, "");
      },
      ThrowsMessage<UsageError>(StartsWith("target_language: wanted")));
}

TEST(LanguageTagsTest, GivenLanguagesReplaceTheModels) {
  const auto tagged = with_tags(SourceTag::kSource, true);
  const TokenizerConfig plain;
  EXPECT_EQ(choose_languages({"", "fr"}, {"en", "de"}, tagged).target, "fr");
  EXPECT_EQ(choose_languages({"", "fr"}, {"en", "de"}, tagged).source, "en");
  EXPECT_EQ(choose_languages({"en", "de"}, {"en", "de"}, plain).target, "de");
  EXPECT_THAT(
      [&] {
        choose_languages({"", "fr"}, {"en", "de"}, plain);
      },
      ThrowsMessage<UsageError>(StartsWith("target_language: has no effect")));
  EXPECT_THAT(
      [&] {
        choose_languages({"fr", ""}, {"en", "de"}, with_tags(SourceTag::kTarget, false));
      },
      ThrowsMessage<UsageError>(StartsWith("source_language: has no effect")));
}

TEST(LanguageTagsTest, SentencePieceModelsHaveNoLanguages) {
  const SentencePieceTokenizer tokenizer(train_on(training_text(), small_config()), "m");
  EXPECT_THAT(tokenizer.languages(), IsEmpty());
  EXPECT_EQ(tokenizer.language_tag("de"), std::nullopt);
}

}  // namespace
}  // namespace gloss
