#include "tokenizer/sentencepiece_tokenizer.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include "common/error.h"
#include "common/files/protobuf.h"
#include "common/text/utf8.h"
#include "tests/support/temporary_folder.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/sentencepiece_library.h"
#include "tokenizer/sentencepiece_model.h"

namespace sentencepiece::logging {

// Not declared in any installed header, see tokenizer/sentencepiece_library.cpp.
[[gnu::weak]] void SetMinLogLevel(int level);

}  // namespace sentencepiece::logging

namespace gloss {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

SentencePieceTokenizer small_tokenizer(TokenizerType type = TokenizerType::kBpe) {
  return {train_on(training_text(), small_config(type)), "small"};
}

SentencePieceTokenizer byte_tokenizer() {
  auto config = small_config();
  config.byte_fallback = true;
  config.vocabulary_size = 440;
  return {train_on(training_text(), config), "bytes"};
}

class TokenizerTypeTest : public testing::TestWithParam<TokenizerType> {};

TEST_P(TokenizerTypeTest, LinesOfEveryScriptRoundTrip) {
  const auto tokenizer = small_tokenizer(GetParam());
  for (const auto* line : {"Two children cross the river.", "Bücher über große Boote", "широкую реку", "μικρή βάρκα",
                           "川を渡る。", "강을 건넌다.", "नदी पार", "A река 川 강 नदी", ""}) {
    const auto ids = tokenizer.encode(line);
    EXPECT_THAT(ids, Each(Gt(kEos))) << line;
    EXPECT_EQ(tokenizer.decode(ids), line);
  }
}

TEST(TokenizerNormalizationTest, IdentityNormalizationKeepsFullWidthPunctuation) {
  auto config = small_config();
  const SentencePieceTokenizer usual(train_on("看，船！\n" + training_text(), config), "usual");
  config.normalization = Normalization::kIdentity;
  const SentencePieceTokenizer identity(train_on("看，船！\n" + training_text(), config), "identity");
  EXPECT_EQ(usual.decode(usual.encode("看，船！")), "看,船!");
  EXPECT_EQ(identity.decode(identity.encode("看，船！")), "看，船！");
}

TEST(SentencePieceLogTest, SentencePieceWritesNothingToStderr) {
  // A failing self-test: SentencePiece logs its sample and returns an error.
  const std::string sample =
      "\x0A\x01"
      "a"
      "\x12\x03"
      "zzz";
  const auto field = [](char number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  const auto model = train_on(training_text(), small_config()) + field(4, field(1, sample));
  if (sentencepiece::logging::SetMinLogLevel == nullptr) GTEST_SKIP() << "this SentencePiece exports no log level";
  sentencepiece::logging::SetMinLogLevel(0);  // the trainer has raised the level
  testing::internal::CaptureStderr();
  silence_sentencepiece();
  sentencepiece::SentencePieceProcessor processor;
  EXPECT_FALSE(processor.LoadFromSerializedProto(model).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NO_THROW(SentencePieceTokenizer(model, "tested")) << "the samples are not encoded";
}

TEST(SentencePieceTokenizerTest, SwappedIdsInTheTrainingSettingsAreRefused) {
  auto model = train_on(training_text(), small_config());
  const std::string right = "\xC0\x02\x01\xC8\x02\x02\xD0\x02\x03\xD8\x02" + std::string(1, '\0');
  const std::string swapped = "\xC0\x02" + std::string(1, '\0') + "\xC8\x02\x02\xD0\x02\x03\xD8\x02\x01";
  const auto place = model.find(right);
  ASSERT_NE(place, model.npos);
  model.replace(place, right.size(), swapped);
  EXPECT_THAT([&] { SentencePieceTokenizer(model, "swapped"); },
              ThrowsMessage<ModelError>(HasSubstr("got pad 1, unk 0, bos 2, eos 3")));
}

TEST_P(TokenizerTypeTest, HasTheSpecialIdsOfGloss) {
  const auto tokenizer = small_tokenizer(GetParam());
  EXPECT_EQ(tokenizer.piece(kPad), "<pad>");
  EXPECT_EQ(tokenizer.piece(kUnk), "<unk>");
  EXPECT_EQ(tokenizer.piece(kBos), "<s>");
  EXPECT_EQ(tokenizer.piece(kEos), "</s>");
}

TEST_P(TokenizerTypeTest, SymbolNameInTextIsPlainText) {
  const std::string line = "<s> a </s> <unk> <pad> x<s>y <0x41>";
  auto config = small_config(GetParam());
  config.vocabulary_size = GetParam() == TokenizerType::kUnigram ? 30 : 50;
  std::string text;
  for (int i = 0; i < 20; ++i) text += line + " word" + std::to_string(i % 7) + " _\n";
  const SentencePieceTokenizer tokenizer(train_on(text, config), "symbols");
  const auto ids = tokenizer.encode(line);
  EXPECT_THAT(ids, Each(Gt(kEos)));
  EXPECT_EQ(tokenizer.decode(ids), line);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a▁▁a")), "a__a");
}

TEST_P(TokenizerTypeTest, EqualBytesMakeAnEqualTokenizer) {
  const auto tokenizer = small_tokenizer(GetParam());
  const SentencePieceTokenizer again(tokenizer.serialized(), "again");
  EXPECT_EQ(again.vocabulary_size(), tokenizer.vocabulary_size());
  EXPECT_EQ(again.encode("Ein kleines Boot"), tokenizer.encode("Ein kleines Boot"));
}

INSTANTIATE_TEST_SUITE_P(Types, TokenizerTypeTest,
                         testing::Values(TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar),
                         [](const auto& test) { return std::string(tokenizer_type_name(test.param)); });

TEST(SentencePieceTokenizerTest, UnknownCharactersBecomeUnk) {
  const auto tokenizer = small_tokenizer();
  const auto ids = tokenizer.encode("a Ж𐍈 boat");
  EXPECT_THAT(ids, Contains(kUnk));
  EXPECT_EQ(tokenizer.decode(ids), "a  ⁇  boat");
}

TEST(SentencePieceTokenizerTest, ByteFallbackSpellsUnknownCharacters) {
  const auto tokenizer = byte_tokenizer();
  const auto ids = tokenizer.encode("a 𐍈 boat 🚣");
  EXPECT_THAT(ids, Each(Gt(kEos)));
  EXPECT_EQ(tokenizer.decode(ids), "a 𐍈 boat 🚣");
}

TEST(SentencePieceTokenizerTest, DecodeIsAlwaysOneLineOfUtf8) {
  const auto tokenizer = byte_tokenizer();
  constexpr Id kFirstByte = 4;
  ASSERT_EQ(tokenizer.piece(kFirstByte), "<0x00>");
  const auto bytes = [&](std::initializer_list<int> values) {
    Ids ids;
    for (const int value : values) ids.push_back(kFirstByte + value);
    return tokenizer.decode(ids);
  };
  EXPECT_EQ(bytes({'a', '\n', 'b', '\r', 'c'}), "a b c");
  EXPECT_EQ(bytes({'a', 0xF0, 0x9F}), "a\uFFFD\uFFFD");
  EXPECT_EQ(bytes({0, 'a'}),
            "\uFFFD"
            "a");
  for (Id id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const auto text = tokenizer.decode(Ids{id, kFirstByte + 0xE2, id});
    EXPECT_TRUE(is_utf8(text)) << id;
    EXPECT_THAT(text, AllOf(Not(HasSubstr("\n")), Not(HasSubstr("\r")))) << id;
  }
}

TEST(SentencePieceTokenizerTest, DecodeSkipsPadBosAndEos) {
  const auto tokenizer = small_tokenizer();
  auto ids = tokenizer.encode("a small boat");
  ids.insert(ids.begin(), kBos);
  ids.insert(ids.begin() + 2, kPad);
  ids.push_back(kEos);
  EXPECT_EQ(tokenizer.decode(ids), "a small boat");
  EXPECT_EQ(tokenizer.decode(Ids{kBos, kEos, kPad}), "");
}

/// Returns the part of the text that each piece covers.
std::vector<std::string> parts_of(const PieceSpans& pieces) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < pieces.ids.size(); ++i) parts.emplace_back(pieces.text_of(i));
  return parts;
}

TEST_P(TokenizerTypeTest, RangesCoverTheLineAndTheText) {
  const auto tokenizer = small_tokenizer(GetParam());
  for (const auto* line : {"Two children cross the river.", "  über  große\tBoote ", "a Ж𐍈 boat", "Ж", ""}) {
    const auto encoded = tokenizer.encode_with_spans(line);
    EXPECT_EQ(encoded.text, line);
    EXPECT_EQ(encoded.ids, tokenizer.encode(line));
    std::size_t last = 0;
    for (const auto& span : encoded.spans) {
      EXPECT_LE(last, span.begin);
      EXPECT_LE(span.begin, span.end);
      last = span.end;
    }
    EXPECT_LE(last, encoded.text.size());
    const auto decoded = tokenizer.decode_with_spans(encoded.ids);
    EXPECT_EQ(decoded.text, tokenizer.decode(encoded.ids));
    std::string joined;
    for (const auto& part : parts_of(decoded)) joined += part;
    EXPECT_EQ(joined, decoded.text);
  }
}

TEST(SentencePieceTokenizerTest, UnknownPieceHasItsRangeOfTheLine) {
  const auto tokenizer = small_tokenizer();
  const auto encoded = tokenizer.encode_with_spans("a Ж𐍈 boat");
  const auto unknown = std::ranges::find(encoded.ids, kUnk) - encoded.ids.begin();
  EXPECT_EQ(parts_of(encoded).at(static_cast<std::size_t>(unknown)), "Ж𐍈");
  EXPECT_EQ(parts_of(tokenizer.decode_with_spans(encoded.ids)).at(static_cast<std::size_t>(unknown)), " ⁇ ");
}

TEST(SentencePieceTokenizerTest, UnwrittenSymbolsHaveEmptyRanges) {
  const auto tokenizer = small_tokenizer();
  auto ids = tokenizer.encode("a boat");
  const auto usual = parts_of(tokenizer.decode_with_spans(ids));
  ids.insert(ids.begin() + 1, {kBos, kPad});
  ids.push_back(kEos);
  auto expected = usual;
  expected.insert(expected.begin() + 1, {"", ""});
  expected.emplace_back();
  EXPECT_EQ(parts_of(tokenizer.decode_with_spans(ids)), expected);
  EXPECT_THROW(tokenizer.decode_with_spans(Ids{-1}), ModelError);
}

TEST(SentencePieceTokenizerTest, BytesOfACharacterShareItsRange) {
  const auto tokenizer = byte_tokenizer();
  const auto pieces = tokenizer.decode_with_spans(tokenizer.encode("a 𐍈 🚣"));
  EXPECT_EQ(pieces.text, "a 𐍈 🚣");
  EXPECT_THAT(parts_of(pieces), Contains(testing::EndsWith("🚣")));
  for (const auto& placed : {pieces, tokenizer.encode_with_spans("a 𐍈 🚣")}) {
    const auto words = words_of(placed);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < placed.ids.size(); ++i) {
      if (!tokenizer.piece(placed.ids[i]).starts_with("<0x")) continue;
      EXPECT_EQ(words.words.at(words.of_piece[i].begin), bytes++ < 4 ? "𐍈" : "🚣");
      EXPECT_EQ(words.of_piece[i].end, words.of_piece[i].begin + 1);
    }
    EXPECT_EQ(bytes, 8u);
  }
  constexpr Id kFirstByte = 4;
  EXPECT_EQ(tokenizer.decode_with_spans(Ids{kFirstByte + 'a', kFirstByte + 0, kFirstByte + '\n'}).text, "a\uFFFD ");
}

TEST(SentencePieceTokenizerTest, RefusesIdsOutsideTheVocabulary) {
  const auto tokenizer = small_tokenizer();
  for (const Id id : {-1, 180, 1 << 30}) {
    const auto message = HasSubstr("wanted an id from 0 to 179, got " + std::to_string(id));
    EXPECT_THAT([&] { tokenizer.decode(Ids{id}); }, ThrowsMessage<ModelError>(message));
    EXPECT_THAT([&] { tokenizer.piece(id); }, ThrowsMessage<ModelError>(message));
  }
}

TEST(SentencePieceTokenizerTest, RefusesOtherSpecialIdsWithTheRemedy) {
  const TemporaryFolder folder;
  write_text(folder / "text", training_text());
  const auto status = sentencepiece::SentencePieceTrainer::Train({{"input", (folder / "text").string()},
                                                                  {"model_prefix", (folder / "m").string()},
                                                                  {"vocab_size", "180"},
                                                                  {"model_type", "bpe"},
                                                                  {"minloglevel", "3"}});
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT([&] { SentencePieceTokenizer::load(folder / "m.model"); },
              ThrowsMessage<ModelError>(AllOf(HasSubstr("m.model: "), HasSubstr("got pad -1, unk 0, bos 1, eos 2"),
                                              HasSubstr("--pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3"))));
}

TEST(SentencePieceTokenizerTest, LoadsAFileAndNamesUnloadableOnes) {
  const TemporaryFolder folder;
  const auto tokenizer = small_tokenizer();
  write_text(folder / "m.model", tokenizer.serialized());
  EXPECT_EQ(SentencePieceTokenizer::load(folder / "m.model")->serialized(), tokenizer.serialized());
  EXPECT_THAT([&] { SentencePieceTokenizer::load(folder / "absent"); },
              ThrowsMessage<DataError>(HasSubstr("absent: ")));
  write_text(folder / "cut", tokenizer.serialized().substr(0, 1000));
  EXPECT_THAT([&] { SentencePieceTokenizer::load(folder / "cut"); }, ThrowsMessage<ModelError>(HasSubstr("cut: ")));
}

TEST(SentencePieceTokenizerTest, ThreadsMayShareATokenizer) {
  const auto tokenizer = small_tokenizer();
  const auto expected = tokenizer.encode("Zwei Kinder lesen");
  std::vector<int> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (auto& count : wrong)
      threads.emplace_back([&tokenizer, &expected, &count] {
        for (int i = 0; i < 200; ++i) count += tokenizer.encode("Zwei Kinder lesen") != expected;
      });
  }
  EXPECT_THAT(wrong, Each(0));
}

// SentencePiece reads the ids from the pieces only.
TEST(SentencePieceTokenizerTest, RefusesOtherSpecialIdsInTheTrainingSettings) {
  const auto trained = train_on(training_text(), small_config());
  const auto stating = [&](Id unk, Id bos, Id eos, Id pad) {
    ProtobufWriter model;
    for (ProtobufFields fields(trained); const auto field = fields.next();) {
      if (field->number != ModelField::kTrainer) {
        model.add(*field);
        continue;
      }
      ProtobufWriter trainer;
      for (ProtobufFields settings(field->bytes); const auto setting = settings.next();)
        if (setting->number < TrainerField::kUnkId || setting->number > TrainerField::kPadId) trainer.add(*setting);
      for (const auto& [number, id] : {std::pair{TrainerField::kUnkId, unk},
                                       {TrainerField::kBosId, bos},
                                       {TrainerField::kEosId, eos},
                                       {TrainerField::kPadId, pad}})
        trainer.add_number(number, static_cast<std::uint64_t>(std::int64_t{id}));
      model.add_bytes(field->number, trainer.message());
    }
    return model.message();
  };
  EXPECT_NO_THROW(SentencePieceTokenizer(stating(1, 2, 3, 0), "m.model"));
  const auto expect_refused = [](const std::string& model, const std::string& got) {
    EXPECT_THAT([&] { SentencePieceTokenizer(model, "m.model"); },
                ThrowsMessage<ModelError>(HasSubstr("m.model: wanted the special ids pad 0, unk 1, bos 2, eos 3, got " +
                                                    got + " in its training settings; train it again with")));
  };
  expect_refused(stating(0, 2, 3, 1), "pad 1, unk 0, bos 2, eos 3");
  expect_refused(stating(1, 2, 3, -1), "pad -1, unk 1, bos 2, eos 3");
}

}  // namespace
}  // namespace gloss
