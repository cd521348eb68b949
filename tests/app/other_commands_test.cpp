#include <array>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/output/inspect_text.h"
#include "common/config/json.h"
#include "common/files/safetensors.h"
#include "tests/app/process.h"
#include "tests/app/small_run.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

// json::parse refuses anything after the first value.
json only_json(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

TEST(MakeCorpusTest, ReverseIsTheSourceFromItsEnd) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_gloss({"make-corpus", "reverse", "--out", folder.path(), "--size", "1"}).exit_code, 0);
  std::istringstream source(read_text(folder / "train.source")), target(read_text(folder / "train.target"));
  const std::vector<std::string> words(std::istream_iterator<std::string>(source), {});
  const std::vector<std::string> turned(std::istream_iterator<std::string>(target), {});
  EXPECT_EQ(std::vector(words.rbegin(), words.rend()), turned);
}

TEST(MakeCorpusTest, SeedDecidesTheSentences) {
  const TemporaryFolder folder;
  for (const auto* seed : {"1", "2"})
    EXPECT_EQ(run_gloss({"make-corpus", "copy", "--out", folder / seed, "--seed", seed, "--size", "20"}).exit_code, 0);
  EXPECT_EQ(run_gloss({"make-corpus", "copy", "--out", folder / "again", "--seed", "1", "--size", "20"}).exit_code, 0);
  EXPECT_EQ(read_text(folder.path() / "1" / "train.source"), read_text(folder.path() / "again" / "train.source"));
  EXPECT_NE(read_text(folder.path() / "1" / "train.source"), read_text(folder.path() / "2" / "train.source"));
}

TEST(MakeCorpusTest, KeepsWhatIsThereUnlessToldOtherwise) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "corpus");
  write_text(folder / "corpus" / "test.target", "mine");
  const auto make = [&](const Arguments& more) {
    Arguments arguments = {"make-corpus", "copy", "--size", "20", "--out", folder / "corpus"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments);
  };
  const auto refused = make({});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("corpus/test.target already; give another folder, or --overwrite"));
  EXPECT_EQ(read_text(folder / "corpus" / "test.target"), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder / "corpus" / "train.source"));
  EXPECT_EQ(make({"--overwrite"}).exit_code, 0);
  EXPECT_EQ(read_text(folder / "corpus" / "test.target"), read_text(folder / "corpus" / "test.source"));
}

TEST(MakeCorpusTest, HasAsManyWordsAsAskedFor) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_gloss({"make-corpus", "copy", "--out", folder.path(), "--words", "3", "--size", "60"}).exit_code, 0);
  std::istringstream text(read_text(folder / "train.source"));
  const std::set<std::string> words(std::istream_iterator<std::string>(text), {});
  EXPECT_EQ(words.size(), 3u);
  const auto refused = run_gloss({"make-corpus", "copy", "--out", folder / "x", "--words", "1", "--size", "60"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("gloss: --size: wanted no more pairs"));
}

// Ten thousand sentences of five hundred words on the mean are 20 MB as numbers of words, and more as text.
TEST(MakeCorpusTest, MemoryDoesNotGrowWithTheSentences) {
  const TemporaryFolder folder;
  const auto peak = [&](const std::string& longest) {
    const auto outcome = run_gloss(
        {"make-corpus", "copy", "--out", folder / longest, "--size", "8000", "--words", "100", "--max-words", longest});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.peak_kib;
  };
  EXPECT_LT(peak("1000"), peak("10") + 20'000);
}

TEST(MakeCorpusTest, DemoWritesTheLanguagesThatThePairNames) {
  const TemporaryFolder folder;
  for (const auto* pair : {"en-de", "zh-en"})
    EXPECT_EQ(run_gloss({"make-corpus", "demo", "--out", folder / pair, "--pair", pair, "--size", "1000"}).exit_code,
              0);
  EXPECT_NE(read_text(folder.path() / "en-de" / "train.target").find(" der "), std::string::npos);
  EXPECT_NE(read_text(folder.path() / "zh-en" / "train.source").find("。"), std::string::npos);
  EXPECT_NE(read_text(folder.path() / "zh-en" / "train.target").find(" the "), std::string::npos);
  EXPECT_NE(read_text(folder.path() / "zh-en" / "test.constructions").find("relative\n"), std::string::npos);
}

TEST(EvaluateTest, TheLogHoldsTheScore) {
  const TemporaryFolder folder;
  write_text(folder / "text", "a b c d e\n");
  EXPECT_EQ(run_gloss({"evaluate", "--hypothesis", folder / "text", "--reference", folder / "text", "--log-json",
                       folder / "log.jsonl"})
                .exit_code,
            0);
  const auto event = json::parse(read_text(folder / "log.jsonl"));
  EXPECT_EQ(event.at("event"), "evaluation");
  EXPECT_DOUBLE_EQ(event.at("bleu").at("score"), 100.0);
}

TEST(EvaluateTest, TheTokenizerOfBleuCanBeChosen) {
  const TemporaryFolder folder;
  write_text(folder / "hypothesis", "那个男孩昨天买了苹果。\n");
  write_text(folder / "reference", "那个男孩昨天吃了苹果。\n");
  const auto score = [&](const std::string& tokenizer) {
    return run_gloss({"evaluate", "--hypothesis", folder / "hypothesis", "--reference", folder / "reference",
                      "--tokenize", tokenizer});
  };
  EXPECT_EQ(lines_of(score("13a").out)[0], "BLEU = 0.00");
  // 10 of 11 characters match, 8 of 10 pairs, 6 of 9 triples, 4 of 8 quadruples.
  EXPECT_EQ(score("zh").out, "BLEU = 70.17\nnrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:2.6.0\n");
  EXPECT_EQ(score("ja").exit_code, 2);
}

TEST(EvaluateTest, ScoresEachGroupOfLines) {
  const TemporaryFolder folder;
  write_text(folder / "hypothesis", "the cat sat on the mat\na b c d e\n");
  write_text(folder / "reference", "the cat sat on a mat\na b c d e\n");
  write_text(folder / "groups", "cats\nletters\n");
  const Arguments arguments = {"evaluate",           "--hypothesis", folder / "hypothesis", "--reference",
                               folder / "reference", "--groups",     folder / "groups"};
  EXPECT_EQ(lines_of(run_gloss(arguments).out)[0], "cats          1 lines  BLEU = 53.73");
  EXPECT_EQ(lines_of(run_gloss(arguments).out)[1], "letters       1 lines  BLEU = 100.00");
  auto with_json = arguments;
  with_json.push_back("--json");
  const auto groups = only_json(run_gloss(with_json)).at("groups");
  EXPECT_NEAR(groups.at("cats").at("score"), 53.7284965911771, 1e-12);
  EXPECT_EQ(groups.at("letters").at("lines"), 1);

  write_text(folder / "groups", "é\n猫の絵\n");  // as wide as they have characters
  EXPECT_EQ(lines_of(run_gloss(arguments).out)[0], "é         1 lines  BLEU = 53.73");
  EXPECT_EQ(lines_of(run_gloss(arguments).out)[1], "猫の絵       1 lines  BLEU = 100.00");

  write_text(folder / "groups", "cats\n");
  const auto refused = run_gloss(arguments);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("groups"));
  EXPECT_EQ(refused.out, "");
}

TEST(EvaluateTest, ScoresAFileAgainstAnother) {
  const TemporaryFolder folder;
  write_text(folder / "hypothesis", "the cat sat on the mat\n");
  write_text(folder / "reference", "the cat sat on a mat\n");
  const Arguments arguments = {"evaluate", "--hypothesis", folder / "hypothesis", "--reference", folder / "reference"};
  const auto text = run_gloss(arguments);
  // 5/6, 3/5, 2/4 and 1/3 n-grams match: 100 * (5/6 * 3/5 * 2/4 * 1/3)^(1/4)
  EXPECT_EQ(text.out, "BLEU = 53.73\nnrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\n");
  auto with_json = arguments;
  with_json.insert(with_json.end(), {"--json", "--metrics", "bleu", "--tokenize", "13a"});
  const auto bleu = only_json(run_gloss(with_json)).at("bleu");
  EXPECT_NEAR(bleu.at("score"), 53.7284965911771, 1e-12);
  EXPECT_EQ(bleu.at("brevity_penalty"), 1.0);
  EXPECT_EQ(bleu.at("precisions").size(), 4u);
  EXPECT_THAT(bleu.at("signature"), HasSubstr("tok:13a"));
}

TEST(EvaluateTest, RefusesFilesOfDifferentLength) {
  const TemporaryFolder folder;
  write_text(folder / "hypothesis", "a\nb\n");
  write_text(folder / "reference", "a\n");
  const auto outcome =
      run_gloss({"evaluate", "--hypothesis", folder / "hypothesis", "--reference", folder / "reference", "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(EvaluateTest, ReadsPipes) {
  const TemporaryFolder folder;
  write_text(folder / "reference", "the cat sat on a mat\n");
  const auto outcome = run_gloss({"evaluate", "--hypothesis", "/dev/stdin", "--reference", folder / "reference"},
                                 "the cat sat on the mat\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("BLEU = 53.73\n"));
}

TEST(TokenizerTest, EncodingAndDecodingGiveTheTextBack) {
  const SmallRun run;
  const auto model = run / "t.model";
  const auto trained =
      run_gloss({"tokenizer", "train", "--input", run.corpus("train.source"), run.corpus("train.target"),
                 "--vocabulary-size", "60", "--type", "bpe", "--output", model});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.out, IsEmpty());
  const auto text = read_text(run.corpus("test.source")) + "\n";
  const auto pieces = run_gloss({"tokenizer", "encode", "--model", model}, text);
  EXPECT_THAT(pieces.out, HasSubstr("\u2581"));
  EXPECT_EQ(run_gloss({"tokenizer", "decode", "--model", model}, pieces.out).out, text);
}

// One letter in a thousand: left out by the coverage, or spelled as bytes.
TEST(TokenizerTest, CoverageAndByteFallbackSayWhatBecomesOfARareCharacter) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "abc bca cab\n";
  write_text(folder / "text", text + "\u03a9\n");
  const auto encode = [&](const Arguments& more) {
    Arguments arguments = {"tokenizer", "train", "--input",           folder / "text", "--output",   folder / "m",
                           "--type",    "char",  "--vocabulary-size", "300",           "--overwrite"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto trained = run_gloss(arguments);
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    return run_gloss({"tokenizer", "encode", "--model", folder / "m"}, "a\u03a9\n").out;
  };
  EXPECT_THAT(encode({}), HasSubstr("\u03a9"));
  EXPECT_THAT(encode({"--character-coverage", "0.99"}), HasSubstr("<unk>"));
  EXPECT_THAT(encode({"--character-coverage", "0.99", "--byte-fallback"}), HasSubstr("<0xCE> <0xA9>"));
  EXPECT_THAT(run_gloss({"tokenizer", "train", "--input", folder / "text", "--output", folder / "m",
                         "--character-coverage", "0.9", "--overwrite"})
                  .err,
              HasSubstr("--character-coverage: wanted a number from 0.98 to 1, got 0.9"));
}

TEST(TokenizerTest, AnExistingModelIsKeptUnlessItIsToBeOverwritten) {
  const TemporaryFolder folder;
  write_text(folder / "text", "abc bca cab\n");
  write_text(folder / "m", "kept");
  Arguments arguments = {"tokenizer", "train", "--input", folder / "text", "--output", folder / "m", "--type", "char"};
  const auto refused = run_gloss(arguments);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--output: there is a file "), HasSubstr("--overwrite to replace it")));
  EXPECT_EQ(read_text(folder / "m"), "kept");
  arguments.push_back("--overwrite");
  const auto replaced = run_gloss(arguments);
  EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
  EXPECT_NE(read_text(folder / "m"), "kept");
}

TEST(TokenizerTest, DecodingRefusesWhatIsNoPieceAndNamesTheLine) {
  const SmallRun run;
  const auto model = run / "t.model";
  ASSERT_EQ(run_gloss({"tokenizer", "train", "--input", run.corpus("train.source"), "--vocabulary-size", "40", "--type",
                       "char", "--output", model})
                .exit_code,
            0);
  const auto outcome = run_gloss({"tokenizer", "decode", "--model", model}, "a\nnonsense\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("line 2"), HasSubstr("nonsense")));
}

TEST(InspectTest, SaysWhatAModelHolds) {
  const SmallRun run;
  const auto model = run.untrained_model();
  const auto text = run_gloss({"inspect", model});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("format: gloss-model"), HasSubstr("decoder.layers.0.cross_attention "),
                              HasSubstr("\"d_model\": 16")));
  const auto object = only_json(run_gloss({"inspect", model, "--json"}));
  EXPECT_EQ(object.at("config").at("model").at("d_model"), 16);
  EXPECT_EQ(object.at("vocabulary").at("source"), object.at("vocabulary").at("target"));
  std::int64_t sum = 0;
  for (const auto& module : object.at("modules")) {
    sum += module.at("parameters").get<std::int64_t>();
    if (module.at("name") == "encoder.layers.0.self_attention") {
      EXPECT_EQ(module.at("parameters"), 4 * (16 * 16 + 16));
    }
  }
  EXPECT_EQ(object.at("parameters"), sum);
  EXPECT_EQ(object.at("provenance").at("steps"), 0);
}

TEST(InspectTest, BeginsWithASummaryOfFiveLines) {
  const SmallRun run;
  ASSERT_EQ(run_gloss(run.training("a", {"--set", "training.max_steps=2"})).exit_code, 0);
  const auto lines = lines_of(run_gloss({"inspect", run / "a"}).out);
  ASSERT_GT(lines.size(), 7u);
  EXPECT_THAT(lines[0],
              MatchesRegex("file:      encoder-decoder Transformer that translates, float32 matrices, 0.[0-9] MiB"));
  EXPECT_THAT(lines[1], StartsWith("languages: "));
  EXPECT_THAT(lines[2], MatchesRegex("size:      parameters [0-9]+, encoder layers 1, decoder layers 1, d_model 16, "
                                     "d_ff [0-9]+, heads [0-9], vocabulary [0-9]+"));
  EXPECT_THAT(lines[3], MatchesRegex("training:  steps 2, epochs [0-9]+, sentence pairs [0-9]+"));
  EXPECT_THAT(lines[4], MatchesRegex("scores:    test BLEU [0-9.]+, validation BLEU [0-9.]+ \\(greedy\\), "
                                     "validation perplexity [0-9.]+"));
  EXPECT_EQ(lines[5], "");
  EXPECT_EQ(lines[6], "format: gloss-model");

  const auto checkpoint =
      lines_of(run_gloss({"inspect", (run / "a") / "checkpoints" / "step-00000002.safetensors"}).out);
  EXPECT_THAT(checkpoint[0], StartsWith("file:      checkpoint of a training run, "));
  EXPECT_THAT(checkpoint[1], "languages: not recorded");
  EXPECT_THAT(checkpoint[3], "training:  steps 2");
  EXPECT_THAT(checkpoint[4], "scores:    not recorded");
}

TEST(InspectTest, TheSummaryTakesWhateverAFileRecords) {
  const Json config = {{"data", {{"source_language", "en"}, {"target_language", "d\x1b[31me"}}},
                       {"model", {{"heads", "four"}, {"d_ff", nullptr}, {"d_model", 8}}}};
  const Json odd = {{"precision", "int8"}, {"config", config}, {"provenance", {{"test", 3}, {"averaged", {1, 2}}}}};
  const auto lines = lines_of(summary_lines(odd, 3 << 20));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "file:      encoder-decoder Transformer that translates, int8 matrices, 3.0 MiB");
  EXPECT_EQ(lines[1], "languages: en to d\\x1b[31me");
  EXPECT_EQ(lines[2], "size:      d_model 8");
  EXPECT_EQ(lines[3], "training:  mean of 2 files");
  EXPECT_EQ(lines[4], "scores:    not recorded");
}

// JSON has no NaN: weights, scores and metadata that are none must not become one.
TEST(InspectTest, ItsJsonIsStrictWhateverTheFileHolds) {
  const SmallRun run;
  const auto model = std::filesystem::path(run.untrained_model()) / "model.safetensors";
  const auto file = SafetensorsFile::open(model);
  auto tensors = file.tensors();
  auto& weight = tensors.at("source_embedding.weight");
  std::vector<float> weights(weight.bytes.size() / sizeof(float), std::numeric_limits<float>::quiet_NaN());
  weights.back() = std::numeric_limits<float>::infinity();
  weight.bytes = std::as_bytes(std::span(weights));
  auto metadata = file.metadata();
  metadata["provenance"] =
      R"({"steps": -0.0, "validation": {"perplexity": 1.7976931348623157e308, "greedy_bleu": null}})";
  write_safetensors(run / "odd.safetensors", tensors, metadata);
  const auto object = parse_json(run_gloss({"inspect", run / "odd.safetensors", "--json"}).out);
  EXPECT_GT(object.at("parameters").get<std::int64_t>(), 0);
  EXPECT_EQ(run_gloss({"inspect", run / "odd.safetensors"}).exit_code, 0);

  for (const std::string number : {"NaN", "Infinity", "1e999", "-1e999"}) {
    metadata["provenance"] = "{\"steps\": " + number + "}";
    write_safetensors(run / "odd.safetensors", tensors, metadata);
    const auto refused = run_gloss({"inspect", run / "odd.safetensors", "--json"});
    EXPECT_EQ(refused.exit_code, 3) << number;
    EXPECT_THAT(refused.out, IsEmpty()) << number;
  }

  // A state that became NaN after it was read.
  TrainingState state;
  state.unreported_nll = std::numeric_limits<double>::quiet_NaN();
  state.best_score = std::numeric_limits<double>::infinity();
  EXPECT_NO_THROW(parse_json(to_text(to_json(state))));
}

TEST(InspectTest, SaysWhereACheckpointStands) {
  const SmallRun run;
  ASSERT_EQ(run_gloss(run.training("a", {"--set", "training.max_steps=5"})).exit_code, 0);
  const auto checkpoint = (run / "a") / "checkpoints" / "step-00000005.safetensors";
  const auto object = only_json(run_gloss({"inspect", checkpoint, "--json"}));
  EXPECT_EQ(object.at("format"), "gloss-checkpoint");
  EXPECT_EQ(object.at("state").at("step"), 5);
  EXPECT_EQ(object.at("parameters"), only_json(run_gloss({"inspect", run / "a", "--json"})).at("parameters"));
}

TEST(InspectTest, LongNamesAreShownWhole) {
  const TemporaryFolder folder;
  const std::string name(200, 'n');
  const std::array<float, 3> weights{};
  const auto state = to_text(to_json(TrainingState{}));
  write_safetensors(
      folder / "checkpoint", {{name + ".weight", {Dtype::kF32, {3}, std::as_bytes(std::span(weights))}}},
      {{"format", "gloss-checkpoint"}, {"format_version", "1"}, {"state", state}, {"state_sha256", sha256(state)}});
  EXPECT_THAT(run_gloss({"inspect", folder / "checkpoint"}).out, HasSubstr("  " + name + "              3\n"));
}

TEST(InspectTest, RefusesWhatIsNoModel) {
  const TemporaryFolder folder;
  write_text(folder / "text", "Call me Ishmael, some years ago.");
  EXPECT_EQ(run_gloss({"inspect", folder / "text"}).exit_code, 3);
}

}  // namespace
}  // namespace gloss
