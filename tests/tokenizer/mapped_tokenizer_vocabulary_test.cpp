#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tokenizer/mapped_tokenizer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

MappedVocabulary small_vocabulary() {
  return {.pieces = {"<pad>", "<unk>", "<s>", "</s>", "▁a", "b", ">>deu<<", ">>por_BR<<", ">>por_PT<<"},
          .languages = {{"deu_Latn", 6}, {"por_BR", 7}, {"por_PT", 8}}};
}

auto refuses(const std::string& what) {
  return ThrowsMessage<ModelError>(AllOf(StartsWith("m: wanted a tokenizer"), HasSubstr(what)));
}

TEST(MappedVocabularyTest, HeaderRoundTrip) {
  auto vocabulary = small_vocabulary();
  vocabulary.normalizer = MappedVocabulary::Normalizer::kOpusMt;
  const auto header = to_header(vocabulary);
  EXPECT_TRUE(has_mapped_header(header));
  EXPECT_FALSE(has_mapped_header("\x0a\x0e"));
  const auto parsed = parse_header(header + "rest\n", "m");
  EXPECT_EQ(parsed.header_bytes, header.size());
  EXPECT_EQ(parsed.vocabulary.pieces, vocabulary.pieces);
  EXPECT_EQ(parsed.vocabulary.languages, vocabulary.languages);
  EXPECT_EQ(parsed.vocabulary.normalizer, vocabulary.normalizer);
  EXPECT_EQ(
      header,
      "gloss-mapped-tokenizer 1\n"
      "{\"languages\":{\"deu_Latn\":6,\"por_BR\":7,\"por_PT\":8},\"normalizer\":\"opus-mt\",\"pieces\":[\"<pad>\","
      "\"<unk>\",\"<s>\",\"</s>\",\"▁a\",\"b\",\">>deu<<\",\">>por_BR<<\",\">>por_PT<<\"]}\n");
}

TEST(MappedVocabularyTest, LanguagesAreFoundInOtherSpellings) {
  const auto vocabulary = small_vocabulary();
  for (const auto* name : {"deu_Latn", "deu-Latn", "DEU_latn", "deu"}) EXPECT_EQ(vocabulary.tag_of(name), 6) << name;
  EXPECT_EQ(vocabulary.tag_of("por-br"), 7);
  for (const auto* name : {"", "por", "de", "deu_", "deu_Latn_x", "eng"})
    EXPECT_EQ(vocabulary.tag_of(name), std::nullopt) << name;
}

TEST(MappedVocabularyTest, ImpossibleVocabulariesAreRefused) {
  const auto with = [](auto change) {
    return [change] {
      auto vocabulary = small_vocabulary();
      change(vocabulary);
      vocabulary.validate("m");
    };
  };
  EXPECT_NO_THROW(with([](auto&) {})());
  EXPECT_THAT(with([](auto& v) { v.pieces.resize(4); }), refuses("4 pieces, not 5 to"));
  EXPECT_THAT(with([](auto& v) { v.pieces[5] = ""; }), refuses("piece 5, empty"));
  EXPECT_THAT(with([](auto& v) { v.pieces[5] = std::string(1001, 'a'); }), refuses("piece 5"));
  EXPECT_THAT(with([](auto& v) { v.pieces[5] = "\xff"; }), refuses("not UTF-8"));
  EXPECT_THAT(with([](auto& v) { v.pieces[5] = std::string("a\0b", 3); }), refuses("not UTF-8 without NUL"));
  EXPECT_THAT(with([](auto& v) { v.pieces[5] = "▁a"; }), refuses("piece 5 a second time"));
  EXPECT_NO_THROW(with([](auto& v) { v.pieces[5] = "<s>"; })()) << "special ids are spelled as one likes";
  EXPECT_THAT(with([](auto& v) { v.languages["x"] = 3; }), refuses("the tag 3, not 4 to 8"));
  EXPECT_THAT(with([](auto& v) { v.languages["x"] = 9; }), refuses("the tag 9, not 4 to 8"));
  EXPECT_THAT(with([](auto& v) { v.languages[""] = 5; }), refuses("a language whose name"));
}

TEST(MappedVocabularyTest, DamagedHeadersAreRefused) {
  const std::string magic = "gloss-mapped-tokenizer 1\n";
  const auto parsing = [](const std::string& bytes) { return [bytes] { parse_header(bytes, "m"); }; };
  EXPECT_THAT(parsing(""), refuses("other bytes"));
  EXPECT_THAT(parsing("gloss-mapped-tokenizer 2\n{}\n"), ThrowsMessage<ModelError>(HasSubstr("use a newer gloss")));
  EXPECT_THAT(parsing(magic + "{}"), refuses("without an end"));
  EXPECT_THAT(parsing(magic + "{\n"), refuses("not JSON"));
  EXPECT_THAT(parsing(magic + "[]\n"), refuses("without just"));
  EXPECT_THAT(parsing(magic + "{}\n"), refuses("without just"));
  EXPECT_THAT(parsing(magic + R"({"languages":{},"normalizer":"","pieces":[],"x":1})" + '\n'), refuses("without just"));
  EXPECT_THAT(parsing(magic + R"({"languages":{},"normalizer":"","pieces":{}})" + '\n'), refuses("no list"));
  EXPECT_THAT(parsing(magic + R"({"languages":{},"normalizer":"","pieces":[1]})" + '\n'), refuses("no text"));
  EXPECT_THAT(parsing(magic + R"({"languages":{},"normalizer":"","pieces":[]})" + '\n'), refuses("0 pieces"));
  EXPECT_THAT(parsing(magic + R"({"languages":[],"normalizer":"","pieces":[]})" + '\n'), refuses("no object"));
  EXPECT_THAT(parsing(magic + R"({"languages":{},"normalizer":"x","pieces":[]})" + '\n'), refuses("normalizer \"x\""));
  EXPECT_THAT(parsing(magic + R"({"languages":{"a":1e99},"normalizer":"","pieces":[]})" + '\n'),
              refuses("without an id"));
  EXPECT_THAT(parsing(magic + R"({"languages":{"a":-1},"normalizer":"","pieces":[]})" + '\n'),
              refuses("without an id"));
  EXPECT_THAT(parsing(magic + R"({"languages":{"a":99999999999},"normalizer":"","pieces":[]})" + '\n'),
              refuses("without an id"));
  EXPECT_THAT(parsing(magic + std::string(100'000, '[') + '\n'), refuses("not JSON"));
}

}  // namespace
}  // namespace gloss
