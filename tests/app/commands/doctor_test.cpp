#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/output/preparation_text.h"
#include "tests/app/support/bad_input.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(DoctorTest, WithoutARunFileItSpeaksOfTheMachine) {
  const auto outcome = run_gloss({"doctor", "--threads", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("  LibTorch          "), HasSubstr("  SentencePiece     "),
                                 HasSubstr("  OpenMP            /"), HasSubstr("  several processes "),
                                 HasSubstr(" GFLOP/s\n"), HasSubstr(" 1 thread\n"), Not(HasSubstr("training"))));
}

TEST(DoctorTest, OpenMpReadsThePassiveWaitPolicyThatTheProgramSets) {
  const auto shown = [](const std::string& setting) {
    return Process({"doctor", "--threads", "1"},
                   {.launcher = {"env", "-u", "OMP_WAIT_POLICY", "OMP_DISPLAY_ENV=true", setting}})
        .wait();
  };
  EXPECT_THAT(shown("X=").err, HasSubstr("OMP_WAIT_POLICY = 'PASSIVE'"));
  EXPECT_THAT(shown("OMP_WAIT_POLICY=active").err, HasSubstr("OMP_WAIT_POLICY = 'ACTIVE'"));
}

TEST(DoctorTest, WithARunFileItPrintsWhatTrainingTakes) {
  const SmallRun run;
  const Arguments doctor = {"doctor", "--threads", "1", "--config", run.config(), "--out", run / "run"};
  const auto text = run_gloss(doctor);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("\ntraining\n"), HasSubstr("  batches "), HasSubstr("  or validation "),
                              HasSubstr("  at most ")));
  auto with_json = doctor;
  with_json.push_back("--json");
  const auto found = json::parse(run_gloss(with_json).out);
  const auto& training = found.at("training");
  EXPECT_EQ(training.at("weights"), 4 * training.at("parameters").get<std::int64_t>());
  EXPECT_TRUE(training.at("tried"));
  EXPECT_GT(training.at("batches"), 0);
  EXPECT_GT(training.at("test"), 0);
  EXPECT_GT(training.at("corpus_file"), 0);
  EXPECT_GT(training.at("disk_free"), 0);
  EXPECT_TRUE(found.at("remarks").is_array());
  EXPECT_FALSE(std::filesystem::exists(run / "run")) << "nothing is made";
}

TEST(DoctorTest, AModelThatDoesNotFitIsSaidWithoutTryingIt) {
  const SmallRun run;
  const auto outcome = run_gloss({"doctor", "--config", run.config(), "--set", "model.d_model=65536", "--set",
                                  "model.d_ff=65536", "--set", "model.encoder_layers=100"});
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("batches           not tried"), HasSubstr("\n  at least "),
                                 HasSubstr("will not work: training needs at least ")));
}

TEST(DoctorTest, WhereNothingWasTriedTheNeedIsTheLeastAndSaidToBe) {
  MachineReport machine;
  machine.instructions = {"generic"};
  machine.usable_memory = 4000;
  machine.free_memory = 3000;
  RunNeeds run;
  run.training.weights = 2500;  // more than three quarters of what is free
  run.training.min_batches = 100;
  auto remarks = remarks_on(run, machine);
  ASSERT_THAT(remarks, ElementsAre(Field(&Remark::message,
                                         AllOf(HasSubstr("needs at least "), HasSubstr("batches not counted")))));
  EXPECT_FALSE(remarks[0].failure.has_value());
  EXPECT_THAT(to_lines(machine, run, remarks),
              AllOf(HasSubstr("batches           not tried"), HasSubstr("\n  at least "), Not(HasSubstr("at most"))));
  run.training.min_batches = 1501;
  EXPECT_THAT(remarks_on(run, machine), ElementsAre(Field(&Remark::failure, ExitCode::kOutOfMemory)));
  run.training.min_batches = 100;
  run.training.batches = 400;
  EXPECT_THAT(to_lines(machine, run, remarks), HasSubstr("  batches           more than 0.0 MiB\n"));
  run.training.tried = true;
  EXPECT_THAT(remarks_on(run, machine), IsEmpty());
  EXPECT_THAT(to_lines(machine, run, {}), AllOf(HasSubstr("at most"), Not(HasSubstr("at least"))));
}

TEST(DoctorTest, APrecisionThatTheProcessorHasNotIsARemarkBesideTheReport) {
  const SmallRun run;
  ASSERT_EQ(::setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1), 0);  // so has no processor
  const auto outcome = run_gloss({"doctor", "--threads", "1", "--device", "cpu", "--config", run.config(), "--set",
                                  "training.precision=bfloat16", "--set", "data.batch_tokens=256"});
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("  LibTorch          "), HasSubstr("\ntraining\n"), HasSubstr("  at most "),
                                 HasSubstr("will not work: training.precision: wanted float32 on this processor")));
}

TEST(DoctorTest, ATextThatIsNotThereIsSaidAndLengthsAreGuessed) {
  const SmallRun run;
  const auto outcome = run_gloss({"doctor", "--threads", "1", "--config", run.config(), "--set",
                                  "data.train_source=none", "--set", "data.batch_tokens=256"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("lengths of sentences are guessed"), HasSubstr("none: wanted a text file"),
                                 HasSubstr("  batches  ")));
}

TEST(DoctorTest, DevicesAreNamedWithWhatTheyCanDo) {
  MachineReport machine;
  machine.instructions = {"generic"};
  machine.cuda_built = true;
  machine.cuda_devices = 2;
  machine.gpus = {{"Old one", std::int64_t{11} << 30, 7, 5}, {"New one", std::int64_t{80} << 30, 9, 0}};
  EXPECT_THAT(to_lines(machine, std::nullopt, {}),
              AllOf(HasSubstr("  CUDA              2 devices\n"),
                    HasSubstr(" cuda:0 Old one, 11264 MiB, capability 7.5, no bfloat16\n"),
                    HasSubstr(" cuda:1 New one, 81920 MiB, capability 9.0, bfloat16\n")));
  machine.cuda_devices = 0;
  EXPECT_THAT(to_lines(machine, std::nullopt, {}), HasSubstr("built in, but LibTorch finds no device\n"));
  machine.cuda_built = false;
  machine.gpus.pop_back();
  EXPECT_THAT(to_lines(machine, std::nullopt, {}), AllOf(HasSubstr("none: this LibTorch is built without CUDA\n"),
                                                         HasSubstr(" not used: Old one, 11264 MiB")));
}

TEST(DoctorTest, ARunFileIsJudgedAsTrainingDoes) {
  const SmallRun run;
  const auto refused = [&](const std::string& what, const std::string& setting, int code, const std::string& message) {
    expect_outcome({what, {"doctor", "--config", run.config(), "--set", setting}, code, message}, run / "");
  };
  refused("a key", "model.heads=3", 2, "model.heads: wanted");
  refused("a part", "training.freeze=[\"encode\"]", 2, "did you mean \"encoder\"\\?");
  refused("a model", "training.start_from=none", 3, "it is not there");
  refused("a tokenizer", "tokenizer.model_file=none", 3, "none");
}

}  // namespace
}  // namespace gloss
