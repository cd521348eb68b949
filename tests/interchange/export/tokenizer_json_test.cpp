#include "interchange/export/tokenizer_json.h"

#include <algorithm>
#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/run/small_job.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::HasSubstr;

constexpr auto kGoldenPieces = GLOSS_GOLDEN_FOLDER "/pieces.model";

/// A tokenizer of the type, trained on a text of a few sentences.
std::string trained(TokenizerType type, bool byte_fallback = false) {
  const SmallJob job;
  write_lines(job / "text", {"the quick brown fox jumps over the lazy dog", "a dog and a fox", "the foxes and the dogs",
                             "quickly, quickly!", "brown bread over there", "Äpfel und Öl"});
  TokenizerConfig config;
  config.type = type;
  config.vocabulary_size = byte_fallback ? 320 : type == TokenizerType::kUnigram ? 42 : 60;
  config.byte_fallback = byte_fallback;
  return train_tokenizer(std::vector{job / "text"}, config);
}

std::vector<std::string> texts() {
  return {"the quick fox", "a lazy dog and quick foxes", "overbrown dogs, and bread!", "xyz quick Öl € €€ und", "fox"};
}

/// Cuts a text as the library `tokenizers` documents its BPE model: of all neighbors the pair with the lowest rank is
/// merged, the leftmost first; unknown characters in succession are one piece.
std::vector<Id> cut_by_merges(const Json& model, const std::string& text) {
  std::map<std::string, std::size_t> ranks;
  for (const auto& merge : model.at("merges")) ranks.emplace(merge.get<std::string>(), ranks.size());
  std::vector<std::string> symbols;
  for (const auto character : characters_of(text)) symbols.emplace_back(character);
  while (true) {
    auto best = std::numeric_limits<std::size_t>::max();
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = ranks.find(symbols[i] + ' ' + symbols[i + 1]);
      if (found == ranks.end() || found->second >= best) continue;
      best = found->second;
      place = i;
    }
    if (best == std::numeric_limits<std::size_t>::max()) break;
    symbols[place] += symbols[place + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
  std::vector<Id> ids;
  for (const auto& symbol : symbols) {
    const auto id = model.at("vocab").value(symbol, kUnk);
    if (id != kUnk || ids.empty() || ids.back() != kUnk) ids.push_back(id);
  }
  return ids;
}

std::string with_marks(const std::string& text) {
  std::string result = "\u2581";
  for (const char letter : text) result += letter == ' ' ? "\u2581" : std::string(1, letter);
  return result;
}

TEST(TokenizerJsonTest, MergesCutAsSentencePieceDoes) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kChar}) {
    const auto bytes = trained(type);
    const auto json = tokenizer_json(bytes);
    const SentencePieceTokenizer tokenizer(bytes, "tokenizer");
    EXPECT_EQ(json.at("model").at("type"), "BPE");
    EXPECT_EQ(json.at("model").at("merges").empty(), type == TokenizerType::kChar);
    for (const auto& text : texts())
      EXPECT_EQ(cut_by_merges(json.at("model"), with_marks(text)), tokenizer.encode(text)) << text;
  }
}

TEST(TokenizerJsonTest, UnigramHasEachPieceWithItsScore) {
  const auto bytes = trained(TokenizerType::kUnigram);
  const auto table = read_piece_table(bytes);
  const auto model = tokenizer_json(bytes).at("model");
  EXPECT_EQ(model.at("type"), "Unigram");
  EXPECT_EQ(model.at("unk_id"), kUnk);
  EXPECT_EQ(model.at("byte_fallback"), false);
  ASSERT_EQ(model.at("vocab").size(), table.pieces.size());
  for (std::size_t id = 0; id < table.pieces.size(); ++id) {
    EXPECT_EQ(model.at("vocab").at(id).at(0), table.pieces[id].text);
    EXPECT_EQ(model.at("vocab").at(id).at(1).get<float>(), table.pieces[id].score);
  }
}

TEST(TokenizerJsonTest, StepsAreThoseOfSentencePiece) {
  const auto json = tokenizer_json(trained(TokenizerType::kBpe));
  const auto& steps = json.at("normalizer").at("normalizers");
  std::vector<std::string> types;
  for (const auto& step : steps) types.push_back(step.at("type"));
  EXPECT_THAT(types, testing::ElementsAre("Precompiled", "Replace", "Replace", "Prepend", "Replace"));
  EXPECT_THAT(steps.at(0).at("precompiled_charsmap").get<std::string>(), testing::Not(testing::IsEmpty()));
  EXPECT_EQ(steps.at(4), parse_json(R"({"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"})"));
  EXPECT_EQ(json.at("decoder"), parse_json(R"({"type": "Metaspace", "replacement": "\u2581",
                                               "prepend_scheme": "always", "split": false})"));
  EXPECT_EQ(json.at("post_processor").at("single"),
            parse_json(R"([{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}])"));
  EXPECT_EQ(json.at("post_processor").at("special_tokens"),
            parse_json(R"({"</s>": {"id": "</s>", "ids": [3], "tokens": ["</s>"]}})"));
  EXPECT_EQ(json.at("added_tokens").size(), 4u);
  EXPECT_EQ(json.at("added_tokens").at(2).at("content"), "<s>");
}

TEST(TokenizerJsonTest, BytesStandForUnknownCharacters) {
  const auto json = tokenizer_json(trained(TokenizerType::kBpe, /*byte_fallback=*/true));
  EXPECT_EQ(json.at("model").at("byte_fallback"), true);
  EXPECT_EQ(json.at("decoder").at("decoders").at(0), parse_json(R"({"type": "ByteFallback"})"));
  EXPECT_TRUE(json.at("model").at("vocab").contains("<0x41>"));
}

TEST(TokenizerJsonTest, TheConfigurationHasTheSpecialPiecesAndTheLimit) {
  const auto bytes = trained(TokenizerType::kBpe);
  EXPECT_EQ(special_tokens_json(bytes), parse_json(R"({"pad_token": "<pad>", "unk_token": "<unk>",
                                                       "bos_token": "<s>", "eos_token": "</s>"})"));
  const auto config = tokenizer_config_json(bytes, 99);
  EXPECT_EQ(config.at("model_max_length"), 99);
  EXPECT_EQ(config.at("tokenizer_class"), "PreTrainedTokenizerFast");
  EXPECT_EQ(config.at("split_special_tokens"), true);
  EXPECT_EQ(config.at("clean_up_tokenization_spaces"), false);
}

TEST(TokenizerJsonTest, ModelsOfGlossAreExpressible) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar}) {
    Refusals refusals;
    check_tokenizer_json(trained(type), "tokenizer.model", refusals);
    EXPECT_TRUE(refusals.empty()) << refusals.text();
  }
}

/// A field of a protocol buffer whose number is below 16 and whose bytes are fewer than 128.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

TEST(TokenizerJsonTest, OtherModelsAreRefusedWithAllReasons) {
  using namespace std::string_literals;
  const auto user_defined = field(1, field(1, "a b") + "\x18\4"s), unused = field(1, field(1, "c") + "\x18\5"s);
  const auto trainer = field(2, "\x18\3\xc0\1\1"s);                    // model_type word, treat_whitespace_as_suffix
  const auto normalizer = field(3, "\x28\0"s);                         // escape_whitespaces
  const auto denormalizer = field(5, field(2, "map")) + field(5, "");  // the parts of a message are one
  Refusals refusals;
  check_tokenizer_json(user_defined + unused + trainer + normalizer + denormalizer, "x.model", refusals);
  for (const auto* reason : {"x.model: wanted no user-defined pieces", "no unused pieces", "pieces without spaces",
                             "type bpe, unigram or char, got word", "treat_whitespace_as_suffix false",
                             "escape_whitespaces true", "no normalization of the output"})
    EXPECT_THAT(refusals.text(), HasSubstr(reason));
}

TEST(TokenizerJsonTest, TheGoldenModelCutsAlike) {
  const auto bytes = text_of_file(kGoldenPieces);
  const auto json = tokenizer_json(bytes);
  if (json.at("model").at("type") != "BPE") return;
  const SentencePieceTokenizer tokenizer(bytes, "pieces.model");
  for (const auto& text : texts())
    EXPECT_EQ(cut_by_merges(json.at("model"), with_marks(text)), tokenizer.encode(text)) << text;
}

}  // namespace
}  // namespace gloss
