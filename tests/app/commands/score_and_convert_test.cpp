#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kTinyModel = GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors";

class ScoreAndConvertTest : public testing::Test {
 protected:
  Outcome score(const std::string& sources, const std::string& targets, const Arguments& more = {}) const {
    write_text(run_ / "source", sources);
    write_text(run_ / "target", targets);
    Arguments arguments = {"score",     "--model", model_,     "--source", run_ / "source", "--target", run_ / "target",
                           "--threads", "1",       "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments);
  }

  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

TEST_F(ScoreAndConvertTest, EachPairHasAScoreWhichIsTheSumOfItsTokens) {
  write_text(run_ / "source", "a\nb\n");
  write_text(run_ / "target", "a\nb a\n");
  const auto plain = run_gloss({"score", "--model", model_, "--source", run_ / "source", "--target", run_ / "target"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_EQ(lines_of(plain.out).size(), 2u);
  EXPECT_THAT(plain.err, HasSubstr("2 pairs, "));
  const auto whole = run_gloss({"score", "--model", model_, "--source", run_ / "source", "--target", run_ / "target",
                                "--json-lines", "--length-penalty", "0"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(lines_of(whole.out).size(), 2u);
  for (const auto& line : lines_of(whole.out)) {
    const auto pair = parse_json(line);
    double sum = 0;
    for (const auto& token : pair.at("tokens")) sum += token.at("log_probability").get<double>();
    EXPECT_NEAR(sum, pair.at("log_probability").get<double>(), 1e-9);
    EXPECT_EQ(pair.at("score"), pair.at("log_probability"));
    EXPECT_EQ(pair.at("tokens").back().at("piece"), "</s>");
  }
}

TEST_F(ScoreAndConvertTest, UnequalFilesAreRefused) {
  write_text(run_ / "source", "a\nb\n");
  write_text(run_ / "target", "a\n");
  const auto outcome =
      run_gloss({"score", "--model", model_, "--source", run_ / "source", "--target", run_ / "target"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

// Lines before a late difference are scored and printed.
TEST_F(ScoreAndConvertTest, BothTextsAreReadToTheirEnds) {
  for (const auto& [sources, targets] :
       {std::pair{"a\nb\na\nb\na\n", "a\nb\na\nb\n"}, {"a\nb\na\nb\n", "a\nb\na\nb\na\n\n"}}) {
    const auto outcome = score(sources, targets, {"--batch-size", "1"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(lines_of(outcome.out).size(), 4u);
    EXPECT_THAT(outcome.err, HasSubstr("line n of one must belong to line n of the other"));
  }
  EXPECT_THAT(score("a\nb\n", "a\nb\na\n\n").err, HasSubstr("source has 2 lines, "));
  EXPECT_THAT(score("a\nb\n", "a\nb\na\n\n").err,
              HasSubstr("target 4; line n of one must belong to line n of the other"));
}

// Translations of an untrained model end if the beam is wide or if they are sampled. If such a text begins with a word
// and has no unknown word, further space, pad or bos, the tokenizer cuts it into the same pieces again.
TEST_F(ScoreAndConvertTest, WhatTranslatePrintsIsScoredAlike) {
  const std::string input = "bada kilo\n\nmuna\nrato bada\n";
  const auto sources = lines_of(input);
  write_text(run_ / "prefix", "b\n\nm\nn\n");
  for (const Arguments& options : {Arguments{"--beam", "30", "--n-best", "5"}, {"--sample", "--n-best", "9"}}) {
    const Arguments penalty = {"--length-penalty", "0.7", "--length-penalty-kind", "gnmt"};
    Arguments arguments = {"translate", "--model", model_,     "--max-length",      "60", "--threads", "1",
                           "--device",  "cpu",     "--no-unk", "--no-repeat-ngram", "1",  "--prefix",  run_ / "prefix"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), penalty.begin(), penalty.end());
    const auto printed = lines_of(run_gloss(arguments, input).out);
    arguments.emplace_back("--json-lines");
    std::vector<Json> candidates;
    for (const auto& line : lines_of(run_gloss(arguments, input).out)) {
      const auto object = parse_json(line);
      for (const auto& candidate : object.at("translations")) candidates.push_back(candidate);
    }
    ASSERT_EQ(printed.size(), candidates.size());

    std::string source, target;
    for (const auto& line : printed) {
      source += sources.at(std::stoul(line) - 1) + '\n';
      const auto text = line.find(" ||| ") + 5;
      target += line.substr(text, line.rfind(" ||| ") - text) + '\n';
    }
    const auto scores = lines_of(score(source, target, penalty).out);
    auto more = penalty;
    more.emplace_back("--json-lines");
    const auto described = lines_of(score(source, target, more).out);
    ASSERT_EQ(scores.size(), printed.size());
    std::size_t alike = 0, empty = 0;
    for (std::size_t i = 0; i < printed.size(); ++i) {
      const auto pieces = [](const Json& object) {
        std::vector<std::string> result;
        for (const auto& token : object.at("tokens")) result.push_back(token.at("piece"));
        return result;
      };
      const auto shown = parse_json(described[i]);
      if (!candidates[i].at("ended").get<bool>() || pieces(shown) != pieces(candidates[i])) continue;
      ++alike;
      empty += shown.at("tokens").empty() ? 1 : 0;
      EXPECT_NEAR(std::stod(scores[i]), std::stod(printed[i].substr(printed[i].rfind(' '))), 2e-6) << printed[i];
    }
    EXPECT_GE(alike, 4u);
    EXPECT_EQ(empty, 1u);  // the second line, of which nothing is said
  }
}

TEST_F(ScoreAndConvertTest, PerplexityIsOfAllTokensTogether) {
  const auto log = run_ / "log.jsonl";
  const auto outcome =
      score("a\nb\n\nbada\n", "a\nb a\n\n\n", {"--json-lines", "--batch-size", "1", "--log-json", log});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  double sum = 0;
  std::int64_t count = 0;
  for (const auto& line : lines_of(outcome.out)) {
    const auto pair = parse_json(line);
    for (const auto& token : pair.at("tokens")) {
      sum += token.at("log_probability").get<double>();
      ++count;
    }
  }
  EXPECT_GT(count, 6);
  const auto perplexity = std::exp(-sum / static_cast<double>(count));
  EXPECT_THAT(outcome.err, HasSubstr("4 pairs, " + std::to_string(count) + " tokens, perplexity "));
  EXPECT_NEAR(std::stod(outcome.err.substr(outcome.err.find("perplexity ") + 11)), perplexity, 1e-4);
  const auto event = parse_json(lines_of(read_text(log)).back());
  EXPECT_EQ(event.at("pairs"), 4);
  EXPECT_EQ(event.at("tokens"), count);
  EXPECT_NEAR(event.at("log_probability").get<double>(), sum, 1e-9);
  EXPECT_NEAR(event.at("perplexity").get<double>(), perplexity, 1e-9 * perplexity);
}

TEST_F(ScoreAndConvertTest, OfNothingNothingIsSaid) {
  const auto outcome = score("\n  \n", "\n\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "0.000000\n0.000000\n");
  EXPECT_THAT(outcome.err, HasSubstr("2 pairs, 0 tokens, perplexity 1.0000"));
  EXPECT_THAT(score("\n", "\n").err, HasSubstr("1 pair, 0 tokens, "));
  const auto none = score("", "");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("wanted sentences, got none"));
}

// The file is long, so that it is seen that scores come before its end, and whole.
TEST_F(ScoreAndConvertTest, ASignalEndsItBehindAWholeLine) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "bada kilo muna\n";
  write_text(run_ / "source", text);
  for (const auto& [number, exit_code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    Process process(
        {"score", "--model", model_, "--source", run_ / "source", "--target", run_ / "source", "--threads", "1"});
    const auto first = process.read_line();
    process.signal(number);
    const auto outcome = process.wait();
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_TRUE(outcome.out.ends_with('\n'));
    EXPECT_TRUE(lines_of(outcome.out).back() == first.substr(0, first.size() - 1));  // all pairs are one
    EXPECT_LT(lines_of(outcome.out).size(), 200'000u);
    EXPECT_THAT(outcome.err, Not(HasSubstr("perplexity")));
  }
}

// The golden model, of whose bytes the tokenizer is a good part.
TEST_F(ScoreAndConvertTest, ASmallerFileSaysNearlyTheSame) {
  const std::string input = "ana baka dalo emi\nyoze\nfugo hina joka lemu mo nipa\nsive waxi yoze ana\n";
  const auto best = [&](const std::string& model, const std::string& precision) {
    const auto outcome = run_gloss({"translate", "--model", model, "--precision", precision, "--n-best", "1", "--beam",
                                    "1", "--threads", "1", "--device", "cpu"},
                                   input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return lines_of(outcome.out);
  };
  const auto split = [](const std::string& line) {
    const auto place = line.rfind(" ||| ");
    return std::pair{line.substr(0, place), std::stod(line.substr(place + 5))};
  };
  const auto before = best(kTinyModel, "float32");
  ASSERT_EQ(before.size(), 4u);
  const auto size = std::filesystem::file_size(kTinyModel);
  for (const auto& [precision, tolerance] : {std::pair{"bfloat16", 0.01}, {"int8", 0.03}}) {
    const std::string output = run_ / "smaller", again = run_ / "again";
    ASSERT_EQ(run_gloss({"convert", "--model", kTinyModel, "--precision", precision, "--output", output, "--overwrite"})
                  .exit_code,
              0);
    EXPECT_LT(std::filesystem::file_size(output), size);
    double difference = 0;
    for (const auto* computed : {"float32", precision}) {
      const auto after = best(output, computed);
      ASSERT_EQ(after.size(), 4u);
      for (std::size_t i = 0; i < 4; ++i) {
        const auto [text, score] = split(before[i]);
        const auto [other_text, other_score] = split(after[i]);
        EXPECT_EQ(other_text, text) << precision << " computed in " << computed;
        EXPECT_NEAR(other_score, score, tolerance) << precision << " computed in " << computed;
        difference = std::max(difference, std::abs(other_score - score));
      }
    }
    EXPECT_GT(difference, 1e-5) << "nothing was rounded";
    ASSERT_EQ(
        run_gloss({"convert", "--model", output, "--precision", precision, "--output", again, "--overwrite"}).exit_code,
        0);
    EXPECT_EQ(read_text(again), read_text(output));  // what was rounded once stays as it is
  }
}

TEST_F(ScoreAndConvertTest, ASmallerFileIsTranslatedWith) {
  const auto size = std::filesystem::file_size(std::filesystem::path(model_) / "model.safetensors");
  for (const auto* precision : {"bfloat16", "int8"}) {
    const std::string output = run_ / (precision + std::string(".safetensors"));
    const auto converted = run_gloss({"convert", "--model", model_, "--precision", precision, "--output", output});
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
    EXPECT_LT(std::filesystem::file_size(output), size);
    for (const auto* computed : {"float32", precision}) {
      const auto translated = run_gloss({"translate", "--model", output, "--precision", computed}, "a\nb\n");
      EXPECT_EQ(translated.exit_code, 0) << translated.err;
      EXPECT_EQ(lines_of(translated.out).size(), 2u);
    }
    const auto back =
        run_gloss({"convert", "--model", output, "--precision", "float32", "--output", run_ / "back", "--overwrite"});
    EXPECT_EQ(back.exit_code, 0) << back.err;
    EXPECT_THAT(back.err, HasSubstr("rounded values do not become exact again"));
  }
}

TEST_F(ScoreAndConvertTest, ScoresStayWithTheWeightsThatTheyAreOf) {
  const auto trained = run_gloss(run_.training("trained", {"--set", "training.max_steps=2"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string model = run_ / "trained", output = run_ / "int8.safetensors";
  const auto converted = run_gloss({"convert", "--model", model, "--precision", "int8", "--output", output});
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  const auto inspect = [](const std::string& file) { return parse_json(run_gloss({"inspect", file, "--json"}).out); };
  const auto before = inspect(model), after = inspect(output);
  for (const auto* scores : {"validation", "test"}) {
    EXPECT_TRUE(before.at("provenance").contains(scores)) << scores;
    EXPECT_FALSE(after.at("provenance").contains(scores)) << scores;
  }
  EXPECT_EQ(after.at("parameters"), before.at("parameters"));
  EXPECT_EQ(before.at("precision"), "float32");
  EXPECT_EQ(after.at("precision"), "int8");
}

TEST_F(ScoreAndConvertTest, AnExistingOutputIsReplacedOnRequestOnly) {
  const std::string output = run_ / "mine.safetensors";
  write_text(output, "mine");
  Arguments convert = {"convert", "--model", model_, "--precision", "int8", "--output", output};
  const auto refused = run_gloss(convert);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("mine.safetensors already; give another name, or --overwrite to replace it"));
  EXPECT_EQ(read_text(output), "mine");
  convert.emplace_back("--overwrite");
  EXPECT_EQ(run_gloss(convert).exit_code, 0);
  EXPECT_EQ(run_gloss({"inspect", output}).exit_code, 0);
}

TEST_F(ScoreAndConvertTest, AModelIsNotWrittenOverItself) {
  const std::string file = std::filesystem::path(model_) / "model.safetensors";
  const auto outcome = run_gloss({"convert", "--model", model_, "--precision", "int8", "--output", file});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  const auto before = read_text(file);
  EXPECT_EQ(run_gloss({"convert", "--model", model_, "--precision", "int8", "--output", file, "--overwrite"}).exit_code,
            2);
  EXPECT_EQ(read_text(file), before);
  EXPECT_EQ(run_gloss({"convert", "--model", model_, "--precision", "int4", "--output", run_ / "x"}).exit_code, 2);
}

}  // namespace
}  // namespace gloss
