#include "run/train_translate.h"

#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "common/files/text_pairs.h"
#include "common/log/log.h"
#include "data/parallel_corpus.h"
#include "model/storage/model_file.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"
#include "tests/support/terminal.h"
#include "translation/models/translation_model.h"
#include "translation/translate_texts.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::ThrowsMessage;

class TrainTranslateTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_runtime(1);
    testing::internal::CaptureStderr();
  }
  void TearDown() override { testing::internal::GetCapturedStderr(); }

  SafetensorsFile model_file() const { return SafetensorsFile::open(job_ / "run/model.safetensors"); }
  SafetensorsFile checkpoint(const std::string& name) const {
    return SafetensorsFile::open(job_ / ("run/checkpoints/" + name));
  }
  Json provenance() const { return parse_json(model_file().metadata().at("provenance")); }
  std::vector<Json> events(const std::string& kind) const {
    std::vector<Json> found;
    for (const auto& line : lines_of_file(job_ / "run/log.jsonl"))
      if (auto event = parse_json(line); event.at("event") == kind) found.push_back(std::move(event));
    return found;
  }
  static std::span<const float> floats(const TensorView& view) {
    return {reinterpret_cast<const float*>(view.bytes.data()), view.bytes.size() / sizeof(float)};
  }

  /// Expects the weights of a run of five updates from one that was resumed after two. `set` sets what it draws.
  template <class Set>
  void expect_resumed_as_unbroken(Set set) {
    const auto prepare = [&](SmallJob& job) {
      job.config.tokenizer.type = TokenizerType::kBpe;
      job.config.data.batch_tokens = 64;  // several batches an epoch
      job.config.training.max_steps = 5;
      set(job.config.data);
    };
    SmallJob unbroken(device());
    prepare(unbroken);
    unbroken.run();
    prepare(job_);
    job_.config.training.max_steps = 2;
    job_.run();
    std::filesystem::remove(job_ / "run/corpus.cache");
    job_.config.training.max_steps = 5;
    job_.run(/*resume=*/true);
    EXPECT_TRUE(std::filesystem::exists(job_ / "run/corpus.cache"));

    const auto wanted = SafetensorsFile::open(unbroken / "run/model.safetensors");
    const auto resumed = model_file();
    if (device().is_cpu()) {
      for (const auto& [name, view] : wanted.tensors())
        EXPECT_TRUE(std::ranges::equal(view.bytes, resumed.tensors().at(name).bytes)) << name;
    }
  }

  void expect_refused_resume(const std::string& message) const {
    const auto before = snapshot(job_ / "run");
    EXPECT_THAT([&] { job_.run(/*resume=*/true); },
                ThrowsMessage<UsageError>(AllOf(HasSubstr("cannot resume"), HasSubstr(message))));
    EXPECT_EQ(snapshot(job_ / "run"), before);
  }

  SmallJob job_{device()};
};

TEST_P(TrainTranslateTest, EachLanguageMayHaveATokenizerOfItsOwn) {
  for (const auto tie : {TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
    SmallJob job(device());
    job.use_two_tokenizers(tie);
    const auto result = job.run();
    ASSERT_TRUE(result.test.has_value());
    for (const auto* name : {"source_tokenizer.model", "target_tokenizer.model"})
      EXPECT_TRUE(std::filesystem::exists(job / "run" / name)) << name;
    const auto loaded = load_translation_model(job / "run", device());
    EXPECT_THAT(loaded.file.description.tokenizers,
                ElementsAre(Key("source_tokenizer.model"), Key("target_tokenizer.model")));
    EXPECT_NE(loaded.source_tokenizer->serialized(), loaded.target_tokenizer->serialized());
    EXPECT_GT(loaded.file.vocabularies.source, loaded.file.vocabularies.target);
    EXPECT_EQ(loaded.target_tokenizer->encode("z").back(), kUnk) << "no letter of the source";
    const auto test = read_line_pairs(job.config.data.test_source, job.config.data.test_target);
    const Translations translations(translate_texts(loaded.translator(), loaded.config.decoding, test.sources));
    EXPECT_DOUBLE_EQ(corpus_bleu(translations.texts, test.references).score, result.test->score);
  }
}

TEST_P(TrainTranslateTest, TheModelIsTheMeanOfTheLastSavesWhereAskedFor) {
  job_.config.training.max_steps = 7;
  job_.config.training.save_every = 2;
  job_.config.training.keep_checkpoints = 1;
  job_.config.training.average_last = 3;
  job_.run();
  const auto model = model_file();
  std::vector<SafetensorsFile> files;
  for (const auto* step : {"4", "6", "7"})
    files.push_back(checkpoint("step-0000000" + std::string(step) + ".safetensors"));
  std::size_t weights = 0;
  for (const auto& [name, view] : model.tensors()) {
    if (name == "tokenizer.model") continue;
    ++weights;
    for (std::size_t i = 0; i < floats(view).size(); ++i) {
      double sum = 0;
      for (const auto& file : files) sum += floats(file.tensors().at(name))[i];
      ASSERT_EQ(floats(view)[i], static_cast<float>(sum / 3)) << name;
    }
  }
  EXPECT_GT(weights, 10u);
  EXPECT_EQ(provenance().at("weights_of_steps"), (Json{4, 6, 7}));
}

TEST_P(TrainTranslateTest, EarlyStoppingKeepsTheBestCheckpoint) {
  job_.config.training.max_steps = 30;
  job_.config.training.validate_every = 1;
  job_.config.training.learning_rate = 1;  // so high that the loss soon rises
  job_.config.training.early_stop = {EarlyStopMetric::kLoss, 2};
  EXPECT_EQ(job_.run().end, TrainingEnd::kEarlyStop);
  const auto model = model_file(), best = checkpoint("best.safetensors");
  for (const auto& [name, view] : model.tensors()) {
    if (name == "tokenizer.model") continue;
    EXPECT_TRUE(std::ranges::equal(view.bytes, best.tensors().at(name).bytes)) << name;
  }
  std::vector<double> losses;
  for (const auto& event : events("validation")) losses.push_back(event.at("loss"));
  const auto lowest = std::ranges::min_element(losses);
  EXPECT_EQ(losses.end() - lowest, 3) << "two more after the best";
  EXPECT_EQ(provenance().at("weights_of_steps"), Json{lowest - losses.begin() + 1});
  EXPECT_DOUBLE_EQ(provenance().at("validation").at("loss"), *lowest);
}

TEST_P(TrainTranslateTest, EarlyStoppingWithoutValidationDataIsRefusedByKey) {
  job_.config.data.valid_source = job_.config.data.valid_target = "";
  job_.config.training.early_stop.patience = 1;
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<UsageError>(HasSubstr(
                                       "data.valid_source: wanted validation data, which training.early_stop needs")));
  EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
}

TEST_P(TrainTranslateTest, ATestSetWithoutALineIsRefusedBeforeTraining) {
  write_lines(job_.config.data.test_source, {});
  write_lines(job_.config.data.test_target, {});
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<DataError>(HasSubstr("wanted lines to test with, got empty files")));
  EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
}

TEST_P(TrainTranslateTest, ARefusedResumeLeavesTheFolderAsItWas) {
  job_.run();
  const auto config = job_.config;
  job_.config.training.label_smoothing = 0.2;
  expect_refused_resume("training.label_smoothing");
  job_.config = config;
  job_.config.model.d_ff = 24;
  expect_refused_resume("model.d_ff");
  job_.config = config;

  const auto change_order = [](const std::string& path) {
    auto lines = lines_of_file(path);
    std::rotate(lines.begin(), lines.begin() + 1, lines.end());
    write_lines(path, lines);
  };
  change_order(config.data.valid_source);
  expect_refused_resume("validation set");
  change_order(config.data.train_source);
  expect_refused_resume("training corpus, validation set");
}

TEST_P(TrainTranslateTest, ARefusedStartInAUsedFolderLeavesItAsItWas) {
  job_.run();
  const auto before = snapshot(job_ / "run");
  job_.config.training.max_steps = 3;
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<UsageError>(HasSubstr("--overwrite")));
  EXPECT_EQ(snapshot(job_ / "run"), before);
}

TEST_P(TrainTranslateTest, AResumedRunMayBeLongerAndAddsToItsLog) {
  job_.run();
  const auto before = text_of_file(job_ / "run/log.jsonl");
  job_.config.training.max_steps = 5;
  EXPECT_EQ(job_.run(/*resume=*/true).steps, 5);
  EXPECT_TRUE(text_of_file(job_ / "run/log.jsonl").starts_with(before));
  std::vector<std::int64_t> steps;
  for (const auto& event : events("step")) steps.push_back(event.at("step"));
  EXPECT_THAT(steps, ElementsAre(2, 5));
  EXPECT_EQ(parse_json(text_of_file(job_ / "run/config.json")).at("training").at("max_steps"), 5);
}

TEST_P(TrainTranslateTest, AFinishedRunThatIsResumedNamesTheLimit) {
  const auto printed = [&] {
    EXPECT_EQ(job_.run(/*resume=*/true).steps, 2);
    auto text = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    return text;
  };
  const auto of_first = printed(), of_second = printed();
  EXPECT_THAT(of_first, Not(HasSubstr("the run was at its end")));
  EXPECT_THAT(of_second, HasSubstr("the run was at its end already: training.max_steps = 2 is reached"));
}

TEST_P(TrainTranslateTest, AResumedRunDrawsThePiecesOfTheUnbrokenOne) {
  expect_resumed_as_unbroken([](DataConfig& data) { data.subword_sampling = 0.3; });
  job_.config.data.subword_sampling = 0.2;
  expect_refused_resume("data.subword_sampling");
}

TEST_P(TrainTranslateTest, AResumedRunAugmentsAsTheUnbrokenOne) {
  expect_resumed_as_unbroken(
      [](DataConfig& data) { data.augmentation = {.title_case = 0.3, .no_end_mark = 0.5, .typos = 0.5}; });
  job_.config.data.augmentation.typos = 0.4;
  expect_refused_resume("data.augment_typos");
}

TEST_P(TrainTranslateTest, TheLogIsAnObjectALine) {
  job_.config.training.validate_every = 1;
  job_.run();
  for (const auto& line : lines_of_file(job_ / "run/log.jsonl")) {
    const auto event = parse_json(line);
    EXPECT_TRUE(event.at("event").is_string() && event.at("time").is_number()) << line;
  }
  ASSERT_EQ(events("step").size(), 1u);
  for (const auto* key : {"step", "last_step", "epoch", "loss", "perplexity", "learning_rate", "gradient_norm",
                          "target_tokens_per_second", "seconds_left", "skipped_updates"})
    EXPECT_TRUE(events("step")[0].at(key).is_number()) << key;
  const auto validations = events("validation");
  ASSERT_EQ(validations.size(), 2u);
  ASSERT_EQ(events("model").size(), 1u);
  EXPECT_EQ(events("model")[0].at("loss"), validations[1].at("loss"));
  EXPECT_EQ(events("test").size(), 1u);
  const auto sources = lines_of_file(job_.config.data.valid_source);
  for (const auto& validation : validations) {
    ASSERT_EQ(validation.at("samples").size(), 3u);
    for (const auto& sample : validation.at("samples"))
      EXPECT_EQ(sample.at("source"), sources.at(sample.at("line").get<std::size_t>() - 1));
  }
}

TEST_P(TrainTranslateTest, TheModelNamesItsOriginWithoutAPath) {
  job_.config.training.max_epochs = 2;
  job_.config.training.max_steps.reset();
  const auto result = job_.run();
  const auto values = provenance();
  const auto loaded = load_translation_model(job_ / "run", device());
  const auto& data = job_.config.data;
  const auto corpus = ParallelCorpus::read(data.train_source, data.train_target, *loaded.source_tokenizer,
                                           *loaded.target_tokenizer, {.max_length = data.max_length});
  EXPECT_EQ(values.at("steps"), result.steps);
  EXPECT_EQ(values.at("epochs"), 2);
  EXPECT_EQ(values.at("weights_of_steps"), Json{result.steps});
  EXPECT_EQ(values.at("training_pairs"), 60);
  EXPECT_EQ(values.at("training_corpus"), corpus.hash());
  EXPECT_EQ(values.at("validation_set").get<std::string>().size(), 64u);
  EXPECT_EQ(values.at("validation").at("signature"), bleu_signature());
  EXPECT_EQ(values.at("test"), (Json{{"bleu", result.test->score}, {"signature", bleu_signature()}}));
  EXPECT_EQ(values.at("program").get<std::string>().substr(0, 6), "gloss ");
  const auto file = model_file();
  for (const auto& [key, text] : file.metadata())
    for (const std::string& path : {(job_ / "x").parent_path().filename().string(), std::string("train.source"),
                                    std::string("corpus/"), std::string("tmp")})
      EXPECT_THAT(text, Not(HasSubstr(path))) << key;
}

TEST_P(TrainTranslateTest, TheWrittenConfigHasEveryDefaultAndTheLimit) {
  job_.config.training.max_steps.reset();
  job_.config.training.max_epochs = 1;
  job_.run();
  const auto written = parse_json(text_of_file(job_ / "run/config.json"));
  EXPECT_EQ(written, to_json(job_.config));
  EXPECT_EQ(written, to_json(parse_run_config(written)));
}

TEST_P(TrainTranslateTest, TheProgressBarIsGoneAtTheEnd) {
  const auto ends = open_terminal();
  if (!ends) GTEST_SKIP() << "there are no pseudo-terminals here";
  const auto [terminal, line] = *ends;
  const int before = ::dup(STDERR_FILENO);
  ::dup2(line, STDERR_FILENO);
  ::setenv("TERM", "xterm", 1);
  set_up_log({});
  auto& data = job_.config.data;
  data.valid_source = data.valid_target = data.test_source = data.test_target = "";
  job_.config.training.max_steps = 50;  // the step report comes before the bar
  job_.run();
  ::dup2(before, STDERR_FILENO);
  set_up_log({});
  std::string shown(1 << 16, '\0');
  shown.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(terminal, shown.data(), shown.size()), 0)));
  for (const int descriptor : {terminal, line, before}) ::close(descriptor);
  const auto bar = shown.rfind("100 %  0 s left");
  ASSERT_NE(bar, shown.npos) << shown;
  EXPECT_NE(shown.find("\x1b[K", bar), shown.npos);
}

INSTANTIATE_DEVICES(TrainTranslateTest);

}  // namespace
}  // namespace gloss
