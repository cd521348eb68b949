#include "tokenizer/mapped_tokenizer.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include "common/error.h"
#include "common/random.h"
#include "common/text/utf8.h"
#include "tests/support/temporary_folder.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/language_tags.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/subword_sampling.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr const char* kSentence = "Zwei Kinder spielen am Fluss, 小さな船 ½ ﬁ лодка";

/// Models of different special ids, as other programs train them.
std::string foreign_model(const std::string& type, const std::string& special_ids) {
  std::string model;
  const TemporaryFolder folder;
  write_text(folder / "text", training_text());
  std::unordered_map<std::string, std::string> options{
      {"input", (folder / "text").string()}, {"model_type", type},          {"vocab_size", "400"},
      {"character_coverage", "1"},           {"hard_vocab_limit", "false"}, {"minloglevel", "3"}};
  if (special_ids == "marian") options.insert({{"bos_id", "-1"}, {"eos_id", "0"}, {"unk_id", "1"}});
  if (special_ids == "t5") options.insert({{"pad_id", "0"}, {"eos_id", "1"}, {"unk_id", "2"}, {"bos_id", "-1"}});
  if (special_ids == "bytes") options.insert({{"byte_fallback", "true"}, {"character_coverage", "0.98"}});
  if (special_ids == "bytes") options["vocab_size"] = "600";
  EXPECT_TRUE(sentencepiece::SentencePieceTrainer::Train(options, nullptr, &model).ok());
  return model;
}

/// A vocabulary with all pieces of the model, in the reverse of its order, and two language tags.
MappedVocabulary reversed(const std::string& model) {
  MappedVocabulary vocabulary{.pieces = {"<pad>", "<unk>", "<s>", "</s>", ">>deu<<", ">>eng<<"},
                              .languages = {{"deu", 4}, {"eng", 5}}};
  auto pieces = read_piece_table(model).pieces;
  std::ranges::reverse(pieces);
  for (const auto& piece : pieces)
    if (piece.type == Piece::Type::kNormal || piece.type == Piece::Type::kByte) vocabulary.pieces.push_back(piece.text);
  return vocabulary;
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, const Ids& ids) {
  std::vector<std::string> pieces;
  for (const auto id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::vector<std::string> texts_of(const PieceSpans& pieces) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < pieces.spans.size(); ++i) texts.emplace_back(pieces.text_of(i));
  return texts;
}

TEST(MappedTokenizerTest, AgreesWithTheModelThatItWraps) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar}) {
    const auto model = train_on(training_text(), small_config(type));
    const SentencePieceTokenizer plain(model, "plain");
    const MappedTokenizer mapped(reversed(model), model, "mapped");
    for (const std::string line : {"", " ", kSentence, "  two  spaces ", "<s> </s> <unk> >>deu<<", "a\u2581b",
                                   "unknown: ☃☃ x☃y \U0001F600", "überqueren"}) {
      const auto own = mapped.encode(line), others = plain.encode(line);
      EXPECT_EQ(own.size(), others.size());
      EXPECT_EQ(mapped.decode(own), plain.decode(others)) << line;
      const auto spans = mapped.encode_with_spans(line), other_spans = plain.encode_with_spans(line);
      EXPECT_EQ(spans.ids, own);
      EXPECT_EQ(spans.text, other_spans.text);
      EXPECT_EQ(texts_of(spans), texts_of(other_spans));
      const auto decoded = mapped.decode_with_spans(own), other_decoded = plain.decode_with_spans(others);
      EXPECT_EQ(decoded.text, other_decoded.text);
      if (other_decoded.spans_known) {
        EXPECT_EQ(texts_of(decoded), texts_of(other_decoded));
      }
    }
    EXPECT_EQ(mapped.encodes_words_separately(), plain.encodes_words_separately());
  }
}

TEST(MappedTokenizerTest, TakesModelsWithOtherSpecialIds) {
  for (const auto* special_ids : {"none", "marian", "t5", "bytes"}) {
    for (const auto* type : {"unigram", "bpe"}) {
      const auto model = foreign_model(type, special_ids);
      const MappedTokenizer tokenizer(reversed(model), model, special_ids);
      const auto line = training_text().substr(0, training_text().find('\n'));
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(line)), line);
    }
  }
}

TEST(MappedTokenizerTest, BytesAreDecoded) {
  const auto model = foreign_model("bpe", "bytes");
  const MappedTokenizer tokenizer(reversed(model), model, "bytes");
  const auto pieces = tokenizer.encode_with_spans("a ☃ b");
  EXPECT_THAT(pieces_of(tokenizer, pieces.ids), testing::IsSupersetOf({"<0xE2>", "<0x98>", "<0x83>"}));
  EXPECT_EQ(tokenizer.decode(pieces.ids), "a ☃ b");
  const auto decoded = tokenizer.decode_with_spans(pieces.ids);
  EXPECT_THAT(texts_of(decoded), testing::Contains("☃"));
  EXPECT_TRUE(decoded.spans_known);
}

TEST(MappedTokenizerTest, PiecesOutsideTheVocabularyAreUnknown) {
  const auto model = train_on(training_text(), small_config());
  auto vocabulary = reversed(model);
  vocabulary.pieces.resize(vocabulary.pieces.size() / 2);
  const MappedTokenizer tokenizer(vocabulary, model, "half");
  const auto ids = tokenizer.encode(kSentence);
  EXPECT_TRUE(has_unknown(ids));
  for (const auto id : ids) {
    EXPECT_GE(id, kUnk);
    EXPECT_LT(id, tokenizer.vocabulary_size());
  }
}

TEST(MappedTokenizerTest, CharactersOfTheVocabularyAloneHaveAnId) {
  const auto model = train_on(training_text(), small_config());
  auto vocabulary = reversed(model);
  vocabulary.pieces.push_back("☃");
  const MappedTokenizer tokenizer(vocabulary, model, "shared");
  const auto ids = tokenizer.encode("☃");
  EXPECT_EQ(ids.back(), tokenizer.vocabulary_size() - 1);
  EXPECT_EQ(tokenizer.decode(ids), "☃");
}

TEST(MappedTokenizerTest, TextNeverBecomesALanguageTag) {
  const auto model = train_on(training_text(), small_config());
  auto vocabulary = reversed(model);
  const auto tag = MappedTokenizer(vocabulary, model, "no tags").encode(kSentence).back();
  vocabulary.languages["x"] = tag;
  const MappedTokenizer tokenizer(vocabulary, model, "tags");
  EXPECT_THAT(tokenizer.encode(kSentence), testing::Not(testing::Contains(tag)));
  EXPECT_EQ(tokenizer.language_tag("deu"), 4);
  EXPECT_EQ(tokenizer.language_tag("fra"), std::nullopt);
  EXPECT_THAT(tokenizer.languages(), ElementsAre("deu", "eng", "x"));
  EXPECT_EQ(tokenizer.decode(Ids{4, 5, tag, kBos, kPad, kEos}), "") << "tags and special symbols write nothing";
}

TEST(MappedTokenizerTest, NormalizesLinesAndKeepsTheirSpans) {
  const auto model = train_on(training_text(), small_config());
  auto vocabulary = reversed(model);
  const MappedTokenizer plain(vocabulary, model, "plain");
  vocabulary.normalizer = MappedVocabulary::Normalizer::kOpusMt;
  const MappedTokenizer tokenizer(vocabulary, model, "opus");
  const std::string line = " Zwei\u200B Kinder，  am Fluss。 ";
  EXPECT_EQ(tokenizer.encode(line), plain.encode("Zwei Kinder, am Fluss."));
  const auto pieces = tokenizer.encode_with_spans(line);
  EXPECT_EQ(pieces.text, line);
  EXPECT_EQ(pieces.ids, tokenizer.encode(line));
  std::size_t end = 0;
  for (const auto& span : pieces.spans) {
    EXPECT_LE(end, span.begin + 3) << "pieces of one character may share it";
    EXPECT_LE(span.begin, span.end);
    end = span.end;
  }
  EXPECT_LE(end, line.size());
  EXPECT_THAT(words_of(pieces).words, ElementsAre("Zwei\u200B", "Kinder，", "am", "Fluss。"));
  EXPECT_FALSE(tokenizer.encodes_words_separately());
}

TEST(MappedTokenizerTest, IdsOutsideTheVocabularyAreRefused) {
  const auto model = train_on(training_text(), small_config());
  const MappedTokenizer tokenizer(reversed(model), model, "m");
  for (const Id id : {-1, static_cast<Id>(tokenizer.vocabulary_size())}) {
    EXPECT_THAT([&] { tokenizer.decode(Ids{id}); }, ThrowsMessage<ModelError>(HasSubstr("wanted an id from 0 to")));
    EXPECT_THAT([&] { tokenizer.piece(id); }, ThrowsMessage<ModelError>(HasSubstr("wanted an id from 0 to")));
  }
}

TEST(MappedTokenizerTest, IsStoredAndLoaded) {
  const auto model = train_on(training_text(), small_config());
  const MappedTokenizer tokenizer(reversed(model), model, "m");
  EXPECT_EQ(tokenizer.sentencepiece(), model);
  const auto again = make_tokenizer(tokenizer.serialized(), "again");
  EXPECT_EQ(again->serialized(), tokenizer.serialized());
  EXPECT_EQ(again->encode(kSentence), tokenizer.encode(kSentence));
  EXPECT_THAT([&] { MappedTokenizer(reversed(model), "other bytes", "m"); },
              ThrowsMessage<ModelError>(StartsWith("m: wanted a SentencePiece model")));
}

TEST(MappedTokenizerTest, SourcesWithoutAnEndAreStored) {
  const auto model = train_on(training_text(), small_config());
  auto vocabulary = reversed(model);
  EXPECT_TRUE(MappedTokenizer(vocabulary, model, "m").has_source_eos());
  vocabulary.has_source_eos = false;
  const MappedTokenizer tokenizer(vocabulary, model, "m");
  const auto again = make_tokenizer(tokenizer.serialized(), "again");
  EXPECT_FALSE(again->has_source_eos());
  EXPECT_FALSE(TaggedTokenizer(again, 4).has_source_eos());
  auto damaged = tokenizer.serialized();
  damaged.replace(damaged.find("false"), 5, "12345");
  EXPECT_THROW(make_tokenizer(damaged, "damaged"), ModelError);
}

TEST(MappedTokenizerTest, SubwordsAreSampled) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram}) {
    const auto model = train_on(training_text(), small_config(type));
    const MappedTokenizer tokenizer(reversed(model), model, "m");
    const SubwordSampler sampler(tokenizer.serialized(), 0.3);
    const RandomStream random(1, "subwords");
    std::set<Ids> drawn;
    auto ids = tokenizer.encode(kSentence);
    ids.insert(ids.begin(), 4);
    ids.push_back(kEos);
    for (std::uint64_t sentence = 0; sentence < 20; ++sentence) {
      const auto sample = sampler.sample(ids, random, sentence);
      EXPECT_EQ(tokenizer.decode(sample), tokenizer.decode(ids));
      EXPECT_EQ(sample.front(), 4) << "the tag stays";
      EXPECT_EQ(sample.back(), kEos);
      drawn.insert(sample);
    }
    EXPECT_GT(drawn.size(), 2u);
  }
}

// A damaged file yields an error or a working tokenizer. A crash ends the test.
TEST(MappedTokenizerTest, MutatedBytesAreRefusedOrWork) {
  const auto model = train_on(training_text(), small_config());
  const auto good = MappedTokenizer(reversed(model), model, "good").serialized();
  const auto header = good.size() - model.size();
  const RandomStream random(11, "mutations");
  std::uint64_t element = 0;
  int refused = 0, rounds = 600;
  for (int round = 0; round < rounds; ++round) {
    auto bytes = good;
    const auto reach = round % 3 == 0 ? bytes.size() : header;
    for (std::uint64_t i = 0; i <= random.below(4, element++); ++i)
      bytes[random.below(reach, element + i)] = static_cast<char>(random.bits(element + 100 + i));
    element += 200;
    if (round % 10 == 0) bytes.resize(random.below(bytes.size(), element++));
    try {
      const auto tokenizer = make_tokenizer(bytes, "mutated");
      const auto ids = tokenizer->encode(kSentence);
      for (const auto id : ids) EXPECT_TRUE(id >= 0 && id < tokenizer->vocabulary_size());
      EXPECT_TRUE(is_utf8(tokenizer->decode(ids)));
      for (const auto& language : tokenizer->languages()) EXPECT_TRUE(tokenizer->language_tag(language).has_value());
    } catch (const ModelError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, rounds / 10);
  EXPECT_LT(refused, rounds);
}

}  // namespace
}  // namespace gloss
