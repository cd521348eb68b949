#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

TEST(BadArgumentsTest, AreRefusedAtOnce) {
  const TemporaryFolder folder;
  const auto translate = [](Arguments more) {
    more.insert(more.begin(), {"translate", "--model", "/no/such/model"});
    return more;
  };
  for (const auto& bad : {
           BadInput{"59 an unknown option", translate({"--bean", "3"}), 2,
                    "unknown option --bean; did you mean --beam\\?"},
           BadInput{"60 no value", translate({"--beam"}), 2, "--beam: wanted a value \\(N\\); see"},
           BadInput{"60 an option for a value", {"translate", "--model", "--beam", "3"}, 2, "--model: wanted a value"},
           BadInput{"61 a missing file", translate({}), 2, "there is no /no/such/model"},
           BadInput{"61 a missing run file", {"train", "--config", "/no/run.json"}, 2, "/no/run.json: there is no"},
           BadInput{"62 --resume with --overwrite",
                    {"train", "--config", "c", "--resume", "--overwrite"},
                    2,
                    "--overwrite.*--resume|--resume.*--overwrite"},
           BadInput{"64 beam 0", translate({"--beam", "0"}), 2, "--beam: wanted a whole number from 1 to 1000, got 0"},
           BadInput{"64 beam -1", translate({"--beam", "-1"}), 2, "--beam: wanted .*, got -1"},
           BadInput{"64 beam 10^9", translate({"--beam", "1000000000"}), 2, "--beam: wanted .*, got 1000000000"},
           BadInput{"66 a device that is not there", translate({"--device", "cuda:99"}), 2, "--device cuda:99: .*CUDA"},
           BadInput{"67 an option twice", translate({"--beam", "2", "--beam", "2"}), 2, "--beam is given 2 times"},
           BadInput{"70 an empty path", {"translate", "--model", ""}, 2, "--model: wanted a value, got an empty one"},
           BadInput{"70 an empty folder", {"make-corpus", "copy", "--out", ""}, 2, "--out: wanted a value"},
           BadInput{"70 an empty text",
                    {"tokenizer", "train", "--input", "", "--output", "m"},
                    2,
                    "--input: wanted a value"},
           BadInput{"72 a command that is none", {"trian"}, 2, "unknown command trian; did you mean train\\?"},
       })
    expect_outcome(bad, folder.path());
}

// 72
TEST(BadArgumentsTest, WithoutACommandThereIsHelp) {
  const auto outcome = run_gloss({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("Usage: gloss"));
}

class GoodArgumentsTest : public testing::Test {
 protected:
  void expect_translation(const std::string& what, const std::string& model, const Arguments& more) const {
    Arguments arguments = {"translate", "--model", model, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(lines_of(expect_outcome({what, arguments, 0, "", "bada\n", /*is_cut=*/true}, run_ / "").out).size(), 1u)
        << what;
  }

  SmallRun run_;
};

// 63; what goes together is a matter of the model's settings too: decoding.beam_size 3 and max_length 6.
TEST_F(GoodArgumentsTest, ARefusalNamesWhatWasTyped) {
  const auto model = run_.untrained_model();
  const auto expect_refusal = [&](const Arguments& more, const std::string& message) {
    Arguments arguments = {"translate", "--model", model, "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_outcome({"63 more than there can be", arguments, 2, "^gloss: " + message + "\n$", "bada\n"}, run_ / "");
  };
  expect_refusal({"--beam", "2", "--n-best", "3"}, "--n-best: wanted a whole number from 1 to --beam \\(2\\), got 3");
  expect_refusal({"--n-best", "4"}, "--n-best: wanted a whole number from 1 to --beam \\(3\\), got 4");
  expect_refusal({"--n-best", "3", "--patience", "0.5"},
                 "--n-best: wanted at most --beam \\* --patience \\(2\\), got 3");
  expect_refusal({"--beam", "5", "--min-length", "7"},
                 "--min-length: wanted a whole number from 0 to --max-length \\(6\\), got 7");
  expect_refusal({"--max-length", "5", "--min-length", "6"},
                 "--min-length: wanted a whole number from 0 to --max-length \\(5\\), got 6");
}

TEST_F(GoodArgumentsTest, OddButRightOnesWork) {
  const auto model = run_.untrained_model();
  expect_translation("65 a beam wider than the vocabulary", model, {"--beam", "1000", "--max-length", "3"});
  const auto long_run =
      run_gloss(run_.training("long", {"--set", "training.max_steps=0", "--set", "decoding.max_length=512"}));
  ASSERT_EQ(long_run.exit_code, 0) << long_run.err;
  expect_translation("63 a length that only the model's own limit allows", run_ / "long",
                     {"--beam", "5", "--min-length", "300"});
  const auto odd = run_ / "mit Leerzeichen \u2013 \u00dcbung \u6f22";
  std::filesystem::copy(model, odd, std::filesystem::copy_options::recursive);
  expect_translation("71 spaces and Unicode in a path", odd, {});
  expect_translation("71 with the file's name", odd / "model.safetensors", {});
}

TEST(BadArgumentsTest, UnknownInstructionSetInTheEnvironmentIsRefused) {
  const EnvironmentVariable kernels("GLOSS_KERNELS", "sse9");
  const auto outcome = run_gloss({"doctor"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("GLOSS_KERNELS: wanted an instruction set of this processor (generic"));
}

}  // namespace
}  // namespace gloss
