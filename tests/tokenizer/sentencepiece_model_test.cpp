#include "tokenizer/sentencepiece_model.h"

#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/protobuf.h"
#include "common/random.h"
#include "common/text/utf8.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value);
}

std::string field(std::uint64_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

TEST(SentencePieceSettingsTest, AbsentFieldsHaveTheDefaultsOfSentencePiece) {
  const auto settings = read_sentencepiece_settings("");
  EXPECT_EQ(settings.character_map, "");
  EXPECT_TRUE(settings.add_dummy_prefix);
  EXPECT_TRUE(settings.remove_extra_whitespaces);
  EXPECT_TRUE(settings.escape_whitespaces);
  EXPECT_FALSE(settings.whitespace_as_suffix);
  EXPECT_FALSE(settings.byte_fallback);
  EXPECT_FALSE(settings.rewrites_output);
  EXPECT_EQ(settings.segmentation, PieceTable::Segmentation::kUnigram);
  EXPECT_EQ((std::vector{settings.pad, settings.unk, settings.bos, settings.eos}),
            (std::vector{kPad, kUnk, kBos, kEos}));
}

TEST(SentencePieceSettingsTest, EachFieldIsRead) {
  // model_type, treat_whitespace_as_suffix, byte_fallback, unk_id, bos_id, eos_id, pad_id
  const auto trainer = field(2, "\x18\2\xc0\1\1\x98\2\1\xc0\2\6\xc8\2\7\xd0\2\x8\xd8\2\x9");
  // precompiled_charsmap, add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces
  const auto normalizer = field(3, field(2, "map") + "\x18\0\x20\0\x28\0"s);
  const auto settings = read_sentencepiece_settings(trainer + normalizer);
  EXPECT_EQ(settings.character_map, "map");
  EXPECT_FALSE(settings.add_dummy_prefix);
  EXPECT_FALSE(settings.remove_extra_whitespaces);
  EXPECT_FALSE(settings.escape_whitespaces);
  EXPECT_TRUE(settings.whitespace_as_suffix);
  EXPECT_TRUE(settings.byte_fallback);
  EXPECT_FALSE(settings.rewrites_output);
  EXPECT_EQ(settings.segmentation, PieceTable::Segmentation::kBpe);
  EXPECT_EQ((std::vector{settings.unk, settings.bos, settings.eos, settings.pad}), (std::vector<Id>{6, 7, 8, 9}));
}

TEST(SentencePieceSettingsTest, OnlyADenormalizerWithRulesRewritesTheOutput) {
  EXPECT_FALSE(read_sentencepiece_settings(field(5, "")).rewrites_output);
  const auto settings = read_sentencepiece_settings(field(5, field(2, "map")));
  EXPECT_TRUE(settings.rewrites_output);
  EXPECT_EQ(settings.character_map, "");
}

TEST(SentencePieceSettingsTest, TrainedModelsHaveTheirByteFallback) {
  auto config = small_config();
  EXPECT_FALSE(read_sentencepiece_settings(train_on(training_text(), config)).byte_fallback);
  config.byte_fallback = true;
  config.vocabulary_size += 256;
  EXPECT_TRUE(read_sentencepiece_settings(train_on(training_text(), config)).byte_fallback);
}

TEST(SentencePieceSettingsTest, TruncatedModelsAreRefused) {
  EXPECT_THROW(read_sentencepiece_settings(field(3, "abc").substr(0, 3)), ModelError);
}

TEST(SentencePieceSettingsTest, AModelThatIsCutBetweenPiecesOrPartsIsRefused) {
  const auto model = train_on(training_text(), small_config());
  EXPECT_NO_THROW(expect_complete_sentencepiece(model, "x"));
  std::vector<std::size_t> ends{0};  // of the pieces and parts
  const std::string_view bytes = model;
  for (ProtobufFields fields(bytes); const auto field = fields.next();)
    ends.push_back(static_cast<std::size_t>(field->bytes.data() + field->bytes.size() - bytes.data()));
  for (const auto end : ends) {
    if (end == model.size()) continue;
    EXPECT_THROW(expect_complete_sentencepiece(bytes.substr(0, end), "x"), ModelError) << end;
  }
}

std::string word(std::uint32_t value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

std::string piece(const std::string& text, float score = 0) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &score, 4);
  return field(1, field(1, text) + varint(2 << 3 | 5) + word(bits));
}

// A normalizer with a character map of 256 units.
std::string character_map(const std::map<std::uint32_t, std::uint32_t>& units, const std::string& texts) {
  std::string trie(1024, '\0');
  trie[0] = '\xff';  // the first unit is no child of itself
  for (const auto& [place, unit] : units) trie.replace(place * 4, 4, word(unit));
  return field(2, word(1024) + trie + texts);
}

// A model with one piece and such a map.
std::string with_character_map(const std::map<std::uint32_t, std::uint32_t>& units, const std::string& texts) {
  return piece("a") + field(3, character_map(units, texts));
}

// A piece with several fields for its type.
std::string typed_piece(const std::string& text, const std::vector<std::uint64_t>& types) {
  std::string message = field(1, text);
  for (const auto type : types) message += varint(3 << 3) + varint(type);
  return field(1, message);
}

// A field whose tag has a bit that a reader of 32 bits does not see.
std::string hidden(std::uint64_t number, const std::string& bytes) {
  return varint((number << 3 | 2) + (std::uint64_t{1} << 32)) + varint(bytes.size()) + bytes;
}

auto refuses(const std::string& what) {
  return ThrowsMessage<ModelError>(AllOf(StartsWith("m.model: wanted a SentencePiece model"), HasSubstr(what)));
}

std::function<void()> checking(const std::string& bytes) {
  return [bytes] { check_sentencepiece_model(bytes, "m.model"); };
}

TEST(SentencePieceCheckTest, AcceptsTrainedModels) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar})
    EXPECT_NO_THROW(checking(train_on(training_text(), small_config(type)))());
}

TEST(SentencePieceCheckTest, RefusesMalformedMessages) {
  EXPECT_THAT(checking(""), refuses("got an empty file"));
  EXPECT_THAT(checking("hello world"), refuses("got a text; name the .model file of a tokenizer"));
  EXPECT_THAT(checking("{\"seed\": 1}"), refuses("got a JSON text"));
  EXPECT_THAT(checking(field(3, "")), refuses("no pieces; the file is damaged or something else"));
  EXPECT_THAT(checking(std::string(12, '\xFF')), refuses("more than ten bytes"));
  EXPECT_THAT(checking(piece("a") + varint(9 << 3 | 3)), refuses("unknown kind"));
  EXPECT_THAT(checking(piece("a") + '\0'), refuses("without a number"));
  EXPECT_THAT(checking(piece("a").substr(0, 5)), refuses("cut off"));
  EXPECT_THAT(checking(varint(10) + varint(std::numeric_limits<std::uint64_t>::max()) + "x"), refuses("cut off"));
}

TEST(SentencePieceCheckTest, RefusesTruncatedMessages) {
  const auto whole = piece("a") + field(9, "unknown") + piece("b");
  const std::set<std::size_t> ends{piece("a").size(), piece("a").size() + field(9, "unknown").size()};
  for (std::size_t size = 1; size < whole.size(); ++size) {
    if (ends.contains(size))
      EXPECT_NO_THROW(checking(whole.substr(0, size))());
    else
      EXPECT_THAT(checking(whole.substr(0, size)), refuses("cut off")) << size;
  }
}

TEST(SentencePieceCheckTest, RefusesImpossiblePieces) {
  EXPECT_NO_THROW(checking(piece("a") + piece("b"))());
  EXPECT_THAT(checking(piece("")), refuses("empty"));
  EXPECT_THAT(checking(piece(std::string(100'000, 'a'))), refuses("longer than 1000"));
  const auto user_defined = [](std::size_t size) {
    return field(1, field(1, std::string(size, 'a')) + varint(3 << 3) + varint(4));
  };
  EXPECT_NO_THROW(checking(user_defined(64))());
  EXPECT_THAT(checking(user_defined(65)), refuses("user-defined piece"));
  EXPECT_THAT(checking(piece("\xC0\x80")), refuses("not UTF-8"));
  EXPECT_THAT(checking(piece("a\0b"s)), refuses("not UTF-8"));
  EXPECT_THAT(checking(piece("a") + piece("a")), refuses("twice"));
  EXPECT_THAT(checking(piece("a", std::numeric_limits<float>::quiet_NaN())), refuses("no number"));
}

TEST(SentencePieceCheckTest, RefusesCharacterMapsWithReferencesOutside) {
  constexpr std::uint32_t kHasLeaf = 1 << 8, kFar = 1 << 9, kIsLeaf = 1u << 31;
  EXPECT_NO_THROW(checking(with_character_map({}, "x\0"s))());
  EXPECT_THAT(checking(with_character_map({{0, 256 << 10}}, "x\0"s)), refuses("points outside itself"));
  EXPECT_THAT(checking(with_character_map({{0, 1 << 10 | kFar}}, "x\0"s)), refuses("points outside itself"));
  EXPECT_THAT(checking(with_character_map({{'a', 'a' | 256 << 10}}, "x\0"s)), refuses("points outside itself"));
  // After "a": the base 'a' ^ 1 and its leaf, whose value is the offset of a text.
  const auto ends_at = [](std::uint32_t place) {
    return std::map<std::uint32_t, std::uint32_t>{{'a', 'a' | kHasLeaf | 1 << 10}, {'a' ^ 1, kIsLeaf | place}};
  };
  EXPECT_NO_THROW(checking(with_character_map(ends_at(1), "x\0"s))());
  EXPECT_THAT(checking(with_character_map(ends_at(2), "x\0"s)), refuses("outside its texts"));
  EXPECT_THAT(checking(with_character_map({}, "x")), refuses("no end"));
  EXPECT_THAT(checking(with_character_map({}, "")), refuses("impossible size"));
  EXPECT_THAT(checking(piece("a") + field(5, field(2, word(1 << 20) + "xyz"))), refuses("impossible size"));
}

// "a" leads back to its own base: every byte of "aaa..." is compared with all bytes after it. With a text, the matches
// exceed any limit, too.
TEST(SentencePieceCheckTest, RefusesCircularCharacterMap) {
  const std::uint32_t circle = 'a' | static_cast<std::uint32_t>('a') << 10;
  EXPECT_THAT(checking(with_character_map({{'a', circle}}, "x\0"s)), refuses("circle or a way longer than 64 bytes"));
  EXPECT_THAT(checking(with_character_map({{'a', circle | 1 << 8}}, std::string(256, '\0'))),
              refuses("too many texts"));
}

TEST(SentencePieceCheckTest, RefusesTooManyTextsOnOnePath) {
  // A path over the bases 0 and 128 + depth, each with a leaf.
  const auto with_depth = [](std::uint32_t most) {
    std::map<std::uint32_t, std::uint32_t> units;
    for (std::uint32_t depth = 1; depth <= most; ++depth) {
      const auto before = depth == 1 ? 0 : 128 + depth - 1, base = 128 + depth;
      units[depth] = (depth ^ before) | 1 << 8 | (depth ^ base) << 10;
      units[base] = 1u << 31;
    }
    return with_character_map(units, "x\0"s);
  };
  EXPECT_NO_THROW(checking(with_depth(32))());
  EXPECT_THAT(checking(with_depth(33)), refuses("too many texts"));
}

// SentencePiece takes bit 31 of the first unit for a part of its offset.
TEST(SentencePieceCheckTest, RefusesACharacterMapThatBeginsWithALeaf) {
  EXPECT_THAT(checking(with_character_map({{0, 0x80000200}}, "x\0"s)), refuses("begins with a leaf"));
}

// Each byte of a line could become a text of megabytes.
TEST(SentencePieceCheckTest, RefusesLongTextsOfCharacterMaps) {
  const auto with_text = [](std::size_t bytes) {
    const std::map<std::uint32_t, std::uint32_t> units{{'a', 'a' | 1 << 8 | ('a' ^ 128) << 10}, {128, 1u << 31}};
    return with_character_map(units, std::string(bytes, 'b') + '\0');
  };
  EXPECT_NO_THROW(checking(with_text(256))());
  EXPECT_THAT(checking(with_text(257)), refuses("a text longer than 256 bytes"));
}

TEST(SentencePieceCheckTest, RefusesFieldsThatOtherReadersFindElsewhere) {
  EXPECT_THAT(checking(piece("a") + hidden(3, character_map({}, "x\0"s))), refuses("an impossible number"));
  EXPECT_THAT(checking(piece("a") + hidden(1, "b")), refuses("an impossible number"));
  EXPECT_THAT(checking(with_character_map({}, "x\0"s) + field(3, "")), refuses("a part that stands there twice"));
}

// Other readers skip a type that they do not have, and keep 32 bits of a number.
TEST(SentencePieceCheckTest, RefusesTypesOfPiecesThatOtherReadersSeeDifferently) {
  for (std::uint64_t type = 1; type <= 6; ++type) EXPECT_NO_THROW(checking(typed_piece("a", {type}))()) << type;
  for (const std::vector<std::uint64_t>& types :
       {std::vector<std::uint64_t>{4, 99}, {0}, {7}, {(std::uint64_t{1} << 32) + 4}, {~std::uint64_t{0}}})
    EXPECT_THAT(checking(typed_piece("a", types)), refuses("a piece of unknown type"));
  EXPECT_THAT(checking(piece("a") + field(2, varint(3 << 3) + varint((std::uint64_t{1} << 32) + 2))),
              refuses("an unknown segmentation"));
}

TEST(SentencePieceCheckTest, RefusesLongTextsForUnknownPieces) {
  EXPECT_NO_THROW(checking(piece("a") + field(2, field(44, std::string(1000, 'x'))))());
  EXPECT_THAT(checking(piece("a") + field(2, field(44, std::string(1001, 'x')))), refuses("over 1000 bytes"));
}

// SentencePiece gets only what gloss has read: no samples, which it would encode while it loads, and no unknown fields.
TEST(SentencePieceCheckTest, WritesTheModelAnew) {
  const auto good = train_on(training_text(), small_config(TokenizerType::kBpe));
  const auto anew = check_sentencepiece_model(good, "m.model");
  const auto samples = field(4, field(1, field(1, "hello world") + field(2, "x")));
  EXPECT_EQ(check_sentencepiece_model(good + samples + field(9, "unknown"), "m.model"), anew);
  EXPECT_EQ(check_sentencepiece_model(anew, "m.model"), anew);
}

// A damaged file yields an error or a working tokenizer. A crash ends the test.
TEST(SentencePieceCheckTest, MutatedModelsAreRefusedOrWork) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar}) {
    const auto good = train_on(training_text(), small_config(type));
    const RandomStream random(7, "mutations");
    std::uint64_t element = 0;
    int refused = 0, rounds = 400;
    for (int round = 0; round < rounds; ++round) {
      auto bytes = good;
      // Most of a model is the character map; the pieces before it and the settings after them get a share of the
      // mutations.
      const auto reach = round % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 4096);
      for (std::uint64_t i = 0; i <= random.below(8, static_cast<std::uint64_t>(round)); ++i)
        bytes[random.below(reach, element + i)] = static_cast<char>(random.bits(element + 100 + i));
      element += 200;
      if (round % 10 == 0) bytes.resize(random.below(bytes.size(), element++));
      try {
        const SentencePieceTokenizer tokenizer(bytes, "mutated");
        EXPECT_TRUE(is_utf8(tokenizer.decode(tokenizer.encode("Zwei Kinder 小さな ½ ﬁ à́ лодка"))));
      } catch (const ModelError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, rounds / 10);
    EXPECT_LT(refused, rounds);
  }
}

}  // namespace
}  // namespace gloss
