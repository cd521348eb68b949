// Flags, scores and other fields that `gloss translate` prints beside a translation.
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/config/json.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"
#include "tests/support/sanitizers.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr auto kLinks = " \\|\\|\\| ([0-9]+-[0-9]+( [0-9]+-[0-9]+)*)?";

/// Bytes of address space that a process has.
rlim_t address_space_of(pid_t process) {
  rlim_t pages = 0;
  std::ifstream("/proc/" + std::to_string(process) + "/statm") >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// A model that nobody trained, of a vocabulary of letters.
class TranslateReportTest : public testing::Test {
 protected:
  Outcome translate(const std::string& input, const Arguments& more = {}) const {
    Arguments arguments = {"translate", "--model", model_, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments, input);
  }
  std::vector<std::string> lines(const std::string& input, const Arguments& more = {}) const {
    const auto outcome = translate(input, more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return lines_of(outcome.out);
  }
  std::vector<Json> objects(const std::string& input, Arguments more = {}) const {
    more.emplace_back("--json-lines");
    std::vector<Json> result;
    for (const auto& line : lines(input, more)) result.push_back(parse_json(line));
    return result;
  }
  std::vector<std::string> flags(const std::string& input, const Arguments& more = {}) const {
    return objects(input, more).at(0).at("translations").at(0).at("flags").get<std::vector<std::string>>();
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

TEST_F(TranslateReportTest, AnAlignmentStandsBehindEachLine) {
  const std::string input = "bada kilo\n\nmuna\n";
  const auto plain = lines(input), aligned = lines(input, {"--alignment"});
  ASSERT_EQ(aligned.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(aligned[i].substr(0, plain[i].size()), plain[i]);
    EXPECT_THAT(aligned[i].substr(plain[i].size()), MatchesRegex(kLinks));
  }
  EXPECT_EQ(aligned[1], " ||| ");
  const auto best = lines("bada kilo\n", {"--alignment", "--n-best", "2"});
  ASSERT_EQ(best.size(), 2u);
  EXPECT_THAT(best[0], MatchesRegex("1 \\|\\|\\| .* \\|\\|\\| -[0-9.]+" + std::string(kLinks)));
}

TEST_F(TranslateReportTest, LinksAreOfWordsThatAreThere) {
  const auto found = objects("bada kilo muna\nrato\nlen kilo\n", {"--alignment", "--n-best", "3"});
  ASSERT_EQ(found.size(), 3u);
  std::size_t links = 0;
  for (const auto& object : found) {
    EXPECT_EQ(object.at("translations").size(), 3u);
    const std::size_t words = object.at("line") == 1 ? 3 : object.at("line") == 2 ? 1 : 2;
    for (const auto& translation : object.at("translations"))
      for (const auto& link : translation.at("alignment")) {
        EXPECT_LT(link.at(0).get<std::size_t>(), words);
        EXPECT_LT(link.at(1).get<std::size_t>(), translation.at("words").size());
        ++links;
      }
  }
  EXPECT_GT(links, 0u);
}

TEST_F(TranslateReportTest, TheHeadIsChosenByName) {
  const auto from = [&](const char* name) {
    return translate("bada kilo\n", {"--alignment", "--alignment-from", name});
  };
  for (const auto* name : {"decoder.0.cross", "decoder.0.cross.1"}) EXPECT_EQ(from(name).exit_code, 0);
  EXPECT_EQ(from("decoder.0.cross").out, translate("bada kilo\n", {"--alignment"}).out);
  for (const auto* name : {"decoder.1.cross", "decoder.0.cross.2", "encoder.0.self", "7"}) {
    const auto refused = from(name);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("--alignment-from: wanted decoder.LAYER.cross"),
                                   HasSubstr("a layer from 0 to 0 and a head from 0 to 1, got " + std::string(name))));
    EXPECT_EQ(refused.out, "");
  }
  const auto alone = translate("bada\n", {"--alignment-from", "decoder.0.cross"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("beside --alignment or --replace-unknown only"));
}

TEST_F(TranslateReportTest, TokensAddUpToTheTranslationAndWordsToTheirPieces) {
  const auto found = objects("bada kilo\n\nmuna rato\n", {"--n-best", "2", "--beam", "2", "--length-penalty", "0"});
  ASSERT_EQ(found.size(), 3u);
  for (const auto* object : {&found[0], &found[2]}) {
    ASSERT_EQ(object->at("translations").size(), 2u);
    for (const auto& translation : object->at("translations")) {
      double sum = 0;
      double waiting = 0;
      bool after_space = true;
      std::vector<double> of_words;  // pieces are letters; each word begins with its space
      for (const auto& token : translation.at("tokens")) {
        const auto added = token.at("log_probability").get<double>();
        const auto piece = token.at("piece").get<std::string>();
        sum += added;
        waiting += added;
        if (piece == "\u2581") after_space = true;
        if (piece == "\u2581" || piece == "</s>") continue;
        if (std::exchange(after_space, false)) of_words.push_back(0);
        of_words.back() += std::exchange(waiting, 0);
      }
      EXPECT_NEAR(sum, translation.at("log_probability").get<double>(), 1e-9);
      EXPECT_EQ(translation.at("score"), translation.at("log_probability"));
      EXPECT_EQ(translation.at("tokens").back().at("piece") == "</s>", translation.at("ended").get<bool>());
      ASSERT_EQ(translation.at("words").size(), of_words.size());
      for (std::size_t i = 0; i < of_words.size(); ++i)
        EXPECT_NEAR(std::log(translation.at("words").at(i).at("confidence").get<double>()), of_words[i], 1e-9);
      EXPECT_FALSE(translation.contains("alignment"));
    }
  }
  EXPECT_EQ(found[1].at("line"), 2);
  EXPECT_EQ(found[1].at("translations").at(0).at("text"), "");
  EXPECT_EQ(found[1].at("translations").at(0).at("ended"), true);
  EXPECT_TRUE(found[1].at("translations").at(0).at("flags").empty());
}

TEST_F(TranslateReportTest, TextIsWhatIsPrintedWithoutJson) {
  const std::string input = "bada kilo\nmuna\nrato bada kilo\n";
  const auto plain = lines(input);
  const auto found = objects(input);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(found[i].at("translations").at(0).at("text"), plain[i]);
}

TEST_F(TranslateReportTest, ReportsDoNotDependOnTheBatch) {
  std::string input;
  for (std::size_t i = 0; i < 30; ++i) input += std::string(1 + i * 7 % 13, "abdeg"[i % 5]) + " kilo\n";
  const Arguments all = {"--json-lines", "--alignment", "--replace-unknown", "--n-best", "2", "--beam", "2"};
  auto singly = all;
  singly.insert(singly.end(), {"--batch-size", "1"});
  EXPECT_EQ(translate(input, all).out, translate(input, singly).out);
}

// Prefixes of fifteen letters and spaces, which leave nothing more to say.
TEST_F(TranslateReportTest, WhatLooksWrongIsFlagged) {
  EXPECT_THAT(flags("bada\n", {"--max-length", "2", "--min-length", "2"}), Contains("cut"));
  EXPECT_THAT(flags("bada kilo muna rato\n", {"--max-length", "1"}), Contains("too_short"));
  EXPECT_THAT(flags("b\n", {"--max-length", "30", "--min-length", "30"}), Contains("too_long"));
  write_text(run_ / "prefix", "kilo kilo kilo\n");
  EXPECT_THAT(flags("bada\n", {"--prefix", run_ / "prefix", "--max-length", "15"}), Contains("repetition"));
  EXPECT_THAT(flags("kilo kilo kilo\n", {"--prefix", run_ / "prefix", "--max-length", "15"}),
              Not(Contains("repetition")));
  write_text(run_ / "prefix", "bada kilo muna\n");
  EXPECT_THAT(flags("bada kilo muna\n", {"--prefix", run_ / "prefix", "--max-length", "15"}),
              Contains("copied_source"));
  std::string endless;
  for (int i = 0; i < 100; ++i) endless += "bada ";
  EXPECT_THAT(flags(endless + "\n"), Contains("truncated"));
  EXPECT_THAT(objects(endless + "\n").at(0).at("source_flags").get<std::vector<std::string>>(),
              UnorderedElementsAre("truncated"));
  const auto odd = objects("bada\xff \xd0\x96\n");
  EXPECT_THAT(odd.at(0).at("source_flags").get<std::vector<std::string>>(), UnorderedElementsAre("broken", "unknown"));
}

TEST_F(TranslateReportTest, UnknownCharactersOfAPrefixStayAsTheyAreGiven) {
  write_text(run_ / "prefix", "\u0416\n");
  Arguments saying = {"--prefix", run_ / "prefix", "--beam", "1", "--max-length", "2"};
  EXPECT_THAT(flags("\u042f\n", saying), Contains("unknown"));
  EXPECT_THAT(lines("\u042f\n", saying).at(0), HasSubstr("\u0416"));
  saying.emplace_back("--replace-unknown");
  EXPECT_THAT(lines("\u042f\n", saying).at(0), HasSubstr("\u0416"));
}

TEST_F(TranslateReportTest, ReplacingWhatIsNeverSaidIsRefused) {
  const auto refused = translate("bada\n", {"--replace-unknown", "--no-unk"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--replace-unknown: wanted a search that may generate the unknown word"));
  write_text(run_ / "prefix", "\u0416\n");
  EXPECT_EQ(translate("bada\n", {"--replace-unknown", "--no-unk", "--prefix", run_ / "prefix"}).exit_code, 0);
}

// The line reader cuts this line, although the model might read it whole: spaces give no pieces.
TEST_F(TranslateReportTest, ALineThatWasCutAsItWasReadIsFlagged) {
  const auto object = objects(std::string("bada").append(1 << 17, ' ') + "kilo\n", {"--max-length", "4"}).at(0);
  EXPECT_THAT(object.at("source_flags").get<std::vector<std::string>>(), Contains("truncated"));
  EXPECT_THAT(object.at("translations").at(0).at("flags").get<std::vector<std::string>>(), Contains("truncated"));
}

TEST_F(TranslateReportTest, ALineForWhichMemoryDoesNotSufficeSaysSo) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  Process process({"translate", "--model", model_, "--device", "cpu", "--threads", "1", "--json-lines", "--beam",
                   "1000", "--max-length", "4000", "--min-length", "3900"});
  rlimit limit{};
  ASSERT_EQ(::prlimit(process.id(), RLIMIT_AS, nullptr, &limit), 0);
  process.write("\n");
  process.read_line();  // it has loaded the model
  limit.rlim_cur = address_space_of(process.id()) + (8 << 20);
  ASSERT_EQ(::prlimit(process.id(), RLIMIT_AS, &limit, nullptr), 0);
  process.write("bada kilo muna\n\n");
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
  const auto said = lines_of(outcome.out);
  ASSERT_EQ(said.size(), 3u);
  const auto object = parse_json(said[1]);
  EXPECT_EQ(object.at("line"), 2);
  EXPECT_EQ(object.at("error"), "out of memory");
  EXPECT_TRUE(object.at("translations").empty());
  EXPECT_FALSE(parse_json(said[2]).contains("error"));
}

}  // namespace
}  // namespace gloss
