#include "data/text_check.h"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/line_reader.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::Pair;

/// A tokenizer whose pieces are the small letters.
class SmallLetters final : public Tokenizer {
 public:
  Ids encode(std::string_view line) const override {
    Ids ids;
    for (const char letter : line) ids.push_back(letter >= 'a' && letter <= 'z' ? letter : kUnk);
    return ids;
  }
  std::string decode(std::span<const Id>) const override { return {}; }
  std::int64_t vocabulary_size() const override { return 128; }
  const std::string& serialized() const override { return name_; }

 private:
  std::string name_ = "small letters";
};

class TextCheckTest : public testing::Test {
 protected:
  TextReport report(const std::string& text, const Tokenizer* tokenizer = nullptr) {
    std::ofstream(folder_ / "text", std::ios::binary) << text;
    TextCheck check(folder_ / "text", tokenizer);
    LineReader reader(folder_ / "text");
    for (TextLine line; reader.next(line);) check.add(line);
    return check.report();
  }

  TemporaryFolder folder_;
};

/// Returns all findings of a text by name.
std::map<std::string, std::vector<std::int64_t>> noted(const TextReport& report) {
  std::map<std::string, std::vector<std::int64_t>> lines;
  for (const auto& [name, noted] : {std::pair{"invalid", &report.invalid_utf8},
                                    {"nul", &report.nul},
                                    {"windows", &report.windows_end},
                                    {"control", &report.control},
                                    {"replacement", &report.replacement},
                                    {"separator", &report.line_separator},
                                    {"invisible", &report.invisible},
                                    {"changed", &report.changed},
                                    {"cut", &report.cut},
                                    {"empty", &report.empty},
                                    {"unknown", &report.unknown}})
    if (noted->count > 0) lines[name] = noted->first_lines;
  return lines;
}

TEST_F(TextCheckTest, AnOrdinaryTextHasNoFindings) {
  const auto checked = report("Ein Hund\u00a0läuft.\n\tZwei Hunde – drei 🐕 laufen\n");
  EXPECT_THAT(noted(checked), testing::IsEmpty());
  EXPECT_FALSE(checked.begins_with_mark);
  EXPECT_EQ(checked.lines, 2);
  EXPECT_EQ(checked.units, 9) << "words, which a no-break space separates, too";
}

TEST_F(TextCheckTest, EachFaultIsNotedByItsLine) {
  const auto checked = report("good\nb\xff d\nn\0l\nw\r\n\x1b[1m\nx\ufffd\n"s + std::string(1 << 17, 'x') +
                              "\n \t\n\nlone\rcr\nc\u0085\nm\ufeff\nd\x7f\n");
  EXPECT_THAT(noted(checked), ElementsAre(Pair("control", ElementsAre(5, 10, 12, 13)), Pair("cut", ElementsAre(7)),
                                          Pair("empty", ElementsAre(8, 9)), Pair("invalid", ElementsAre(2)),
                                          Pair("invisible", ElementsAre(12)), Pair("nul", ElementsAre(3)),
                                          Pair("replacement", ElementsAre(6)), Pair("separator", ElementsAre(11)),
                                          Pair("windows", ElementsAre(4))));
  EXPECT_EQ(checked.lines, 13);
}

TEST_F(TextCheckTest, CharactersThatOthersMisreadAreNoted) {
  const auto checked = report(
      "a\u2028b\nsoft\u00adhyphen\nright\u202eto left\n12 m²\nmark\u200fs\n½\n\u00a0\u3000\n\u0e2a\u200b\u0e19\n");
  EXPECT_THAT(noted(checked), ElementsAre(Pair("changed", ElementsAre(4, 6)), Pair("empty", ElementsAre(7)),
                                          Pair("invisible", ElementsAre(2, 3, 5)), Pair("separator", ElementsAre(1))));
  EXPECT_EQ(checked.first_changed, U'²');
}

TEST_F(TextCheckTest, AByteOrderMarkAtTheBeginningIsNoted) {
  const auto checked = report("\ufeffa\n");
  EXPECT_TRUE(checked.begins_with_mark);
  EXPECT_THAT(noted(checked), testing::IsEmpty());
}

TEST_F(TextCheckTest, PiecesAreThoseOfTheTextThatTrainingReads) {
  const SmallLetters tokenizer;
  const auto checked = report("a\u00adb\n\u200eab\n\ufeff\n", &tokenizer);
  EXPECT_EQ(checked.units, 4);
  EXPECT_EQ(checked.unknown_pieces, 0);
  EXPECT_THAT(checked.invisible.first_lines, ElementsAre(1, 2, 3));
  EXPECT_THAT(checked.empty.first_lines, ElementsAre(3));
}

TEST_F(TextCheckTest, UnknownCharactersAreCountedTheMostFrequentFirst) {
  const SmallLetters tokenizer;
  const auto checked = report("abc\nab?\n?!!!\n?\n", &tokenizer);
  EXPECT_THAT(checked.unknown.first_lines, ElementsAre(2, 3, 4));
  EXPECT_THAT(checked.unknown_characters, ElementsAre(Pair(U'!', 3), Pair(U'?', 3)));
  EXPECT_EQ(checked.units, 11);
  EXPECT_EQ(checked.unknown_pieces, 6);
}

}  // namespace
}  // namespace gloss
