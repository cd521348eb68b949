#include <array>
#include <vector>

#include <ATen/Functions.h>

#include "benchmarks/study/figures.h"
#include "common/special_ids.h"
#include "training/label_smoothing.h"
#include "training/schedule.h"

namespace gloss::study {

Json smoothing_curve(std::int64_t vocabulary, double epsilon) {
  const auto wanted = at::full({1}, kPad + 1, at::kLong);
  // The loss is -sum(distribution * log p), so its gradient by log p is the negative distribution.
  auto log_p = at::zeros({1, vocabulary}, at::kDouble).requires_grad_();
  label_smoothed_loss(log_p, wanted, epsilon).smoothed_sum.backward();
  Json distribution = Json::array();
  for (std::int64_t token = 0; token < vocabulary; ++token)
    distribution.push_back(-log_p.grad()[0][token].item<double>());

  Json rows = Json::array();
  for (int x = 1; x <= 100; ++x) {
    const auto others = static_cast<double>(vocabulary - 1);
    auto p = at::full({1, vocabulary}, 1 / (x + others), at::kDouble);
    p[0][kPad + 1] = x / (x + others);
    const auto loss = label_smoothed_loss(p.log(), wanted, epsilon);
    rows.push_back({{"x", x},
                    {"probability", x / (x + others)},
                    {"smoothed", loss.smoothed_sum.item<double>()},
                    {"unsmoothed", loss.nll_sum.item<double>()}});
  }
  return {{"vocabulary", vocabulary}, {"epsilon", epsilon}, {"distribution", distribution}, {"rows", rows}};
}

Json rate_curves(std::int64_t updates, std::int64_t interval) {
  constexpr std::array<std::array<std::int64_t, 2>, 3> kSettings = {{{512, 4000}, {512, 8000}, {256, 4000}}};
  Json curves = Json::array();
  for (const auto& [d_model, warmup] : kSettings) {
    TrainingConfig config;
    config.warmup_steps = warmup;
    Json rates = Json::array();
    for (std::int64_t step = 1; step <= updates; step += interval)
      rates.push_back({step, learning_rate(config, d_model, step)});
    curves.push_back(
        {{"d_model", d_model}, {"warmup", warmup}, {"peak", learning_rate(config, d_model, warmup)}, {"rates", rates}});
  }
  return {{"curves", curves}};
}

}  // namespace gloss::study
