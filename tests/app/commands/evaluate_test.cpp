#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"
#include "tests/support/gzip_file.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class EvaluateFilesTest : public testing::Test {
 protected:
  EvaluateFilesTest() {
    write_text(file("reference"), "the cat sat on a mat\na dog runs through the snow\nyes\n");
    write_text(file("other"), "the cat was on the mat\na dog is running in snow\nyes indeed\n");
    write_text(file("first"), "the cat sat on the mat\na dog runs through snow\nno\n");
    write_text(file("second"), "a cat sat on a mat\na dog runs through the snow\nyes\n");
    write_text(file("source"), "die Katze saß auf einer Matte\nein Hund läuft durch den Schnee heute\nja\n");
  }

  std::string file(const std::string& name) const { return folder_ / name; }

  /// Scores against the reference.
  Outcome evaluate(const Arguments& more) const {
    Arguments arguments = {"evaluate", "--reference", file("reference")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments);
  }
  json object(const Arguments& more) const {
    auto arguments = more;
    arguments.emplace_back("--json");
    const auto outcome = evaluate(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(EvaluateFilesTest, EachMetricHasTwoLines) {
  const auto outcome = evaluate({"--hypothesis", file("first"), "--metrics", "ter,chrf", "--metrics", "bleu"});
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 6u) << outcome.err;
  EXPECT_THAT(lines[0], StartsWith("BLEU = "));
  EXPECT_EQ(lines[1], "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
  EXPECT_THAT(lines[2], StartsWith("chrF2 = "));
  EXPECT_EQ(lines[3], "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0");
  EXPECT_EQ(lines[4], "TER = 23.08");  // 3 of 13 words
  EXPECT_EQ(lines[5], "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0");
}

TEST_F(EvaluateFilesTest, WarnsOfWordsWithoutSpacesBetweenThem) {
  write_text(file("reference"), "一只狗在雪地里奔跑。\n两个女人站着。\n是的\n");
  write_text(file("first"), "一只狗在雪地里跑。\n两个女人站着。\n是的\n");
  EXPECT_THAT(evaluate({"--hypothesis", file("first")}).err,
              HasSubstr("the references are Chinese, and BLEU's tokenizer 13a takes whole sentences for words there; "
                        "give --tokenize zh"));
  EXPECT_THAT(evaluate({"--hypothesis", file("first"), "--metrics", "ter", "--ter-asian-support"}).err,
              HasSubstr("the references are Chinese, and TER takes whole sentences for words there; give "
                        "--ter-normalized --ter-asian-support"));
  for (const Arguments& more : {Arguments{"--tokenize", "zh"},
                                {"--metrics", "chrf"},
                                {"--force"},
                                {"--metrics", "ter", "--ter-normalized", "--ter-asian-support"}}) {
    auto arguments = more;
    arguments.insert(arguments.end(), {"--hypothesis", file("first")});
    EXPECT_THAT(evaluate(arguments).err, IsEmpty());
  }
}

TEST_F(EvaluateFilesTest, ReadsGzipAndColumns) {
  write_gzip(file("pairs.tsv.gz"), "the cat sat on the mat\tthe cat sat on a mat\na dog\ta dog runs\nno\tyes\n");
  EXPECT_EQ(evaluate({"--hypothesis", file("pairs.tsv.gz") + ":1", "--metrics", "ter", "--score-only"}).exit_code, 0);
  EXPECT_EQ(evaluate({"--hypothesis", file("first"), "--reference", file("pairs.tsv.gz") + ":4"}).exit_code, 3);
}

TEST_F(EvaluateFilesTest, ScoresAloneAndShortSignaturesOnRequest) {
  EXPECT_EQ(evaluate({"--hypothesis", file("first"), "--metrics", "ter", "--score-only", "--width", "4"}).out,
            "23.0769\n");
  EXPECT_THAT(evaluate({"--hypothesis", file("first"), "--short"}).out,
              HasSubstr("\n#:1|c:mixed|e:no|tok:13a|s:exp|v:2.6.0\n"));
}

TEST_F(EvaluateFilesTest, JsonHoldsAllMetricsUnrounded) {
  const auto result = object({"--hypothesis", file("first"), "--metrics", "bleu", "chrf", "ter"});
  EXPECT_EQ(result.size(), 3u);
  EXPECT_DOUBLE_EQ(result.at("ter").at("score"), 100 * 3.0 / 13);
  EXPECT_EQ(result.at("bleu").at("precisions").size(), 4u);
  EXPECT_THAT(result.at("chrf").at("signature"), HasSubstr("nc:6"));
}

TEST_F(EvaluateFilesTest, FurtherReferencesAreTakenAsFilesOrColumns) {
  write_text(file("columns"),
             "the cat sat on a mat\tthe cat was on the mat\n"
             "a dog runs through the snow\ta dog is running in snow\nyes\tyes indeed\n");
  const Arguments metrics = {"--metrics", "bleu,chrf,ter", "--json"};
  const auto with = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), {"evaluate", "--hypothesis", file("first")});
    arguments.insert(arguments.end(), metrics.begin(), metrics.end());
    const auto outcome = run_gloss(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const auto files = with({"--reference", file("reference"), file("other")});
  EXPECT_THAT(files, HasSubstr("nrefs:2"));
  EXPECT_EQ(files, with({"--reference", file("reference"), "--reference", file("other")}));
  EXPECT_EQ(files, with({"--reference", file("columns"), "--num-refs", "2"}));
  EXPECT_EQ(files, with({"--reference", file("columns"), "--num-refs", "var"}));
  write_text(file("columns"), "the cat sat on a mat\tthe cat was on the mat\na dog runs through the snow\nyes\n");
  EXPECT_THAT(with({"--reference", file("columns"), "--num-refs", "var"}), HasSubstr("nrefs:var"));
}

TEST_F(EvaluateFilesTest, ResamplingGivesIntervals) {
  const auto result = object({"--hypothesis", file("first"), "--confidence", "--confidence-n", "20"});
  EXPECT_THAT(result.at("bleu").at("signature"), StartsWith("nrefs:1|bs:20|seed:12345|"));
  EXPECT_GT(result.at("bleu").at("confidence").at("half_width"), 0);
  const auto seeded = object({"--hypothesis", file("first"), "--confidence", "--confidence-n", "20", "--seed", "7"});
  EXPECT_THAT(seeded.at("bleu").at("signature"), StartsWith("nrefs:1|bs:20|seed:7|"));
  EXPECT_NE(seeded.at("bleu").at("confidence"), result.at("bleu").at("confidence"));
  EXPECT_THAT(evaluate({"--hypothesis", file("first"), "--confidence", "--confidence-n", "20"}).out,
              HasSubstr(" (μ = "));
}

TEST_F(EvaluateFilesTest, SeveralSystemsAreTestedAgainstTheFirst) {
  const auto result = object({"--hypothesis", file("first"), file("second"), "--paired-ar", "--paired-ar-n", "30"});
  const auto& systems = result.at("systems");
  EXPECT_EQ(systems[0].at("name"), file("first"));
  EXPECT_FALSE(systems[0].at("bleu").contains("p_value"));
  EXPECT_GT(systems[1].at("bleu").at("p_value"), 0);
  EXPECT_THAT(systems[1].at("bleu").at("signature"), StartsWith("nrefs:1|ar:30|seed:12345|"));
  const auto text =
      evaluate({"--hypothesis", file("first"), "--hypothesis", file("second"), "--paired-bs", "--paired-bs-n", "9"});
  EXPECT_THAT(text.out, AllOf(HasSubstr(file("second") + "\n  BLEU = "), HasSubstr(" (p = ")));
}

TEST_F(EvaluateFilesTest, LinesAreScoredByThemselves) {
  const auto result = object({"--hypothesis", file("second"), "--metrics", "bleu,ter", "--sentence-level"});
  EXPECT_THAT(result.at("bleu").at("signature"), HasSubstr("eff:yes"));
  const std::vector<double> edits = result.at("ter").at("lines");
  EXPECT_THAT(edits, ElementsAre(100 * (1.0 / 6), 0, 0));
  EXPECT_EQ(lines_of(evaluate({"--hypothesis", file("second"), "--metrics", "ter,bleu", "--sentence-level"}).out)[2],
            "100.00\t0.00");
}

// The signature was that of the first line.
TEST_F(EvaluateFilesTest, ScoresOfLinesAreSignedWithTheReferencesOfAll) {
  write_text(file("columns"), "the cat sat on a mat\tthe cat\na dog runs through the snow\nyes\n");
  const auto outcome = run_gloss({"evaluate", "--reference", file("columns"), "--num-refs", "var", "--hypothesis",
                                  file("first"), "--sentence-level", "--json"});
  EXPECT_THAT(json::parse(outcome.out).at("bleu").at("signature"), StartsWith("nrefs:var|"));
}

TEST_F(EvaluateFilesTest, AnEmptyLineOfTheSourceIsShown) {
  write_text(file("source"), "\n\n\n");
  const Arguments two = {"--hypothesis", file("first"), file("second"), "--differences", "1",
                         "--source",     file("source")};
  EXPECT_EQ(object(two).at("differences")[0].at("source"), "");
  EXPECT_THAT(evaluate(two).out, HasSubstr("\n  source     \n"));
}

TEST_F(EvaluateFilesTest, ASourceSortsLinesByLength) {
  const Arguments bounds = {"--hypothesis", file("second"), "--source", file("source"), "--length-buckets", "2,6"};
  const auto lengths = object(bounds).at("lengths");
  EXPECT_EQ(lengths.size(), 3u);
  EXPECT_EQ(lengths.at("0-2").at("lines"), 1);
  EXPECT_DOUBLE_EQ(lengths.at("7-").at("score"), 100.0);
  const auto usual = evaluate({"--hypothesis", file("second"), "--source", file("source")});
  EXPECT_THAT(lines_of(usual.out)[0], StartsWith("0-10       3 lines  BLEU = "));
}

TEST_F(EvaluateFilesTest, GroupsAreScoredByEachMetric) {
  write_text(file("groups"), "b\na\nb\n");
  const Arguments arguments = {"--hypothesis", file("second"), "--groups", file("groups"), "--metrics", "ter,chrf"};
  const auto groups = object(arguments).at("groups");
  EXPECT_EQ(groups.at("a").at("ter").at("score"), 0.0);
  EXPECT_DOUBLE_EQ(groups.at("b").at("ter").at("score"), 100.0 / 7);
  EXPECT_THAT(lines_of(evaluate(arguments).out)[0],
              AllOf(StartsWith("a       1 lines  chrF2 = "), HasSubstr("  TER = 0.00")));
}

TEST_F(EvaluateFilesTest, ShowsTheLinesWhereTwoSystemsDifferMost) {
  const Arguments two = {"--hypothesis", file("first"), file("second"), "--differences", "2", "--metrics", "ter"};
  const auto differences = object(two).at("differences");
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].at("line"), 3);
  EXPECT_EQ(differences[0].at("scores"), json({100.0, 0.0}));
  EXPECT_EQ(differences[0].at("hypotheses"), json({"no", "yes"}));
  EXPECT_EQ(differences[1].at("line"), 2);
  EXPECT_THAT(differences[1].at("signature"), StartsWith("nrefs:1|case:lc|tok:tercom|"));
  EXPECT_THAT(evaluate(two).out,
              StartsWith("line 3  TER = 100.00 and 0.00\n  reference  yes\n  system 1   no\n  system 2   yes\nline 2"));
}

// The scores of lines are with effective order, those of the whole text are not.
TEST_F(EvaluateFilesTest, DifferencesAreSignedApart) {
  const Arguments two = {"--hypothesis", file("first"), file("second"), "--differences", "1"};
  const auto text = evaluate(two).out;
  EXPECT_THAT(text, HasSubstr("  system 2   yes\nnrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0\n"));
  EXPECT_THAT(text, testing::EndsWith("\nnrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\n"));
  EXPECT_THAT(object(two).at("differences")[0].at("signature"), HasSubstr("|eff:yes|"));
  auto more = two;
  more.emplace_back("--short");
  EXPECT_THAT(evaluate(more).out, HasSubstr("\n#:1|c:mixed|e:yes|"));
  more.back() = "--score-only";
  EXPECT_THAT(evaluate(more).out, Not(HasSubstr("case:")));
}

TEST_F(EvaluateFilesTest, EveryScoreIsAnEventOfTheLog) {
  for (const bool lines : {false, true}) {
    Arguments arguments = {"--hypothesis", file("first"), "--log-json", file("log.jsonl")};
    if (lines) arguments.emplace_back("--sentence-level");
    ASSERT_EQ(evaluate(arguments).exit_code, 0);
    const auto events = lines_of(read_text(file("log.jsonl")));
    const auto event = json::parse(events.back());
    EXPECT_EQ(event.at("event"), "evaluation");
    EXPECT_EQ(event.at("bleu").contains("lines"), lines);
  }
}

TEST_F(EvaluateFilesTest, WarnsOfTextThatLooksTokenized) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "that is tokenized .\n";
  write_text(file("tokenized"), lines);
  const Arguments arguments = {"evaluate", "--reference", file("tokenized"), "--hypothesis", file("tokenized")};
  const auto with = [&](const std::string& more) {
    auto all = arguments;
    all.emplace_back(more);
    return run_gloss(all).err;
  };
  EXPECT_THAT(run_gloss(arguments).err, HasSubstr("100 lines end in a blank and a period"));
  EXPECT_THAT(with("--force"), IsEmpty());
  EXPECT_THAT(with("--metrics=chrf"), IsEmpty());
}

TEST_F(EvaluateFilesTest, AModelOfPiecesCutsTheTextForBleu) {
  ASSERT_EQ(run_gloss({"tokenizer", "train", "--input", file("reference"), "--vocabulary-size", "30", "--type", "char",
                       "--output", file("pieces.model")})
                .exit_code,
            0);
  const auto bleu =
      object({"--hypothesis", file("first"), "--tokenize", "flores200", "--spm-model", file("pieces.model")});
  EXPECT_THAT(bleu.at("bleu").at("signature"), testing::ContainsRegex("tok:spm-[0-9a-f]{8}\\|"));
  EXPECT_GT(bleu.at("bleu").at("hypothesis_length"), 40);  // characters and spaces, not words
  EXPECT_THAT(object({"--hypothesis", file("first"), "--spm-model", file("pieces.model")}).at("bleu").at("signature"),
              testing::ContainsRegex("tok:spm-[0-9a-f]{8}\\|"));
}

TEST_F(EvaluateFilesTest, WithoutAFileTheHypothesisComesFromStdin) {
  const auto hypothesis = read_text(file("first"));
  const auto named = evaluate({"--hypothesis", file("first")}).out;
  for (const Arguments& form :
       {Arguments{"evaluate", file("reference")}, {"evaluate", "--reference", file("reference")}})
    EXPECT_EQ(run_gloss(form, hypothesis).out, named);
  EXPECT_EQ(run_gloss({"evaluate", file("reference"), "-i", file("first")}).out, named);
  EXPECT_EQ(run_gloss({"evaluate", file("reference"), "--input=" + file("first")}).out, named);
  EXPECT_EQ(run_gloss({"evaluate", file("reference"), file("other")}, hypothesis).out,
            evaluate({file("other"), "--hypothesis", file("first")}).out);
  EXPECT_THAT(run_gloss({"evaluate", file("reference")}, hypothesis).err, IsEmpty());
}

TEST_F(EvaluateFilesTest, SystemsOnStdinHaveTabsBetweenThem) {
  const auto first = lines_of(read_text(file("first"))), second = lines_of(read_text(file("second")));
  std::string both;
  for (std::size_t i = 0; i < first.size(); ++i) both += first[i] + '\t' + second[i] + '\n';
  const auto on_stdin = [&](const Arguments& more, const std::string& input) {
    Arguments arguments = {"evaluate", file("reference")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments, input);
  };
  EXPECT_THAT(on_stdin({}, both).out, AllOf(HasSubstr("System 1\n  BLEU = "), HasSubstr("System 2\n  BLEU = ")));
  EXPECT_THAT(on_stdin({"--differences", "1"}, both).out, HasSubstr("system 2   yes\n"));
  const auto one = on_stdin({"--differences", "1"}, read_text(file("first")));
  EXPECT_EQ(one.exit_code, 3);
  EXPECT_THAT(one.err, HasSubstr("--differences: wanted two systems on stdin, with tabs between them, got 1"));
}

TEST_F(EvaluateFilesTest, ATerminalIsToldWhatIsWaitedFor) {
  Process process({"evaluate", file("reference")}, {.terminal_in = true});
  process.write("a cat\na dog\nyes\n\x04");
  EXPECT_THAT(process.read_line(), StartsWith("BLEU = "));  // before our end of the terminal is closed
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("Ctrl-D"), HasSubstr("--hypothesis FILE"), HasSubstr("--model FILE")));
}

TEST_F(EvaluateFilesTest, EveryOptionOfAMetricReachesItsSignature) {
  const auto signature = [&](const std::string& metric, const Arguments& more) {
    Arguments arguments = {"--hypothesis", file("first"), "--metrics", metric};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return object(arguments).at(metric).at("signature").get<std::string>();
  };
  EXPECT_THAT(signature("bleu", {"--tokenize", "intl", "--lowercase", "--effective-order", "--smooth-method", "floor",
                                 "--smooth-value", "0.25"}),
              HasSubstr("case:lc|eff:yes|tok:intl|smooth:floor[0.25]"));
  EXPECT_THAT(signature("chrf", {"--chrf-char-order", "5", "--chrf-word-order", "2", "--chrf-whitespace",
                                 "--chrf-lowercase", "--chrf-eps-smoothing"}),
              HasSubstr("case:lc|eff:no|nc:5|nw:2|space:yes"));
  EXPECT_THAT(signature("ter", {"--ter-case-sensitive", "--ter-asian-support", "--ter-no-punct", "--ter-normalized"}),
              HasSubstr("case:mixed|tok:tercom|norm:yes|punct:no|asian:yes"));
  EXPECT_EQ(object({"--hypothesis", file("first"), "--max-ngram-order", "2"}).at("bleu").at("precisions").size(), 2u);
  EXPECT_THAT(evaluate({"--hypothesis", file("first"), "--metrics", "chrf", "--chrf-beta", "3"}).out,
              StartsWith("chrF3 = "));
}

}  // namespace
}  // namespace gloss
