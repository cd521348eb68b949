#pragma once

#include <cstdint>
#include <vector>

#include "common/config/json.h"
#include "model/model_config.h"

/// The measurements of docs/study.md that no command of gloss makes, on the classes that train and translate. Each
/// returns one JSON object, which scripts/study stores as a line of docs/study/results.jsonl. Weights and inputs are
/// random numbers of a fixed seed, and everything but seconds is the same in each run.
namespace gloss::study {

/// Attention between `positions` queries and keys whose elements are independent and of variance 1, for each width d_k,
/// with and without the division by sqrt(d_k): variance of the scores, entropy of the weights in nats, the mean of the
/// largest weight, and mean and median of the absolute gradient of a score. The gradient of a weight has variance 1.
Json attention_scores(const std::vector<std::int64_t>& widths, std::int64_t positions);

/// Norm of the gradient of the weights of each layer of the initial network, for stacks of `depths` layers.
Json gradient_norms(ModelConfig config, const std::vector<std::int64_t>& depths);

/// Seconds of forward and backward pass, and peak bytes of their tensors, for one sequence of each length: attention by
/// its equation, the feed-forward network, and the encoder of `config`. Seconds are the least of `repeat`.
Json length_costs(const ModelConfig& config, const std::vector<std::int64_t>& lengths, std::int64_t repeat);

/// Seconds of the decoder for one target of each length: one parallel pass of teacher forcing, greedy search with the
/// cache, and greedy search that computes all earlier positions again. Also whether the two searches choose the same
/// tokens, and the largest difference between the outputs of the parallel pass and of the cached steps.
Json decoding_costs(const ModelConfig& config, const std::vector<std::int64_t>& lengths, std::int64_t repeat);

/// Target tokens per second of updates with fast paths and by the equations alone, the peak bytes of the tensors of one
/// update by the equations, without weights and optimizer, and the number of parameters. The batch has about
/// `batch_tokens` positions. A network without fast paths for some of its parts uses the equations for these.
Json update_costs(const ModelConfig& config, std::int64_t batch_tokens, std::int64_t updates);

/// Label smoothing: the distribution that the loss compares with, and the loss of predictions that give the wanted
/// token x times the probability of each other token, x = 1 to 100.
Json smoothing_curve(std::int64_t vocabulary, double epsilon);

/// The learning rate of `noam` with factor 1 by update, for pairs of d_model and warm-up.
Json rate_curves(std::int64_t updates, std::int64_t interval);

}  // namespace gloss::study
