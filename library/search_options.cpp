#include "library/search_options.h"

#include <string>

#include "common/error.h"

namespace gloss {
namespace {

/// What is said has an effect.
void expect_to_matter(const TranslationOptions& options, bool sampling) {
  const auto refuse = [](bool said, const char* name, const char* why) {
    if (said) throw UsageError(std::string(name) + why);
  };
  constexpr auto kBeside = ": has an effect beside sampling only; set sample to true";
  constexpr auto kWithout = ": has no effect where translations are drawn; leave it out, or set sample to false";
  refuse(!sampling && options.temperature, "temperature", kBeside);
  refuse(!sampling && options.top_k, "top_k", kBeside);
  refuse(!sampling && options.top_p, "top_p", kBeside);
  refuse(!sampling && options.seed, "seed", kBeside);
  refuse(sampling && options.beam_size, "beam_size", kWithout);
  refuse(sampling && options.patience, "patience", kWithout);
  refuse(sampling && options.coverage_penalty, "coverage_penalty", kWithout);
}

/// Only a greedy search finds one token after the other.
void expect_greedy(const DecodingConfig& config) {
  if (config.sampling.enabled) throw UsageError("on_token: wanted a greedy search, got sampling; set sample to false");
  if (config.beam_size != 1)
    throw UsageError("on_token: wanted beam_size 1, got " + std::to_string(config.beam_size) +
                     "; only a greedy search finds one token after the other");
  if (config.coverage_penalty > 0)
    throw UsageError("on_token: wanted a greedy search, got a coverage_penalty; set coverage_penalty to 0");
}

}  // namespace

DecodingConfig decoding_config(const TranslationOptions& options, DecodingConfig config) {
  const auto take = [](auto& value, const auto& said) {
    if (said) value = *said;
  };
  take(config.beam_size, options.beam_size);
  take(config.length_penalty, options.length_penalty);
  if (options.length_normalisation)
    config.length_penalty_kind = *options.length_normalisation == LengthNormalisation::kGnmt
                                     ? LengthPenaltyKind::kGnmt
                                     : LengthPenaltyKind::kPower;
  take(config.patience, options.patience);
  take(config.max_length, options.max_length);
  take(config.min_length, options.min_length);
  take(config.batch_size, options.batch_size);
  config.n_best = options.n_best;
  take(config.coverage_penalty, options.coverage_penalty);
  take(config.no_repeat_ngram, options.no_repeat_ngram);
  take(config.repetition_penalty, options.repetition_penalty);
  take(config.no_unk, options.no_unk);
  take(config.sampling.enabled, options.sample);
  take(config.sampling.temperature, options.temperature);
  take(config.sampling.top_k, options.top_k);
  take(config.sampling.top_p, options.top_p);
  take(config.sampling.seed, options.seed);
  if (options.on_token) expect_greedy(config);
  expect_to_matter(options, config.sampling.enabled);
  if (options.first_line < 0)
    throw UsageError("first_line: wanted 0 or more, got " + std::to_string(options.first_line));
  config.validate();
  return config;
}

}  // namespace gloss
