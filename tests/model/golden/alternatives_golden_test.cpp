#include <map>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alternatives/positions.h"
#include "model/batch_statistics.h"
#include "model/make_model.h"
#include "tests/model/golden/golden_case.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

/// The whole network with each alternative against PyTorch: tests/golden/alternatives.py.
class AlternativesGoldenTest : public DeviceTest {
 protected:
  AlternativesGoldenTest() { at::set_num_threads(1); }  // a second one has nothing to do at these sizes

  struct Case {
    std::string name;
    Json switches;
  };

  static std::vector<Case> cases();

  static EncoderDecoder build(const Case& test) {
    Json json{{"encoder_layers", 2}, {"decoder_layers", 2}, {"d_model", 8},   {"d_ff", 12},
              {"heads", 2},          {"max_positions", 7},  {"dropout", 0.0}, {"final_norm", true}};
    json.update(test.switches);
    if (json.value("architecture", "") == "recurrent") json.erase("final_norm");
    return make_uninitialized_model(read_model_config(ConfigSection(json, "model")), {11, 11});
  }

  const Golden golden_{"alternatives_golden.safetensors"};
};

std::vector<AlternativesGoldenTest::Case> AlternativesGoldenTest::cases() {
  std::vector<Case> cases;
  for (const std::string score : {"dot", "general", "additive", "cosine", "location"}) {
    cases.push_back({"attention_score." + score, {{"attention_score", score}}});
    for (const auto heads : {1, 4})
      cases.push_back({"attention_score." + score + ".heads." + std::to_string(heads),
                       {{"attention_score", score}, {"heads", heads}}});
  }
  for (const std::string positions : {"none", "rotary", "relative"})
    cases.push_back({"positions." + positions, {{"positions", positions}}});
  for (const std::string norm : {"batch", "rms", "none"})
    for (const std::string place : {"pre", "post"})
      cases.push_back(
          {"norm_type." + norm + "." + place, {{"norm_type", norm}, {"norm", place}, {"final_norm", place == "pre"}}});
  for (const std::string norm : {"batch", "rms"})
    for (const std::string place : {"pre", "post"})
      cases.push_back({"norm_type." + norm + "." + place + ".final_norm",
                       {{"norm_type", norm}, {"norm", place}, {"final_norm", place == "post"}}});
  for (const std::string activation : {"gelu_sigmoid", "swish", "glu", "swiglu"})
    cases.push_back({"activation." + activation, {{"activation", activation}}});
  cases.push_back({"self_attention_norm.query", {{"self_attention_norm", "query"}}});
  cases.push_back({"self_attention_norm.query.ssru",
                   {{"self_attention_norm", "query"}, {"decoder_layer", "ssru"}, {"final_norm", false}}});
  cases.push_back({"self_attention_norm.query.rms",
                   {{"self_attention_norm", "query"},
                    {"norm_type", "rms"},
                    {"positions", "relative"},
                    {"residual", false},
                    {"embedding_norm", true}}});
  cases.push_back({"residual.false", {{"residual", false}}});
  cases.push_back({"residual.false.post", {{"residual", false}, {"norm", "post"}, {"final_norm", false}}});
  cases.push_back({"encoder_mask.causal", {{"encoder_mask", "causal"}}});
  cases.push_back({"embedding_scale.one", {{"embedding_scale", "one"}}});
  cases.push_back({"position_frequencies.tensor2tensor", {{"position_frequencies", "tensor2tensor"}}});
  cases.push_back({"first_position.2", {{"first_position", 2}}});
  cases.push_back({"layer_norm_epsilon.0.01", {{"layer_norm_epsilon", 0.01}}});
  cases.push_back({"embedding_norm.true", {{"embedding_norm", true}}});
  cases.push_back({"d_ff_decoder.20", {{"d_ff_decoder", 20}, {"activation", "swiglu"}}});
  cases.push_back({"decoder_layer.ssru.pre", {{"decoder_layer", "ssru"}}});
  cases.push_back({"decoder_layer.ssru.post", {{"decoder_layer", "ssru"}, {"norm", "post"}, {"final_norm", false}}});
  for (const std::string tie : {"all", "decoder", "none"})
    cases.push_back({"decoder_start.zero." + tie, {{"decoder_start", "zero"}, {"tie_embeddings", tie}}});
  cases.push_back({"student",
                   {{"decoder_layer", "ssru"},
                    {"decoder_start", "zero"},
                    {"norm", "post"},
                    {"final_norm", false},
                    {"layer_norm_epsilon", 1e-6},
                    {"position_frequencies", "tensor2tensor"},
                    {"activation", "swish"},
                    {"d_ff_decoder", 20}}});
  cases.push_back({"several.ssru",
                   {{"decoder_layer", "ssru"},
                    {"positions", "relative"},
                    {"norm_type", "rms"},
                    {"embedding_norm", true},
                    {"layer_norm_epsilon", 0.01}}});
  cases.push_back({"several",
                   {{"attention_score", "cosine"},
                    {"positions", "relative"},
                    {"encoder_mask", "causal"},
                    {"norm_type", "rms"},
                    {"activation", "swiglu"}}});
  for (const std::string attention : {"additive", "none"})
    cases.push_back({"recurrent." + attention, {{"architecture", "recurrent"}, {"recurrent_attention", attention}}});
  return cases;
}

TEST_P(AlternativesGoldenTest, LogProbabilitiesAndEveryGradient) {
  const RandomStream random(1, "dropout");
  for (const auto& test : cases()) {
    auto model = build(test);
    const auto weights = set_named_weights(*model, "", device());
    auto passes = both_paths();
    if (test.switches.value("norm_type", "") != "batch") passes["training"] = {.training = true, .random = &random};
    for (const auto& [path, pass] : passes) {
      SCOPED_TRACE(path);
      // Without a norm, or with the running statistics of others, values grow from layer to layer, and so do the errors
      // of float32.
      const auto norm = test.switches.value("norm_type", "layer");
      const double tolerance = norm == "none" || norm == "batch" ? 5e-5 : 1e-5;
      expect_golden(golden_, test.name, log_probabilities(model, pass), weights, tolerance);
    }
  }
}

TEST_P(AlternativesGoldenTest, BatchNormInTrainingTakesTheStatisticsOfTheBatch) {
  const RandomStream random(1, "dropout");
  for (const std::string place : {"pre", "post"}) {
    auto model = build({"", {{"norm_type", "batch"}, {"norm", place}, {"final_norm", place == "pre"}}});
    const auto weights = set_named_weights(*model, "", device());
    BatchContext batch{pad(golden_sources(), device()).lengths, pad(golden_targets(), device()).lengths};
    expect_golden(golden_, "norm_type.batch." + place + ".training",
                  log_probabilities(model, {.training = true, .random = &random, .batch = &batch}), weights);
  }
}

TEST_P(AlternativesGoldenTest, StepsGiveTheSameLogProbabilities) {
  const at::NoGradGuard no_grad;
  const auto source = pad(golden_sources(), device());
  const auto input = shift_target(golden_targets(), device()).input;
  for (const auto& test : cases()) {
    auto model = build(test);
    set_named_weights(*model, "", device());
    auto generator = model->generator();
    auto cache = model->start(model->encode(source, {}), Mask::padding(source.lengths), {});
    std::vector<at::Tensor> steps;
    for (std::int64_t t = 0; t < input.ids.size(1); ++t)
      steps.push_back(generator(model->step(input.ids.narrow(1, t, 1), cache, {})));  // [B, V]
    EXPECT_THAT(real_positions(at::stack(steps, 1), input.lengths), AllClose(golden_.tensor(test.name, device()), 1e-5))
        << test.name;
  }
}

TEST_P(AlternativesGoldenTest, BucketsOfDistances) {
  for (const bool both : {true, false}) {
    const auto wanted = golden_.tensor(both ? "buckets.both" : "buckets.before", at::kCPU);
    for (std::int64_t distance = -200; distance <= 200; ++distance)
      EXPECT_EQ(relative_bucket(distance, both), wanted[distance + 200].item<std::int64_t>()) << distance;
  }
}

INSTANTIATE_DEVICES(AlternativesGoldenTest);

}  // namespace
}  // namespace gloss
