#include <map>
#include <string>

#include <gtest/gtest.h>

#include "model/make_model.h"
#include "model/storage/model_file.h"
#include "model/storage/stored_weights.h"
#include "tests/support/temporary_folder.h"
#include "training/adam.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

/// The configuration with the most tensors that validate() accepts.
ModelConfig deepest_config() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 1000;
  config.d_model = config.d_ff = config.heads = 1;
  config.max_positions = 8;
  config.norm = NormPlace::kPre;
  config.positions = Positions::kLearned;
  config.tie_embeddings = TieEmbeddings::kNone;
  config.validate();
  return config;
}

TEST(DeepestModelTest, SaveAndLoadRoundTrip) {
  const TemporaryFolder folder;
  const auto config = deepest_config();
  auto model = make_model(config, {8, 8}, RandomStream(1, "weights"));
  const std::string pieces = "pieces";
  const auto path = folder / "model.safetensors";
  write_model_file(path, model, {{{"model", to_json(config)}}, Json::object(), {{kJointTokenizer, pieces}}},
                   WeightPrecision::kInt8);
  const auto stored = SafetensorsFile::open(path);
  EXPECT_EQ(to_json(read_model_contents(stored).config), to_json(config));

  TrainingConfig training;
  training.ema_decay = 0.9;
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  for (const auto& item : model->named_parameters()) parameters.emplace_back(item.key(), item.value());
  Adam adam(parameters, training);
  const auto tensors = checkpoint_tensors(adam);
  EXPECT_EQ(tensors.size(), 4 * parameters.size());
  EXPECT_GT(tensors.size(), 168'000u);
  std::map<std::string, at::Tensor> kept;
  std::map<std::string, TensorView> views;
  for (const auto& [name, tensor] : tensors) views.emplace(name, view_of(kept[name] = tensor.detach().contiguous()));
  CheckpointFolder checkpoints(folder / "checkpoints", 1);
  TrainingState state;
  state.step = 1;
  checkpoints.save(views, state);
  const auto newest = checkpoints.newest();
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->file.tensors().size(), tensors.size());
  EXPECT_NO_THROW(restore(adam, newest->file));
}

}  // namespace
}  // namespace gloss
