// gloss translate --glossary.
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class TranslateGlossaryTest : public testing::Test {
 protected:
  Outcome translate(const std::string& input, const std::string& glossary, const Arguments& more = {}) const {
    write_text(run_ / "glossary", glossary);
    Arguments arguments = {"translate", "--model", model_,       "--device",       "cpu",
                           "--threads", "1",       "--glossary", run_ / "glossary"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments, input);
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

TEST_F(TranslateGlossaryTest, EveryTranslationContainsItsPhrases) {
  const std::string input = "bada kilo\n\nrato\nkilo bada bada\n";
  const auto usual = lines_of(translate(input, "", {"--max-length", "30"}).out);
  for (const auto* beam : {"1", "3"}) {
    const auto outcome = translate(input, "bada\tmuna kilo\nrato muna\tbada\n", {"--max-length", "30", "--beam", beam});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(without_cut_warning(outcome.err),
              "warning: there are characters that the model does not know in 1 line (first lines: 3): "
              "--replace-unknown copies them into translations, --no-unk leaves them out\n");
    const auto lines = lines_of(outcome.out);
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_THAT(lines[0], HasSubstr("muna kilo"));
    EXPECT_EQ(lines[1], "");
    const auto first = lines[3].find("muna kilo");
    ASSERT_NE(first, std::string::npos);
    EXPECT_NE(lines[3].find("muna kilo", first + 1), std::string::npos);
    EXPECT_TRUE(std::string_view(beam) != "3" || lines[2] == usual.at(2));  // the model's own beam is 3
  }
}

TEST_F(TranslateGlossaryTest, PhrasesWithoutRoomAreWarnedOf) {
  const auto outcome = translate("kilo\nbada kilo\n", "bada\tmuna kilo bada\n", {"--max-length", "2"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning: line 2: "), HasSubstr("--max-length"), Not(HasSubstr("line 1"))));
  const auto lines =
      lines_of(translate("kilo\nbada kilo\n", "bada\tmuna kilo bada\n", {"--max-length", "2", "--json-lines"}).out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], Not(HasSubstr("\"lacks_phrase\"")));
  EXPECT_THAT(lines[1], HasSubstr("\"lacks_phrase\""));
}

TEST_F(TranslateGlossaryTest, TheOptionThatLeavesNoRoomIsNamed) {
  const auto outcome =
      translate("bada kilo\n", "bada\tmuna kilo bada muna\n", {"--max-length", "60", "--max-length-factor", "0.5"});
  EXPECT_THAT(outcome.err, HasSubstr("for which --max-length-factor has no room"));
  EXPECT_THAT(translate("bada kilo\n", "bada\tmuna kilo bada muna\n", {"--max-length", "2"}).err,
              HasSubstr("for which --max-length has no room"));
}

TEST_F(TranslateGlossaryTest, WhatCannotBeUsedIsRefused) {
  const auto bad = translate("bada\n", "bada kilo\n");
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, HasSubstr("glossary: line 1: wanted a source phrase, a tab and a target phrase"));
  EXPECT_THAT(bad.out, IsEmpty());
  const auto unsayable = translate("bada\n", "bada\tkilo\nkilo\t\u4E00\n");
  EXPECT_EQ(unsayable.exit_code, 3);
  EXPECT_THAT(unsayable.err, HasSubstr("glossary: line 2: wanted a phrase that this model can generate"));
  const auto drawn = translate("bada\n", "bada\tkilo\n", {"--sample"});
  EXPECT_EQ(drawn.exit_code, 2);
  EXPECT_THAT(drawn.err, HasSubstr("--glossary: wanted translations that are searched for"));
  const auto missing = run_gloss({"translate", "--model", model_, "--glossary", "/no/such/file"}, "bada\n");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("--glossary: there is no file /no/such/file"));
}

}  // namespace
}  // namespace gloss
