#include "interchange/import/tokenizer_json_reader.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/text/format.h"
#include "interchange/export/tokenizer_json.h"
#include "tests/run/small_job.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A SentencePiece model of gloss.
std::string model_of(TokenizerType type, bool byte_fallback = false) {
  const SmallJob job;
  write_lines(job / "text", {"the quick brown fox jumps over the lazy dog", "a dog and a fox", "the foxes and the dogs",
                             "quickly, quickly!", "brown bread over there", "Äpfel und Öl"});
  TokenizerConfig config;
  config.type = type;
  const bool is_unigram = type == TokenizerType::kUnigram;
  config.vocabulary_size = byte_fallback ? (is_unigram ? 298 : 320) : is_unigram ? 42 : 60;
  config.byte_fallback = byte_fallback;
  return train_tokenizer(std::vector{job / "text"}, config);
}

/// The steps that transformers 5 writes for Pegasus and NLLB.
Json of_transformers(Json tokenizer) {
  const auto map = tokenizer["normalizer"]["normalizers"][0];
  tokenizer["normalizer"] = {
      {"type", "Sequence"},
      {"normalizers", {map, {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}}}}};
  tokenizer["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}, {"split", true}};
  if (tokenizer["model"]["type"] == "BPE")
    for (auto& merge : tokenizer["model"]["merges"]) {
      const auto text = merge.get<std::string>();
      merge = {text.substr(0, text.find(' ')), text.substr(text.find(' ') + 1)};
    }
  return tokenizer;
}

std::vector<std::string> reasons(const Json& tokenizer) {
  Refusals refusals;
  read_tokenizer_json(tokenizer, "tokenizer.json", refusals);
  return refusals.reasons();
}

TEST(TokenizerJsonReaderTest, TheModelCutsAsTheOneThatWasWritten) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar})
    for (const bool byte_fallback : {false, true}) {
      if (byte_fallback && type == TokenizerType::kChar) continue;
      const auto bytes = model_of(type, byte_fallback);
      const auto own = parse_json(to_text(tokenizer_json(bytes)));
      const SentencePieceTokenizer wanted(bytes, "wanted");
      for (const auto& json : {own, of_transformers(own)}) {
        Refusals refusals;
        const auto read = read_tokenizer_json(json, "tokenizer.json", refusals);
        ASSERT_THAT(refusals.reasons(), IsEmpty());
        EXPECT_EQ(read.unk, kUnk);
        for (Id id = 0; id < wanted.vocabulary_size(); ++id)
          EXPECT_EQ(read.pieces.at(static_cast<std::size_t>(id)), wanted.piece(id));
        const SentencePieceTokenizer found(read.sentencepiece, "found");
        EXPECT_EQ(read_sentencepiece_settings(read.sentencepiece).character_map,
                  read_sentencepiece_settings(bytes).character_map);
        for (const auto* text : {"the quick fox", "a  lazy dog and  quick foxes ", " overbrown dogs, and bread!",
                                 "xyz quick Öl € €€ und", "½ Äpfel <0x41> </s>", ""})
          EXPECT_EQ(found.encode(text), wanted.encode(text)) << text;
      }
    }
}

TEST(TokenizerJsonReaderTest, AddedPiecesAreRead) {
  const auto json = parse_json(R"({"added_tokens": [{"id": 9, "content": "ace_Arab", "special": true},
      {"id": 18446744073709551615, "content": "far"}, {"id": -1, "content": "x"}, {"id": 7}, 5, null]})");
  EXPECT_EQ(added_pieces(json), (std::map<std::int64_t, std::string>{{9, "ace_Arab"}}));
  EXPECT_THAT(added_pieces(parse_json(R"({"added_tokens": "x"})")), IsEmpty());
}

TEST(TokenizerJsonReaderTest, WhatSentencePieceCannotDoIsRefused) {
  const auto bpe = tokenizer_json(model_of(TokenizerType::kBpe));
  const auto refused = [&](const char* pointer, const Json& value) {
    auto changed = bpe;
    changed[Json::json_pointer(pointer)] = value;
    return reasons(changed);
  };
  EXPECT_THAT(reasons(bpe), IsEmpty());
  EXPECT_THAT(refused("/model/type", "WordPiece"),
              testing::Contains(HasSubstr("wanted the type Unigram or BPE, got WordP")));
  EXPECT_THAT(refused("/model/unk_token", nullptr), ElementsAre(HasSubstr("wanted a piece for the unknown word")));
  EXPECT_THAT(refused("/model/end_of_word_suffix", "</w>"), ElementsAre(HasSubstr("end_of_word_suffix: wanted none")));
  EXPECT_THAT(refused("/model/ignore_merges", true), ElementsAre(HasSubstr("ignore_merges: wanted false")));
  EXPECT_THAT(refused("/pre_tokenizer", {{"type", "ByteLevel"}}),
              ElementsAre(HasSubstr("wanted the steps of Sentence")));
  EXPECT_THAT(refused("/normalizer", {{"type", "Lowercase"}}),
              ElementsAre(HasSubstr("got {\"type\":\"Lowercase\"}"), HasSubstr("wanted spaces that become U+2581")));
  EXPECT_THAT(refused("/normalizer/normalizers/0/precompiled_charsmap", "?"), ElementsAre(HasSubstr("Precompiled")));
  EXPECT_THAT(refused("/model/vocab/new", 4), testing::Contains(HasSubstr("once, got 4")));
  EXPECT_THAT(reasons(Json::array()), testing::Not(IsEmpty()));
  EXPECT_THAT(reasons(Json::object()), testing::Not(IsEmpty()));
  EXPECT_THAT(reasons(parse_json(R"({"model": {"type": "Unigram", "vocab": [["a", "b"]]}})")),
              testing::Contains(HasSubstr("vocab: wanted pieces with their scores")));
}

// A step for the spaces of a line is done by SentencePiece, too, or refused.
TEST(TokenizerJsonReaderTest, SpacesAreSplitAndStrippedAsTheStepsDo) {
  const Json mark = {{"type", "Metaspace"}, {"replacement", "\u2581"}}, split = {{"type", "WhitespaceSplit"}};
  const auto sequence = [](const char* parts, const Json& steps) { return Json{{"type", "Sequence"}, {parts, steps}}; };
  auto json = of_transformers(parse_json(to_text(tokenizer_json(model_of(TokenizerType::kUnigram)))));
  const auto map = json["normalizer"]["normalizers"][0], collapse = json["normalizer"]["normalizers"][1];
  const auto encoded = [&](const char* text) {
    Refusals refusals;
    const auto read = read_tokenizer_json(json, "tokenizer.json", refusals);
    EXPECT_THAT(refusals.reasons(), IsEmpty());
    return refusals.empty() ? Ids() : SentencePieceTokenizer(read.sentencepiece, "read").encode(text);
  };
  json["normalizer"] = map;
  json["pre_tokenizer"] = sequence("pretokenizers", {split, mark});
  EXPECT_EQ(encoded("  the  dog "), encoded("the dog"));
  json["pre_tokenizer"] = sequence("pretokenizers", {mark, split});  // without spaces to split at
  EXPECT_THAT(reasons(json), ElementsAre(HasSubstr("WhitespaceSplit")));
  for (const auto* scheme : {"first", "never"}) {  // words without a mark
    auto other = mark;
    other["prepend_scheme"] = scheme;
    json["pre_tokenizer"] = sequence("pretokenizers", {split, other});
    EXPECT_THAT(reasons(json), ElementsAre(HasSubstr("Metaspace"))) << scheme;
  }
  json["pre_tokenizer"] = mark;
  const Json strip = {{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}};
  const Json strip_marks = {{"type", "Replace"}, {"pattern", {{"Regex", "\\A +|[ \u2581]+\\z"}}}, {"content", ""}};
  for (const auto& step : {strip, strip_marks}) {
    json["normalizer"] = sequence("normalizers", {map, step});
    EXPECT_THAT(reasons(json), ElementsAre(HasSubstr("wanted spaces that are stripped at the ends and within")));
    json["normalizer"] = sequence("normalizers", {map, step, collapse});
    EXPECT_EQ(encoded("the  dog "), encoded("the dog"));
  }
}

// Merges are looked for at each character of a piece.
TEST(TokenizerJsonReaderTest, PiecesOfImpossibleLengthAreRefused) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram})
    for (const std::size_t size : {std::size_t{0}, TokenizerConfig::kMaxPieceBytes + 1}) {
      auto json = tokenizer_json(model_of(type));
      auto& vocabulary = json["model"]["vocab"];
      const auto row = vocabulary.size();
      const std::string piece(size, 'a');
      if (type == TokenizerType::kBpe)
        vocabulary[piece] = row;
      else
        vocabulary.push_back({piece, -1.5});
      EXPECT_THAT(reasons(json), testing::Contains(HasSubstr("vocab: wanted pieces of 1 to 1000 bytes, got one of " +
                                                             std::to_string(size))));
    }
}

// SentencePiece knows no order of two merges that make the same piece.
TEST(TokenizerJsonReaderTest, MergesInAnotherOrderAreRefused) {
  auto json = tokenizer_json(model_of(TokenizerType::kBpe));
  auto& merges = json["model"]["merges"];
  auto fewer = json;
  fewer["model"]["merges"].erase(0);
  EXPECT_THAT(reasons(fewer), ElementsAre(HasSubstr("merges: wanted ")));
  const auto made = [&](std::size_t i) {
    auto text = merges[i].get<std::string>();
    std::erase(text, ' ');
    return text;
  };
  for (std::size_t i = 0; i + 2 < merges.size(); ++i)
    if (made(i) == made(i + 1) && made(i + 1) != made(i + 2)) {
      std::swap(merges[i + 1], merges[i + 2]);
      EXPECT_THAT(reasons(json), ElementsAre(HasSubstr("together, as SentencePiece has them")));
      return;
    }
}

}  // namespace
}  // namespace gloss
