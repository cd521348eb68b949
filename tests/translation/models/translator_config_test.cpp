#include "translation/models/translator_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "run/config/run_config.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Json run_file() {
  return {{"seed", 3},
          {"tokenizer", {{"type", "char"}, {"joint", false}}},
          {"data", {{"max_length", 50}, {"batch_tokens", 99}, {"source_language", "eng_Latn"}}},
          {"model", {{"d_model", 16}, {"heads", 2}, {"tie_embeddings", "none"}}},
          {"training", {{"max_steps", 5}}},
          {"decoding", {{"beam_size", 3}, {"max_length", 40}}}};
}

TEST(TranslatorConfigTest, IsThePartOfARunFileThatTranslates) {
  const auto config = read_translator_config(run_file());
  EXPECT_EQ(config.tokenizer.type, TokenizerType::kChar);
  EXPECT_EQ(config.model.d_model, 16);
  EXPECT_EQ(config.decoding.beam_size, 3);
  EXPECT_EQ(config.max_length, 50);
  EXPECT_EQ(config.languages.source, "eng-Latn");
  EXPECT_EQ(config.languages.target, "");
  EXPECT_EQ(to_json(config), to_json(parse_run_config(run_file()).translator()));
}

TEST(TranslatorConfigTest, WrittenAndReadAgainItIsEqualAndARunFile) {
  const auto json = to_json(read_translator_config(run_file()));
  EXPECT_EQ(to_json(read_translator_config(json)), json);
  EXPECT_EQ(to_json(parse_run_config(json).translator()), json);
}

TEST(TranslatorConfigTest, KeysOfTrainingAreNotLookedAt) {
  auto json = run_file();
  json["training"] = {{"optimizer of a later version", 1}};
  json["data"]["batch_tokens"] = "many";
  json["lens"] = 4;
  EXPECT_EQ(to_json(read_translator_config(json)), to_json(read_translator_config(run_file())));
}

TEST(TranslatorConfigTest, ImpossibleSettingsAreRefusedByName) {
  const auto expect_refused = [](const char* section, const Json& values, const char* message) {
    auto json = run_file();
    json[section].update(values);
    EXPECT_THAT([&] { read_translator_config(json); }, ThrowsMessage<UsageError>(HasSubstr(message)));
  };
  expect_refused("data", {{"max_length", 1}}, "data.max_length: wanted a whole number from 2 on");
  expect_refused("data", {{"source_language", 7}}, "data.source_language");
  expect_refused("model", {{"tie_embeddings", "all"}}, "model.tie_embeddings: all needs one vocabulary");
  expect_refused("model", {{"width", 3}}, "model.width: unknown key");
  expect_refused("decoding", {{"alignment_from", "decoder.6.cross"}}, "decoding.alignment_from: wanted decoder.LAYER");
  expect_refused("decoding", {{"alignment_from", "encoder.0.self"}}, "decoding.alignment_from: wanted decoder.LAYER");
}

TEST(TranslatorConfigTest, LearnedPositionsLimitBothSides) {
  auto json = run_file();
  json["model"].update({{"positions", "learned"}, {"max_positions", 30}});
  const auto config = read_translator_config(json);
  EXPECT_EQ(config.max_source_length(), 30);
  EXPECT_EQ(config.max_target_length(), 30);
  const auto unlimited = read_translator_config(run_file());
  EXPECT_EQ(unlimited.max_source_length(), 50);
  EXPECT_EQ(unlimited.max_target_length(), 40);
}

}  // namespace
}  // namespace gloss
