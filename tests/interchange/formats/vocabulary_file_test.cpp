#include "interchange/formats/vocabulary_file.h"

#include "common/files/atomic_file.h"
#include "interchange/formats/yaml.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using Kind = Vocabulary::Kind;

std::vector<std::string> pieces(Kind kind, const std::string& bytes) {
  return parse_vocabulary(kind, bytes, "v").pieces;
}

auto parsing(Kind kind, const std::string& bytes) {
  return [kind, bytes] { pieces(kind, bytes); };
}

class YamlVocabularyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_yaml()) GTEST_SKIP() << "built without yaml-cpp";
  }
};

TEST_F(YamlVocabularyTest, ReadsEveryWayOfWritingAPiece) {
  EXPECT_THAT(pieces(Kind::kYaml,
                     "</s>: 0\n<unk>: 1\n▁die: 3\n'it''s': 2\n\"\\\"\\\\\\x85\\u2581\": 4\n? long\n: 5\n"
                     "null: 6\n'#': 7\n\">>deu<<\": 8\n\" \": 9\n~: 10\n"),
              ElementsAre("</s>", "<unk>", "it's", "▁die", "\"\\\u0085▁", "long", "null", "#", ">>deu<<", " ", "~"));
}

TEST_F(YamlVocabularyTest, RefusesWrongIds) {
  EXPECT_THAT(parsing(Kind::kYaml, "a: 0\nb: 2\n"),
              refuses_model("v: line 2: wanted an id from 0 to 1, since there are 2 pieces, got 2"));
  EXPECT_THAT(parsing(Kind::kYaml, "a: 0\nb: 0\n"),
              refuses_model("v: line 2: wanted each id once, got 0 again, which line 1 has"));
  for (const std::string id : {"x", "-1", "1.0", "0x1", "[1]", "", "99999999999999999999", "1 2"})
    EXPECT_THAT(parsing(Kind::kYaml, "a: " + id + "\n"), refuses_model("v: line 1: ")) << id;
}

TEST_F(YamlVocabularyTest, RefusesWrongPieces) {
  EXPECT_THAT(parsing(Kind::kYaml, "a: 0\na: 1\n"), refuses_model("v: line 2: wanted each key once, got \"a\" twice"));
  EXPECT_THAT(parsing(Kind::kYaml, "'': 0\n"), refuses_model("v: line 1: wanted a piece, got an empty text"));
  EXPECT_THAT(parsing(Kind::kYaml, "? " + std::string(1001, 'a') + "\n: 0\n"),
              refuses_model("v: line 2: wanted a piece of at most 1000 bytes, got 1001"));
  EXPECT_THAT(parsing(Kind::kYaml, "\"a\\0\": 0\n"), refuses_model("v: line 1: wanted a piece in UTF-8 without NUL"));
  EXPECT_THAT(parsing(Kind::kYaml, "[a, b]"), refuses_model("v: wanted lines \"piece: id\", got something else"));
  EXPECT_THAT(parsing(Kind::kYaml, "{}"), refuses_model("v: wanted pieces, got none"));
}

TEST_F(YamlVocabularyTest, RefusesWhatIsNested) {
  EXPECT_THAT(parsing(Kind::kYaml, "a: 0\nb: [1]\n"), refuses_model("v: line 2: wanted at most 1 levels, got more"));
  EXPECT_THAT(parsing(Kind::kYaml, "a: 0\nb:\n  c: 1\n"), refuses_model("wanted at most 1 levels, got more"));
  EXPECT_THAT(parsing(Kind::kYaml, std::string(1 << 20, '[')), refuses_model("v: line 1: wanted a value within "));
}

TEST(VocabularyFileTest, ReadsJson) {
  EXPECT_THAT(pieces(Kind::kJson, R"({"b": 1, "</s>": 0, "\u2581a": 2})"), ElementsAre("</s>", "b", "▁a"));
  EXPECT_THAT(parsing(Kind::kJson, R"({"b": 1, "a": 2})"), refuses_model("v: piece \"a\": wanted an id from 0 to 1"));
  EXPECT_THAT(parsing(Kind::kJson, R"({"b": 1, "a": 1})"),
              refuses_model("v: piece \"b\": wanted each id once, got 1 again, which piece \"a\" has"));
  EXPECT_THAT(parsing(Kind::kJson, R"({"b": -1})"), refuses_model("v: piece \"b\": wanted a whole number from 0"));
  EXPECT_THAT(parsing(Kind::kJson, R"({"b": 0.0})"), refuses_model("v: piece \"b\": wanted a whole number from 0"));
  EXPECT_THAT(parsing(Kind::kJson, R"({"b": 0, "b": 1})"), refuses_model("v: line 1, column 12: repeated key \"b\""));
  EXPECT_THAT(parsing(Kind::kJson, R"({"b": [0]})"), refuses_model("v: line 1, column 7: nested deeper than 1 levels"));
  EXPECT_THAT(parsing(Kind::kJson, R"(["b"])"), refuses_model("v: wanted a JSON object of pieces and ids"));
  EXPECT_THAT(parsing(Kind::kJson, "{}"), refuses_model("v: wanted pieces, got none"));
}

TEST(VocabularyFileTest, ReadsListsOfJson) {
  EXPECT_THAT(pieces(Kind::kJsonList, R"(["</s>", "b", "\u2581a"])"), ElementsAre("</s>", "b", "▁a"));
  EXPECT_THAT(parsing(Kind::kJsonList, R"(["b", 1])"), refuses_model("v: piece 1: wanted a text, got 1"));
  EXPECT_THAT(parsing(Kind::kJsonList, R"(["b", "b"])"), refuses_model("v: piece 1: wanted each piece once"));
  EXPECT_THAT(parsing(Kind::kJsonList, R"({"b": 0})"), refuses_model("v: wanted a JSON list of pieces"));
}

TEST(VocabularyFileTest, ReadsLines) {
  EXPECT_THAT(pieces(Kind::kText, "</s>\n<unk>\r\n▁a\nb"), ElementsAre("</s>", "<unk>", "▁a", "b"));
  EXPECT_THAT(pieces(Kind::kText, "a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(parsing(Kind::kText, "a\n\nb\n"), refuses_model("v: line 2: wanted a piece, got an empty text"));
  EXPECT_THAT(parsing(Kind::kText, "a\nb\na\n"),
              refuses_model("v: line 3: wanted each piece once, got \"a\" again, which line 1 has"));
  EXPECT_THAT(parsing(Kind::kText, "a\n\xff\n"), refuses_model("v: line 2: wanted a piece in UTF-8"));
  EXPECT_THAT(parsing(Kind::kText, ""), refuses_model("v: wanted pieces, got none"));
}

TEST(VocabularyFileTest, RefusesMorePiecesThanTheLimit) {
  std::string lines;
  for (std::size_t i = 0; i <= kMaxVocabularyPieces + 10; ++i) lines += std::to_string(i) + "\n";
  EXPECT_THAT(parsing(Kind::kText, lines), refuses_model("v: wanted at most 1000000 pieces, got 1000001"));
}

TEST(VocabularyFileTest, ReadsSentencePiece) {
  const auto vocabulary = read_vocabulary(std::filesystem::path(GLOSS_GOLDEN_FOLDER) / "pieces.model");
  EXPECT_EQ(vocabulary.kind, Kind::kSentencePiece);
  EXPECT_GT(vocabulary.size(), 10);
  EXPECT_EQ(vocabulary.sentencepiece, read_file(std::filesystem::path(GLOSS_GOLDEN_FOLDER) / "pieces.model", 1 << 20));
  EXPECT_THAT(parsing(Kind::kSentencePiece, "hello"), refuses_model("v: wanted a SentencePiece model"));
}

TEST(VocabularyFileTest, TheEndingChoosesTheKind) {
  const TemporaryFolder folder;
  put_file(folder / "vocab.json", R"({"a": 0})");
  put_file(folder / "vocab.txt", "a\n");
  EXPECT_EQ(read_vocabulary(folder / "vocab.json").kind, Kind::kJson);
  EXPECT_EQ(read_vocabulary(folder / "vocab.txt").kind, Kind::kText);
  EXPECT_EQ(read_vocabulary(folder / "vocab.txt").name, (folder / "vocab.txt").string());
  put_file(folder / "vocab.spm", "a\n");
  EXPECT_THROW(read_vocabulary(folder / "vocab.spm"), ModelError);
  EXPECT_THROW(read_vocabulary(folder / "missing.txt"), IoError);
  EXPECT_THROW(read_vocabulary(folder.path()), ModelError);
  if (!has_yaml()) return;
  put_file(folder / "opus.vocab.yml", "a: 0\n");
  EXPECT_EQ(read_vocabulary(folder / "opus.vocab.yml").kind, Kind::kYaml);
}

}  // namespace
}  // namespace gloss
