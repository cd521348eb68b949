// Prints the numbers of the pictures in docs/annotated as JSON: scripts/annotate.sh draws them. Each number is computed
// by the functions of model/ and training/ that the page explains, and each is checked here against its formula.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "common/config/json.h"
#include "common/special_ids.h"
#include "model/attention.h"
#include "model/dropout.h"
#include "model/layer_norm.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "training/adam.h"
#include "training/label_smoothing.h"
#include "training/schedule.h"

namespace {

using namespace gloss;

bool failed = false;

void check(bool condition, const char* name) {
  if (condition) return;
  std::fprintf(stderr, "annotated_figures: %s is not as its formula\n", name);
  failed = true;
}

bool near(double a, double b, double error = 1e-5) { return std::abs(a - b) <= error; }

/// A vector as a list, a matrix as a list of rows.
Json to_json(const at::Tensor& x) {
  if (x.dim() == 0) return x.item<double>();
  Json rows = Json::array();
  for (std::int64_t i = 0; i < x.size(0); ++i) rows.push_back(to_json(x[i]));
  return rows;
}

at::Tensor normal(const RandomStream& random, at::IntArrayRef shape) {
  auto x = at::empty(shape, at::kFloat);
  for (std::int64_t i = 0; i < x.numel(); ++i)
    x.mutable_data_ptr<float>()[i] = static_cast<float>(random.normal(static_cast<std::uint64_t>(i)));
  return x;
}

/// Stores the weights of an attention.
class Recorder final : public Probe {
 public:
  void attention(std::string_view, at::Tensor& weights, const at::Tensor&) override {
    weights_ = weights[0][0].clone();
  }

  at::Tensor weights_;  ///< [T, S]
};

/// One head of two queries and three keys.
Json worked_attention() {
  const auto matrix = [](std::vector<float> values, std::int64_t rows) {
    return at::tensor(values).view({1, 1, rows, -1});
  };
  const auto query = matrix({2, 0, 1, 1, 0, 2, 1, -1}, 2);                 // [1, 1, T, d_k]
  const auto key = matrix({1, 1, 0, 0, 2, 0, 1, 1, 0, 2, 0, 2}, 3);        // [1, 1, S, d_k]
  const auto value = matrix({10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 10, 10}, 3);  // [1, 1, S, d_k]
  Recorder scaled;
  const Pass pass{.probe = &scaled, .plain = true};
  const auto scores = scaled_dot_scores(query, key);  // [1, 1, T, S]
  const auto output = attend_by_scores(scores, value, Mask::unmasked(), {pass, "scaled"});
  const auto products = query[0][0].matmul(key[0][0].t());
  check(near((scores[0][0] * 2 - products).abs().max().item<double>(), 0), "a score");
  return {{"query", to_json(query[0][0])},  {"key", to_json(key[0][0])},       {"value", to_json(value[0][0])},
          {"products", to_json(products)},  {"scores", to_json(scores[0][0])}, {"weights", to_json(scaled.weights_)},
          {"output", to_json(output[0][0])}};
}

/// The softmax over 32 random keys with and without the division by sqrt(d_k), means over 256 queries: the variance of
/// the scores, the greatest weight, the entropy in nats, and the sum of the softmax's derivatives d w_i / d s_i.
Json scaling() {
  constexpr std::int64_t kQueries = 256, kKeys = 32;
  Json result = Json::array();
  for (const std::int64_t d_k : {1, 4, 16, 64, 256, 1024}) {
    const RandomStream random(1, "scaling." + std::to_string(d_k));
    const auto query = normal(random.stream("query"), {1, 1, kQueries, d_k});
    const auto key = normal(random.stream("key"), {1, 1, kKeys, d_k});
    Json row{{"d_k", d_k}};
    for (const bool with_scaling : {false, true}) {
      Recorder recorder;
      const Pass pass{.probe = &recorder, .plain = true};
      const double undone = with_scaling ? 1 : std::sqrt(static_cast<double>(d_k));  // takes the division back
      const auto scores = scaled_dot_scores(query * undone, key);
      attend_by_scores(scores, key, Mask::unmasked(), {pass, "scaling"});
      const auto& w = recorder.weights_;
      row[with_scaling ? "scaled" : "unscaled"] = {
          {"variance", scores.var().item<double>()},
          {"greatest", w.amax(-1).mean().item<double>()},
          {"entropy", -(w * w.clamp_min(1e-30).log()).sum(-1).mean().item<double>()},
          {"slope", (w * (1 - w)).sum(-1).mean().item<double>()}};
    }
    check(d_k < 16 || near(row["scaled"]["variance"], 1, 0.4), "the variance of scaled scores");
    result.push_back(row);
  }
  return result;
}

Json masks() {
  const auto visible = [](const Mask& mask, std::int64_t T, std::int64_t S, std::int64_t sentence) {
    return to_json(mask.visible(T, S, at::kCPU)[sentence][0].expand({T, S}).to(at::kInt));
  };
  return {{"causal", visible(Mask::causal(), 8, 8, 0)},
          {"padding", {visible(Mask::padding({8, 5}), 8, 8, 0), visible(Mask::padding({8, 5}), 8, 8, 1)}},
          {"cached", visible(Mask::causal(), 1, 8, 0)}};
}

/// The sinusoids, the product of two positions by their distance, and how much the encoder notes of an order.
Json positions() {
  const auto table = sinusoids(0, 64, 64);                    // [T, D]
  const auto product = table.matmul(table.t()).select(0, 0);  // [T]
  check(near(product[0].item<double>(), 32, 1e-3), "the squared norm of a position");

  ModelConfig config;
  config.encoder_layers = 2;
  config.d_model = 64;
  config.d_ff = 128;
  config.heads = 4;
  Encoder encoder(config);
  initialize(*encoder, RandomStream(1, "encoder"));
  const Pass pass{.plain = true};
  const auto x = normal(RandomStream(1, "tokens"), {1, 6, 64});
  const auto order = at::tensor(std::vector<std::int64_t>{3, 0, 5, 1, 4, 2});
  const auto places = sinusoids(0, 6, 64);
  const auto difference = [&](const at::Tensor& p) {
    const auto straight = encoder(x + p, Mask::unmasked(), pass).index_select(1, order);
    const auto shuffled = encoder(x.index_select(1, order) + p, Mask::unmasked(), pass);
    return (straight - shuffled).abs().max().item<double>();
  };
  const auto without = difference(at::zeros({6, 64})), with = difference(places);
  check(without < 1e-4 && with > 0.1, "the effect of order");
  return {
      {"table", to_json(table)}, {"product", to_json(product)}, {"shuffled_without", without}, {"shuffled_with", with}};
}

Json rates() {
  Json curves = Json::array();
  for (const auto& [d_model, warmup] : {std::pair<std::int64_t, std::int64_t>{512, 4000}, {512, 8000}, {256, 4000}}) {
    TrainingConfig config;
    config.warmup_steps = warmup;
    Json steps = Json::array(), values = Json::array();
    for (std::int64_t step = 1; step <= 20001; step += 100) {
      steps.push_back(step);
      values.push_back(learning_rate(config, d_model, step));
    }
    const double peak = learning_rate(config, d_model, warmup);
    check(near(peak, std::pow(static_cast<double>(d_model * warmup), -0.5)), "the peak of the rate");
    curves.push_back({{"d_model", d_model}, {"warmup", warmup}, {"peak", peak}, {"steps", steps}, {"values", values}});
  }
  return curves;
}

/// Label smoothing: minus the gradient of the loss by the log-probabilities is the target distribution.
Json smoothing() {
  constexpr std::int64_t kPieces = 5;
  const double epsilon = 0.4;
  const auto targets = at::tensor(std::vector<std::int64_t>{2, 1, kPad, 3, 4});
  const auto log_p = at::zeros({5, kPieces}).requires_grad_();
  label_smoothed_loss(log_p, targets, epsilon).smoothed_sum.backward();
  const auto distribution = -log_p.grad();  // [N, V]
  check(near(distribution[0].sum().item<double>(), 1) && near(distribution[2].sum().item<double>(), 0),
        "a smoothed target");

  Json curves = Json::array();
  for (const double each : {0.0, 0.1, 0.4}) {
    Json p = Json::array(), loss = Json::array();
    for (int i = 1; i < 200; ++i) {
      const double right = i < 180 ? i / 200.0 : 0.9 + 0.0999 * (i - 180) / 20;  // probability of the right piece
      auto row = at::ones({1, kPieces}) * ((1 - right) / (kPieces - 1));
      row[0][2] = right;
      p.push_back(right);
      loss.push_back(label_smoothed_loss(row.log(), targets.narrow(0, 0, 1), each).smoothed_sum.item<double>());
    }
    curves.push_back({{"epsilon", each}, {"p", p}, {"loss", loss}});
  }
  return {
      {"epsilon", epsilon}, {"targets", to_json(targets)}, {"distribution", to_json(distribution)}, {"curves", curves}};
}

Json norms() {
  const auto x = at::tensor(std::vector<float>{1, 2, 4, 2, 3, 4, 10, 20, 40}).view({3, 3});
  LayerNorm norm(3);
  const auto y = norm(x, Pass{.plain = true});
  check(near(y.mean(-1).abs().max().item<double>(), 0), "the mean of a norm");
  return {{"x", to_json(x)}, {"y", to_json(y)}};
}

Json dropped() {
  const RandomStream random = RandomStream(1, "dropout").at(1);
  const auto x = at::ones({12, 32});
  const auto y = dropout(x, 0.1, Pass{.training = true, .random = &random, .plain = true}, "site");
  const double zeros = y.eq(0).to(at::kFloat).mean().item<double>();
  check(near(y.max().item<double>(), 1 / 0.9), "a kept element");
  return {{"values", to_json(y)}, {"zeros", zeros}, {"mean", y.mean().item<double>()}};
}

/// Root mean squares: of the two terms of the network's input, and of a map of random vectors by Glorot's weights.
Json first_weights() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 1;
  const auto model = make_model(config, {1000, 1000}, RandomStream(1, "weights"));
  const at::NoGradGuard no_grad;
  const auto weights = model->named_parameters();
  const auto root_mean_square = [](const at::Tensor& x) { return x.square().mean().sqrt().item<double>(); };
  const auto x = normal(RandomStream(1, "x"), {100, 512});
  const auto embedding = weights["source_embedding.weight"].slice(0, kSpecialIds) * std::sqrt(512.0);
  Json result{{"embedding", root_mean_square(embedding)},
              {"position", root_mean_square(sinusoids(0, 50, 512))},
              {"matrix", root_mean_square(x.matmul(weights["encoder.layers.0.self_attention.query.weight"].t()))}};
  check(near(result["embedding"], 1, 0.01) && near(result["matrix"], 1, 0.05), "the deviation of first weights");
  return result;
}

/// Adam's first steps for two parameters whose gradients differ by a factor of 100.
Json adam_steps() {
  auto large = at::zeros({1}).requires_grad_(), small = at::zeros({1}).requires_grad_();
  Adam adam({{"large", large}, {"small", small}}, TrainingConfig{});
  Json rows = Json::array();
  for (std::int64_t step = 1; step <= 3; ++step) {
    adam.set_gradients(gradients_of((large + 0.01 * small).sum(), adam.trained()));
    adam.step({.step = step, .learning_rate = 0.001});
    rows.push_back({{"step", step}, {"large", large.item<double>()}, {"small", small.item<double>()}});
  }
  check(near(large.item<double>(), small.item<double>(), 1e-7), "a step of Adam");
  return rows;
}

/// The greatest difference between decoding with a cache and the decoder on all tokens at once.
Json cache() {
  ModelConfig config;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 64;
  config.d_ff = 128;
  config.heads = 4;
  auto model = make_model(config, {30, 30}, RandomStream(1, "weights"));
  const at::NoGradGuard no_grad;
  const Pass pass{.plain = true};
  const auto source = pad(std::vector<Ids>{{5, 6, 7, 8, 9, kEos}}, at::kCPU);
  const Ids target{kBos, 11, 12, 13, 14, 15, 16, 17, 18};
  const auto mask = Mask::padding(source.lengths);
  const auto memory = model->encode(source, pass);
  auto state = model->start(memory, mask, pass);
  const auto whole = model->decode(pad(std::vector<Ids>{target}, at::kCPU), memory, mask, pass);  // [1, T, D]
  double difference = 0;
  for (std::size_t t = 0; t < target.size(); ++t) {
    const auto token = at::tensor(std::vector<std::int64_t>{target[t]}).view({1, 1});
    const auto step = model->step(token, state, pass);  // [1, D]
    difference = std::max(difference, (step[0] - whole[0][static_cast<std::int64_t>(t)]).abs().max().item<double>());
  }
  check(difference < 1e-4, "a cached step");
  return {{"tokens", target.size()}, {"difference", difference}};
}

}  // namespace

int main() {
  Json figures{{"attention", worked_attention()},
               {"scaling", scaling()},
               {"masks", masks()},
               {"positions", positions()},
               {"rates", rates()},
               {"smoothing", smoothing()},
               {"norm", norms()},
               {"dropout", dropped()},
               {"weights", first_weights()},
               {"adam", adam_steps()},
               {"cache", cache()}};
  ModelConfig base;
  figures["parameters"] = count_parameters(base, {37000, 37000});
  std::printf("%s\n", to_text(figures).c_str());
  return failed ? 1 : 0;
}
