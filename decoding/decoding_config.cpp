#include "decoding/decoding_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "common/config/settings.h"

namespace gloss {
namespace {

constexpr std::array kLengthPenaltyKinds = {std::pair{std::string_view("power"), LengthPenaltyKind::kPower},
                                            std::pair{std::string_view("gnmt"), LengthPenaltyKind::kGnmt}};

template <typename T>
Field<DecodingConfig> sampling_field(T SamplingConfig::*member) {
  return field(&DecodingConfig::sampling, member);
}

// Throws UsageError if n_best exceeds beam_size or the number of hypotheses that a beam may finish.
void require_n_best_of_beam(const DecodingConfig& config) {
  const auto beam = config.beam_size, enough = config.enough_finished();
  require(config.n_best <= beam, "decoding.n_best",
          {"a whole number from 1 to ", Key{"decoding.beam_size"}, " (" + std::to_string(beam) + ")"}, config.n_best);
  require(config.n_best <= enough, "decoding.n_best",
          {"at most ", Key{"decoding.beam_size"}, " * ", Key{"decoding.patience"}, " (" + std::to_string(enough) + ")"},
          config.n_best);
}

}  // namespace

const Settings<DecodingConfig>& decoding_settings() {
  using Config = DecodingConfig;
  static const Settings<Config> settings(
      "decoding", {{field(&Config::beam_size),
                    {.key = "beam_size",
                     .help = "hypotheses kept at each step; 1 is greedy search",
                     .range = between(1, 1000),
                     .flag = "--beam",
                     .group = "Search",
                     .only_without = "sampling.enabled",
                     .identity = Identity::kNever}},
                   {field(&Config::length_penalty),
                    {.key = "length_penalty",
                     .help = "scores are log-probabilities divided by the length to this power; 0: plain sums",
                     .range = between(0, 10),
                     .flag = "--length-penalty",
                     .group = "Search",
                     .identity = Identity::kNever}},
                   {choice_field(&Config::length_penalty_kind, kLengthPenaltyKinds),
                    {.key = "length_penalty_kind",
                     .help = "power divides scores by length^X, gnmt by ((5 + length) / 6)^X",
                     .flag = "--length-penalty-kind",
                     .group = "Search",
                     .identity = Identity::kNever}},
                   {field(&Config::patience),
                    {.key = "patience",
                     .help = "a sentence is complete after beam size times this many finished hypotheses",
                     .range = above(0, 100),
                     .flag = "--patience",
                     .group = "Search",
                     .only_without = "sampling.enabled",
                     .identity = Identity::kNever}},
                   {field(&Config::shrinking_beam),
                    {.key = "shrinking_beam",
                     .help = "each finished hypothesis lowers the beam by one, as in Marian",
                     .flag = "--shrinking-beam",
                     .off_flag = "--no-shrinking-beam",
                     .group = "Search",
                     .only_without = "sampling.enabled",
                     .identity = Identity::kNever}},
                   {field(&Config::coverage_penalty),
                    {.key = "coverage_penalty",
                     .help = "lowers scores of translations that ignore parts of the source; 0: no effect",
                     .range = between(0, 10),
                     .flag = "--coverage-penalty",
                     .group = "Search",
                     .only_without = "sampling.enabled",
                     .identity = Identity::kNever}},
                   {field(&Config::max_length),
                    {.key = "max_length",
                     .help = "maximum number of tokens of a translation, its end included",
                     .range = between(1, Config::kMaxTargetLength),
                     .flag = "--max-length",
                     .group = "Search"}},
                   {field(&Config::max_length_factor),
                    {.key = "max_length_factor",
                     .help = "maximum number of tokens of a translation for each token of its source; 0: no limit",
                     .range = between(0, 1000),
                     .flag = "--max-length-factor",
                     .group = "Search",
                     .identity = Identity::kUnlessDefault}},
                   {field(&Config::min_length),
                    {.key = "min_length",
                     .help = "minimum number of tokens of a translation, its end not included",
                     .range = between(0, Config::kMaxTargetLength),
                     .flag = "--min-length",
                     .group = "Search"}},
                   {field(&Config::no_repeat_ngram),
                    {.key = "no_repeat_ngram",
                     .help = "no sequence of this many tokens is generated twice; 0: no limit",
                     .range = between(0, 100),
                     .flag = "--no-repeat-ngram",
                     .group = "Search",
                     .identity = Identity::kUnlessDefault}},
                   {field(&Config::repetition_penalty),
                    {.key = "repetition_penalty",
                     .help = "values above 1 make generated tokens less likely; 1: no effect",
                     .range = above(0, 10),
                     .flag = "--repetition-penalty",
                     .group = "Search",
                     .identity = Identity::kUnlessDefault}},
                   {field(&Config::no_unk),
                    {.key = "no_unk",
                     .help = "never generate the unknown word",
                     .flag = "--no-unk",
                     .off_flag = "--unk",
                     .group = "Search",
                     .identity = Identity::kUnlessDefault}},
                   {field(&Config::shortlist),
                    {.key = "shortlist",
                     .help = "consider only the tokens that the model's shortlist has for a sentence",
                     .flag = "--shortlist",
                     .off_flag = "--no-shortlist",
                     .group = "Search",
                     .identity = Identity::kNever}},
                   {sampling_field(&SamplingConfig::enabled),
                    {.key = "sampling.enabled",
                     .help = "draw translations at random instead of searching for the best",
                     .flag = "--sample",
                     .off_flag = "--no-sample",
                     .group = "Sampling",
                     .identity = Identity::kNever}},
                   {sampling_field(&SamplingConfig::temperature),
                    {.key = "sampling.temperature",
                     .help = "divides the logits; below 1 likely tokens become likelier",
                     .range = above(0, 100),
                     .flag = "--temperature",
                     .group = "Sampling",
                     .only_with = "sampling.enabled",
                     .identity = Identity::kNever}},
                   {sampling_field(&SamplingConfig::top_k),
                    {.key = "sampling.top_k",
                     .help = "number of likeliest tokens to draw from; 0: all tokens",
                     .range = between(0, 1'000'000),
                     .flag = "--top-k",
                     .group = "Sampling",
                     .only_with = "sampling.enabled",
                     .identity = Identity::kNever}},
                   {sampling_field(&SamplingConfig::top_p),
                    {.key = "sampling.top_p",
                     .help = "draw from the smallest set of these tokens with at least this share of their probability",
                     .range = above(0, 1),
                     .flag = "--top-p",
                     .group = "Sampling",
                     .only_with = "sampling.enabled",
                     .identity = Identity::kNever}},
                   {sampling_field(&SamplingConfig::seed),
                    {.key = "sampling.seed",
                     .help = "seed of the draws; the same seed gives the same translations",
                     .range = at_least(0),
                     .flag = "--seed",
                     .group = "Sampling",
                     .only_with = "sampling.enabled",
                     .identity = Identity::kNever}},
                   {field(&Config::n_best),
                    {.key = "n_best",
                     .help = "translations per sentence, best first; a search finds at most as many as the beam size",
                     .range = between(1, 1000),
                     .flag = "--n-best",
                     .group = "Output",
                     .identity = Identity::kNever}},
                   {field(&Config::batch_size),
                    {.key = "batch_size",
                     .help = "sentences computed together",
                     .range = between(1, 65536),
                     .flag = "--batch-size",
                     .group = "Machine",
                     .identity = Identity::kNever}},
                   {field(&Config::alignment_from),
                    {.key = "alignment_from",
                     .help = "attention that alignments are read from, such as decoder.5.cross.0",
                     .shown_default = "the last decoder layer",
                     .identity = Identity::kNever}}});
  return settings;
}

std::int64_t DecodingConfig::enough_finished() const {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(beam_size) * patience));
}

void DecodingConfig::validate() const {
  decoding_settings().validate(*this);
  require(min_length <= max_length, "decoding.min_length",
          {"a whole number from 0 to ", Key{"decoding.max_length"}, " (" + std::to_string(max_length) + ")"},
          min_length);
  if (!sampling.enabled) require_n_best_of_beam(*this);
}

DecodingConfig read_decoding_config(ConfigSection section) { return decoding_settings().read(std::move(section)); }

DecodingConfig greedy_decoding(DecodingConfig config) {
  config.beam_size = config.n_best = 1;
  config.coverage_penalty = 0;
  config.sampling.enabled = false;
  return config;
}

Json to_json(const DecodingConfig& config) { return decoding_settings().to_json(config); }

}  // namespace gloss
