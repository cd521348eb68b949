#include "run/config/initial_weights.h"

#include <cmath>
#include <fstream>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/make_model.h"
#include "model/storage/model_file.h"
#include "run/config/read_run_file.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

class InitialWeightsTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_runtime(1);
    testing::internal::CaptureStderr();
  }
  void TearDown() override { testing::internal::GetCapturedStderr(); }

  /// Trains a run to start from, in the folder "first".
  void train_first() {
    job_.run();
    std::filesystem::rename(job_ / "run", job_ / "first");
    job_.config.training.start_from = job_ / "first";
  }
  RunConfig read(const std::string& text) const {
    std::ofstream(job_ / "run.json") << text;
    return read_run_config(job_ / "run.json", {});
  }
  std::map<std::string, std::string> model_bytes(const std::string& run) const {
    const auto file = SafetensorsFile::open(job_ / (run + "/model.safetensors"));
    std::map<std::string, std::string> bytes;
    for (const auto& [name, view] : file.tensors())
      bytes[name] = std::string(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
    return bytes;
  }
  std::string printed() {
    auto text = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    return text;
  }
  /// Returns the embedding that a run without a step writes: [V, D].
  at::Tensor embedding(const std::string& name) {
    job_.config.training.max_steps = 0;
    std::filesystem::remove_all(job_ / "run");
    job_.run();
    return read_model_file(job_ / "run/model.safetensors", at::kCPU).model->named_parameters()[name].detach();
  }
  void write_vectors(const std::string& name, const std::vector<std::string>& words, double first) {
    std::ofstream file(job_ / name);
    for (const auto& word : words) {
      file << word;
      for (int i = 0; i < 8; ++i) file << ' ' << first++;
      file << '\n';
    }
  }
  Id piece(const std::string& spelling) const {
    const auto tokenizer = SentencePieceTokenizer::load(job_ / "run/tokenizer.model");
    for (Id id = 0; id < tokenizer->vocabulary_size(); ++id)
      if (tokenizer->piece(id) == spelling) return id;
    ADD_FAILURE() << "no piece " << spelling;
    return 0;
  }

  SmallJob job_{device()};
};

TEST_P(InitialWeightsTest, ARunStartsFromTheWeightsOfAModelWithAFreshOptimizer) {
  train_first();
  job_.config.training.max_steps = 0;
  job_.run();
  EXPECT_EQ(model_bytes("run"), model_bytes("first"));

  std::filesystem::remove_all(job_ / "run");
  job_.config.training.max_steps = 1;
  job_.config.seed = 9;
  EXPECT_EQ(job_.run().steps, 1);
  EXPECT_NE(model_bytes("run"), model_bytes("first"));
  EXPECT_EQ(model_bytes("run").at("tokenizer.model"), model_bytes("first").at("tokenizer.model"));
  const auto file = SafetensorsFile::open(job_ / "run/model.safetensors");
  const auto first = SafetensorsFile::open(job_ / "first/model.safetensors");
  EXPECT_EQ(parse_json(file.metadata().at("provenance")).at("training.start_from"), first.metadata().at("sha256"));
  EXPECT_THAT(file.metadata().at("config"), Not(HasSubstr("start_from"))) << "no path of the user's";
}

TEST_P(InitialWeightsTest, ARunFileNeedsOnlyDataAndTheModel) {
  train_first();
  const auto config = read(R"({"data": {"train_source": "corpus/train.source", "train_target": "corpus/train.target"},
                               "training": {"start_from": "first", "max_steps": 0}})");
  EXPECT_EQ(to_json(config.model), to_json(job_.config.model));
  EXPECT_EQ(to_json(config.tokenizer), to_json(job_.config.tokenizer));
  EXPECT_EQ(to_json(config.decoding), to_json(job_.config.decoding));
  EXPECT_EQ(config.data.batch_tokens, 1024) << "the default of a second training on a small text";
  EXPECT_EQ(config.training.start_from, (job_ / "first").string());
  job_.config = config;
  job_.run();
  EXPECT_EQ(model_bytes("run"), model_bytes("first"));
}

TEST_P(InitialWeightsTest, TwoTokenizersComeWithTheModelToo) {
  job_.use_two_tokenizers(TieEmbeddings::kNone);
  train_first();
  job_.config = read(R"({"data": {"train_source": "corpus/train.source", "train_target": "corpus/train.target"},
                         "training": {"start_from": "first/model.safetensors", "max_steps": 0}})");
  EXPECT_FALSE(job_.config.tokenizer.joint);
  job_.run();
  EXPECT_EQ(model_bytes("run"), model_bytes("first"));
}

// check-data and doctor need the tokenizers of a model only. Weights that are not finite show that no model was made.
TEST_P(InitialWeightsTest, TheTokenizersOfAModelAreReadWithoutItsWeights) {
  train_first();
  auto model = read_model_file(job_ / "first/model.safetensors", at::kCPU);
  model.model->named_parameters()["generator.bias"].detach().fill_(std::nan(""));
  write_model_file(job_ / "first/model.safetensors", model.model, model.description);
  EXPECT_THROW(InitialWeights(job_.config), ModelError);
  const auto [source, target] = configured_tokenizers(job_.config);
  EXPECT_EQ(source->serialized(), model.description.tokenizers.at(kJointTokenizer));
  EXPECT_EQ(source, target);

  job_.config.model.d_ff = 8;
  EXPECT_THAT([&] { configured_tokenizers(job_.config); }, ThrowsMessage<UsageError>(HasSubstr("model.d_ff is 16")));
}

TEST_P(InitialWeightsTest, KeysThatContradictTheModelAreNamed) {
  train_first();
  const auto refused = [&](const std::string& sections) {
    return [this, sections] { read("{" + sections + R"(, "training": {"start_from": "first"}})"); };
  };
  EXPECT_THAT(refused(R"("model": {"d_model": 16, "heads": 2, "norm": "post"})"),
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("run.json: training.start_from: model.d_model is 8 there and 16 here, model.norm is "
                                  "\"pre\" there and \"post\" here; remove these keys"),
                        Not(HasSubstr("heads")))));
  EXPECT_THAT(refused(R"("model": {"d_ff_decoder": 24})"),
              ThrowsMessage<UsageError>(HasSubstr("model.d_ff_decoder is 16 there and 24 here")));
  EXPECT_THAT(refused(R"("tokenizer": {"type": "bpe"})"), ThrowsMessage<UsageError>(HasSubstr("tokenizer.type is")));
  EXPECT_THAT(refused(R"("model": 3)"), ThrowsMessage<UsageError>(HasSubstr("model: wanted an object")));
  EXPECT_THAT(refused(R"("model": {"d_modle": 8})"), ThrowsMessage<UsageError>(HasSubstr("did you mean")));
  job_.config.model.d_ff = 24;  // as in a call of a library
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<UsageError>(HasSubstr("model.d_ff is 16 there and 24 here")));
  EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
}

TEST_P(InitialWeightsTest, DropoutAndSearchMayDiffer) {
  train_first();
  const auto config = read(R"({"model": {"dropout": 0.3, "max_positions": 7}, "decoding": {"beam_size": 3},
                               "training": {"start_from": "first"}})");
  EXPECT_EQ(config.model.dropout, 0.3);
  EXPECT_EQ(config.model.dropout_on_attention(), 0.3) << "follows dropout, not the model";
  EXPECT_EQ(config.model.d_model, 8);
  EXPECT_EQ(config.decoding.beam_size, 3);
  EXPECT_EQ(config.decoding.max_length, 6);
}

TEST_P(InitialWeightsTest, AnotherTokenizerIsRefusedTheSameIsNot) {
  train_first();
  job_.config.training.max_steps = 0;
  job_.config.tokenizer.model_file = job_ / "first/tokenizer.model";
  EXPECT_NO_THROW(job_.run());
  std::filesystem::remove_all(job_ / "run");
  write_lines(job_ / "other.model", {"another"});
  job_.config.tokenizer.model_file = job_ / "other.model";
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<UsageError>(HasSubstr("tokenizer.model_file")));
  job_.config.tokenizer.model_file = job_ / "none.model";
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<DataError>(HasSubstr("none.model")));
  EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
}

TEST_P(InitialWeightsTest, AFileThatIsMissingOrNoModelIsRefused) {
  const auto refused = [&](const std::string& path) {
    return [this, path] { read(R"({"training": {"start_from": ")" + path + R"("}})"); };
  };
  EXPECT_THAT(refused("none"), ThrowsMessage<DataError>(HasSubstr("training.start_from names this file")));
  write_lines(job_ / "text", {"Call me Ishmael, some years ago"});
  EXPECT_THAT(refused("text"), ThrowsMessage<ModelError>(HasSubstr("text")));
  train_first();
  EXPECT_THAT(refused("first/checkpoints/step-00000002.safetensors"),
              ThrowsMessage<ModelError>(HasSubstr("training.start_from names a checkpoint; wanted a model file")));
  EXPECT_THAT(refused("first/checkpoints"), ThrowsMessage<DataError>(HasSubstr("it is not there")));
}

TEST_P(InitialWeightsTest, TheRunFileIsReadByTheModelsHeaderAndTheRunByAllOfIt) {
  train_first();
  const auto model = text_of_file(job_ / "first/model.safetensors");
  std::ofstream(job_ / "first/model.safetensors", std::ios::binary) << model.substr(0, model.size() - 1) << 'x';
  job_.config = read(R"({"data": {"train_source": "corpus/train.source", "train_target": "corpus/train.target"},
                         "training": {"start_from": "first", "max_steps": 0}})");
  EXPECT_EQ(job_.config.model.d_model, 8);
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<ModelError>(HasSubstr("the file is damaged")));
}

TEST_P(InitialWeightsTest, AResumedRunNeedsNeitherTheModelNorItsTokenizer) {
  train_first();
  job_.config = read(R"({"data": {"train_source": "corpus/train.source", "train_target": "corpus/train.target"},
                         "tokenizer": {"model_file": "first/tokenizer.model"},
                         "training": {"start_from": "first", "max_steps": 4}})");
  job_.run();
  const auto metadata = [&] { return SafetensorsFile::open(job_ / "run/model.safetensors").metadata(); };
  const auto unbroken = model_bytes("run");
  const auto unbroken_metadata = metadata();

  std::filesystem::remove_all(job_ / "run");
  job_.config.training.max_steps = 2;
  job_.run();
  std::filesystem::remove_all(job_ / "first");
  EXPECT_THROW(read_run_config(job_ / "run.json", {}), DataError);
  EXPECT_THROW(read_run_config(job_ / "run.json", {}, job_ / "first"), DataError);
  job_.config = read_run_config(job_ / "run.json", {}, job_ / "run");
  EXPECT_EQ(job_.run(/*resume=*/true).steps, 4);
  EXPECT_EQ(model_bytes("run"), unbroken);
  EXPECT_EQ(metadata(), unbroken_metadata) << "where the weights came from, too";

  std::filesystem::remove_all(job_ / "run");
  EXPECT_THAT([&] { job_.run(/*resume=*/true); },
              ThrowsMessage<DataError>(HasSubstr("training.start_from names this file, but it is not there")));
}

TEST_P(InitialWeightsTest, AResumedRunIsRefusedAnotherModel) {
  train_first();
  job_.run();
  job_.config.training.max_steps = 3;
  EXPECT_EQ(job_.run(/*resume=*/true).steps, 3);
  auto other = SmallJob(device());
  other.config.seed = 4;
  other.run();
  std::filesystem::copy(other / "run/model.safetensors", job_ / "first/model.safetensors",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT([&] { job_.run(/*resume=*/true); }, ThrowsMessage<UsageError>(HasSubstr("training.start_from")));
}

TEST_P(InitialWeightsTest, FrozenPartsStayAndAResumedRunHasTheBitsOfAnUnbrokenOne) {
  train_first();
  job_.config.training.freeze = {"encoder", "generator.bias"};
  job_.config.training.average_last = 2;
  job_.config.training.save_every = 1;
  job_.config.training.max_steps = 4;
  job_.run();
  const auto unbroken = model_bytes("run");
  for (const auto& [name, bytes] : model_bytes("first"))
    EXPECT_EQ(unbroken.at(name) == bytes,
              name.starts_with("encoder.") || name == "generator.bias" || name == "tokenizer.model")
        << name;
  const auto checkpoint = SafetensorsFile::open(job_ / "run/checkpoints/step-00000004.safetensors");
  EXPECT_TRUE(checkpoint.tensors().contains("encoder.norm.weight"));
  EXPECT_TRUE(checkpoint.tensors().contains("adam.m.decoder.norm.weight"));
  EXPECT_FALSE(checkpoint.tensors().contains("adam.m.encoder.norm.weight"));

  std::filesystem::remove_all(job_ / "run");
  job_.config.training.max_steps = 2;
  job_.run();
  job_.config.training.max_steps = 4;
  job_.run(/*resume=*/true);
  EXPECT_EQ(model_bytes("run"), unbroken);
  EXPECT_THAT(printed(), HasSubstr("are trained"));

  job_.config.training.freeze = {"encoder"};
  EXPECT_THAT([&] { job_.run(/*resume=*/true); }, ThrowsMessage<UsageError>(HasSubstr("training.freeze")));
  job_.config.training.freeze = {"encoders"};
  EXPECT_THAT([&] { job_.run(/*resume=*/true); }, ThrowsMessage<UsageError>(HasSubstr("did you mean \"encoder\"?")));
}

TEST_P(InitialWeightsTest, VectorsTakeThePlaceOfDrawnRowsInTheScaleOfThose) {
  job_.config.model.tie_embeddings = TieEmbeddings::kNone;
  const auto drawn = embedding("target_embedding.weight");
  write_vectors("vectors", {"a", "b"}, 1);
  job_.config.training.initial_embeddings.target = job_ / "vectors";
  const auto taken = embedding("target_embedding.weight");
  EXPECT_THAT(printed(), HasSubstr("training.initial_embeddings.target: vectors for 2 of "));
  const auto a = piece("a"), b = piece("b");
  const auto rows = at::stack({taken[a], taken[b]});
  const auto file = at::arange(1, 17, at::kFloat).view({2, 8});
  EXPECT_NEAR(rows.square().mean().item<double>(), 1.0 / 8, 1e-6);
  EXPECT_TRUE(at::allclose(rows / rows[0][0], file, 1e-5)) << "directions and relative lengths are the file's";
  for (Id id = 0; id < taken.size(0); ++id) EXPECT_EQ(at::equal(taken[id], drawn[id]), id != a && id != b) << id;
  const auto source = embedding("source_embedding.weight");
  job_.config.training.initial_embeddings.target = "";
  EXPECT_TRUE(at::equal(source, embedding("source_embedding.weight")));
}

TEST_P(InitialWeightsTest, OneTiedMatrixTakesBothFilesTheSourcesFirst) {
  write_vectors("source", {"a", "b"}, 1);
  write_vectors("target", {"b", "e"}, 100);
  auto& files = job_.config.training.initial_embeddings;
  files = {job_ / "source", job_ / "target"};
  const auto both = embedding("source_embedding.weight");
  files.target = "";
  const auto source = embedding("source_embedding.weight");
  files = {"", job_ / "target"};
  const auto target = embedding("source_embedding.weight");
  EXPECT_TRUE(at::equal(both[piece("a")], source[piece("a")]));
  EXPECT_TRUE(at::equal(both[piece("b")], source[piece("b")]));
  EXPECT_TRUE(at::equal(both[piece("e")], target[piece("e")]));
}

TEST_P(InitialWeightsTest, VectorsBelongToTheIdentityOfARun) {
  write_vectors("vectors", {"a", "b"}, 1);
  job_.config.training.initial_embeddings.source = job_ / "vectors";
  job_.run();
  EXPECT_THAT(text_of_file(job_ / "run/model.safetensors"), Not(HasSubstr("\"vectors\"")));
  job_.config.training.max_steps = 3;
  EXPECT_EQ(job_.run(/*resume=*/true).steps, 3);
  write_vectors("vectors", {"a", "b"}, 2);
  EXPECT_THAT([&] { job_.run(/*resume=*/true); },
              ThrowsMessage<UsageError>(HasSubstr("training.initial_embeddings.source")));
  std::filesystem::remove(job_ / "vectors");
  job_.config.training.max_steps = 4;
  EXPECT_EQ(job_.run(/*resume=*/true).steps, 4) << "the checkpoint has the weights";
  EXPECT_THAT(text_of_file(job_ / "run/model.safetensors"), HasSubstr("training.initial_embeddings.source"));
}

TEST_P(InitialWeightsTest, OddVectorsAreReported) {
  auto& files = job_.config.training.initial_embeddings;
  files.source = job_ / "none";
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<DataError>(HasSubstr("initial_embeddings.source names this file")));
  files.source = job_ / "zeros";
  write_lines(files.source, {"a 0 0 0 0 0 0 0 0"});
  EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<DataError>(HasSubstr("got zeros")));
  EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
  write_lines(files.source, {"3 8", "a 1 2 3 4 5 6 7 8"});
  job_.run();
  EXPECT_THAT(printed(), HasSubstr("announces 3 words, but 1 follow"));
  job_.config.training.start_from = job_ / "run";
  EXPECT_THAT([&] { job_.run(); },
              ThrowsMessage<UsageError>(HasSubstr("training.initial_embeddings: wanted no files")));
}

INSTANTIATE_DEVICES(InitialWeightsTest);

// Returns a model's run file with as few defaults as possible.
RunConfig config_of_model() {
  auto config = parse_run_config(parse_json(R"({
    "tokenizer": {"vocabulary_size": 99, "type": "unigram", "model_file": "somewhere"},
    "model": {"d_model": 24, "heads": 3, "dropout": 0.2, "attention_dropout": 0.1, "feed_forward_dropout": 0.15},
    "decoding": {"beam_size": 7}, "evaluation": {"tokenize": "zh"}})"));
  return config;
}

Json completed(const std::string& run_file) {
  auto json = parse_json(run_file);
  complete_from(config_of_model(), json);
  return json;
}

TEST(CompleteFromTest, EverySectionThatTheRunFileLeavesOutIsTheModels) {
  const auto config = parse_run_config(completed("{}"));
  const auto model = config_of_model();
  EXPECT_EQ(to_json(config.model), to_json(model.model));
  EXPECT_EQ(to_json(config.decoding), to_json(model.decoding));
  EXPECT_EQ(to_json(config.evaluation), to_json(model.evaluation));
  EXPECT_EQ(config.tokenizer.vocabulary_size, 99);
  EXPECT_EQ(config.tokenizer.type, TokenizerType::kUnigram);
  EXPECT_EQ(config.tokenizer.model_file, "") << "its pieces come with it";
}

TEST(CompleteFromTest, TheRunFileMaySetSearchAndScores) {
  const auto config = parse_run_config(completed(R"({"decoding": {"beam_size": 2, "n_best": 2}})"));
  EXPECT_EQ(config.decoding.beam_size, 2);
  EXPECT_EQ(config.decoding.n_best, 2);
  EXPECT_EQ(to_json(config.evaluation), to_json(config_of_model().evaluation));
}

TEST(CompleteFromTest, OneDropoutInTheRunFileStandsForAll) {
  for (const std::string key : {"dropout", "attention_dropout", "feed_forward_dropout"}) {
    const auto model = completed(R"({"model": {")" + key + R"(": 0.3}})").at("model");
    for (const auto* other : {"dropout", "attention_dropout", "feed_forward_dropout"})
      EXPECT_EQ(model.contains(other), other == key) << other << " beside " << key;
    EXPECT_EQ(model.at("heads"), 3);
  }
}

TEST(CompleteFromTest, EveryDifferenceOfModelAndTokenizerIsNamed) {
  EXPECT_THAT([] { completed(R"({"model": {"d_model": 32, "heads": 3}, "tokenizer": {"type": "bpe"}})"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("model.d_model is 24 there and 32 here, tokenizer.type is"),
                                              Not(HasSubstr("heads")))));
}

TEST(CompleteFromTest, MaxPositionsMattersIfPositionsAreLearned) {
  EXPECT_NO_THROW(completed(R"({"model": {"max_positions": 7}})"));
  auto model = config_of_model();
  model.model.positions = Positions::kLearned;
  auto run_file = parse_json(R"({"model": {"max_positions": 7}})");
  EXPECT_THAT([&] { complete_from(model, run_file); }, ThrowsMessage<UsageError>(HasSubstr("model.max_positions is")));
}

}  // namespace
}  // namespace gloss
