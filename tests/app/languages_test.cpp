// Options and outputs of models of several languages.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/json_output.h"
#include "tests/app/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tests/translation/multilingual_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LanguagesTest : public testing::Test {
 protected:
  LanguagesTest() { MultilingualModel{}.write(model_); }
  Outcome translate(const Arguments& more) const {
    Arguments arguments = {"translate", "--model", model_, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments, "a b\nc\n");
  }

  TemporaryFolder folder_;
  std::string model_ = folder_ / "model.safetensors";
};

TEST_F(LanguagesTest, OptionsSelectTheLanguages) {
  const auto result = translate({"--source-language", "deu", "--target-language", "FRA", "--json-lines"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("__fra__")));
  const auto unknown = translate({"--source-language", "deu", "--target-language", "de"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("--target-language: wanted a language of this model, one of deu, "
                                           "eng, fra, got de")));
  const auto missing = translate({"--target-language", "fra"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("--source-language: wanted"), HasSubstr("got none")));
}

TEST_F(LanguagesTest, OtherCommandsHaveThemToo) {
  std::ofstream(folder_ / "source") << "a b\nc\n";
  std::ofstream(folder_ / "target") << "b\nd e\n";
  const Arguments languages = {"--source-language", "deu", "--target-language", "fra"};
  for (Arguments arguments :
       {Arguments{"score", "--source", folder_ / "source", "--target", folder_ / "target"},
        Arguments{"evaluate", "--source", folder_ / "source", "--reference", folder_ / "target"},
        Arguments{"explain", "a b", "--json", "--quick"},
        Arguments{"explain", "--heads-report", "--source", folder_ / "source", "--target", folder_ / "target"}}) {
    arguments.insert(arguments.end(), {"--model", model_});
    const auto refused = run_gloss(arguments);
    EXPECT_EQ(refused.exit_code, 2) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr("--source-language: wanted"));
    arguments.insert(arguments.end(), languages.begin(), languages.end());
    const auto result = run_gloss(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out, "");
  }
}

TEST_F(LanguagesTest, InspectListsThem) {
  const auto text = run_gloss({"inspect", model_});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("languages: tags of 3 languages"), HasSubstr("languages with a tag: deu, eng, fra\n")));
  EXPECT_EQ(only_json(run_gloss({"inspect", model_, "--json"})).at("languages").size(), 3u);
}

}  // namespace
}  // namespace gloss
