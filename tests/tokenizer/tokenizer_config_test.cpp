#include "tokenizer/tokenizer_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/settings.h"
#include "common/error.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TokenizerConfig read(const std::string& text) {
  const auto json = parse_json(text);
  auto config = read_tokenizer_config(ConfigSection(json, "tokenizer"));
  config.validate();
  return config;
}

TEST(TokenizerConfigTest, DefaultsStandWhereNothingIsSaid) {
  EXPECT_EQ(to_json(read("{}")), parse_json(R"({"model_file": "", "vocabulary_size": 10000, "type": "bpe",
                                                "character_coverage": 1.0, "normalization": "nmt_nfkc", "byte_fallback": false, "symbols": [], "joint": true,
                                                "shared_ids": false, "source_tag": "none", "target_tag": false})"));
}

TEST(TokenizerConfigTest, EveryKeyComesBack) {
  const auto json = parse_json(R"({"model_file": "m.model", "vocabulary_size": 300, "type": "unigram",
                                   "character_coverage": 0.99, "normalization": "identity", "byte_fallback": true, "symbols": ["<BT>", "a,\"b"], "joint": false,
                                   "shared_ids": true, "source_tag": "target", "target_tag": true})");
  EXPECT_EQ(to_json(read(to_text(json))), json);
}

TEST(TokenizerConfigTest, WrongValuesAreNamed) {
  for (const auto& [text, message] :
       {std::pair(R"({"vocabulary_size": 4})",
                  "tokenizer.vocabulary_size: wanted a whole number from 5 to 1000000, got 4"),
        std::pair(R"({"vocabulary_size": 1000001})", "tokenizer.vocabulary_size"),
        std::pair(R"({"vocabulary_size": 260, "byte_fallback": true})",
                  "tokenizer.vocabulary_size: wanted a whole number from 261"),
        std::pair(R"({"character_coverage": 0.97})",
                  "tokenizer.character_coverage: wanted a number from 0.98 to 1, got 0.97"),
        std::pair(R"({"character_coverage": 1.01})", "tokenizer.character_coverage"),
        std::pair(R"({"shared_ids": true})", "tokenizer.shared_ids: wanted false beside tokenizer.joint true"),
        std::pair(R"({"source_tag": "both"})", "tokenizer.source_tag: wanted one of none, source, target"),
        std::pair(R"({"type": "word"})", "tokenizer.type: wanted one of bpe, unigram, char"),
        std::pair(R"({"vocabulary_size": 6, "symbols": ["a", "b"]})",
                  "tokenizer.vocabulary_size: wanted a whole number from 7, since each byte and symbol needs a piece"),
        std::pair(R"({"symbols": "<BT>"})", "tokenizer.symbols: wanted a list of strings"),
        std::pair(R"({"symbols": [""]})", "tokenizer.symbols: wanted texts of 1 to 64 bytes, got \"\""),
        std::pair(R"({"symbols": ["a b"]})", "tokenizer.symbols: wanted texts without white space"),
        std::pair(R"({"symbols": ["a\u3000"]})", "tokenizer.symbols: wanted texts without white space"),
        std::pair(R"({"symbols": ["a\u200bb"]})", "tokenizer.symbols: wanted texts without white space"),
        std::pair(R"({"symbols": ["\u2581a"]})", "tokenizer.symbols: wanted texts without white space and U+2581"),
        std::pair(R"({"symbols": ["a\u0000"]})", "tokenizer.symbols: wanted UTF-8 without NUL"),
        std::pair(R"({"symbols": ["<BT>", "x", "<BT>"]})", "tokenizer.symbols: wanted each text once, got \"<BT>\""),
        std::pair(R"({"symbols": ["<s>"]})", "tokenizer.symbols: wanted other texts than the names"),
        std::pair(R"({"symbols": ["</s>"]})", "tokenizer.symbols: wanted other texts than the names"),
        std::pair(R"({"symbols": ["<pad>"]})", "tokenizer.symbols: wanted other texts than the names"),
        std::pair(R"({"symbols": ["<unk>"]})", "tokenizer.symbols: wanted other texts than the names"),
        std::pair(R"({"symbols": ["<0x0A>"]})", "tokenizer.symbols: wanted other texts than the names"),
        std::pair(R"({"vocab_size": 5})", "tokenizer.vocab_size: unknown key")})
    EXPECT_THAT([text = text] { read(text); }, ThrowsMessage<UsageError>(HasSubstr(message)));
}

TEST(TokenizerConfigTest, ThereMayBeAHundredSymbolsOf64Bytes) {
  TokenizerConfig config;
  for (int i = 100; i < 200; ++i) config.symbols.push_back(std::string(61, 's') + std::to_string(i));
  EXPECT_NO_THROW(config.validate());
  config.symbols.push_back("one more");
  EXPECT_THAT([&] { config.validate(); },
              ThrowsMessage<UsageError>(HasSubstr("tokenizer.symbols: wanted at most 100 texts, got 101")));
  config.symbols = {std::string(65, 's')};
  EXPECT_THAT([&] { config.validate(); },
              ThrowsMessage<UsageError>(HasSubstr("tokenizer.symbols: wanted texts of 1 to 64 bytes")));
  EXPECT_FALSE(tokenizer_settings().identity(TokenizerConfig()).contains("symbols")) << "earlier runs can be resumed";
}

}  // namespace
}  // namespace gloss
