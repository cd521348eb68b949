#include "app/options/decoding_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/commands/command_options.h"
#include "common/error.h"

namespace gloss {
namespace {

constexpr std::int64_t kBatchesAtOnce = 4;

void add_beam(CLI::App& command, DecodingOptions& options) {
  add_whole_number(command, {"--beam", "N", "beam size; 1 is greedy (default: the model's decoding.beam_size)"},
                   options.beam_size, {1, DecodingConfig::kLargestBeam});
}

void add_n_best(CLI::App& command, DecodingOptions& options) {
  add_whole_number(command, {"--n-best", "N", "print the N best as `line-number ||| text ||| score`, lines from 1"},
                   options.n_best, {1, DecodingConfig::kLargestBeam});
}

void add_penalties(CLI::App& command, DecodingOptions& options) {
  add_length_penalty(command, options);
  add_number(command, {"--coverage-penalty", "X", "lowers scores of what leaves parts of the source unattended"},
             options.coverage_penalty, {0, DecodingConfig::kLargestCoveragePenalty});
  add_number(command, {"--patience", "X", "a sentence is done with beam size times X finished translations"},
             options.patience, {0, DecodingConfig::kLargestPatience, true});
  add_batch_size(command, "searched", options);
}

void add_constraints(CLI::App& command, DecodingOptions& options) {
  add_whole_number(command, {"--max-length", "N", "most tokens of a translation"}, options.max_length,
                   {1, DecodingConfig::kLongest});
  add_whole_number(command, {"--min-length", "N", "least tokens of a translation, its end not counted"},
                   options.min_length, {0, DecodingConfig::kLongest});
  add_whole_number(command, {"--no-repeat-ngram", "N", "never say N tokens again in the same order; 0: may"},
                   options.no_repeat_ngram, {0, DecodingConfig::kLongestNgram});
  add_number(command, {"--repetition-penalty", "X", "above 1 what was said becomes less likely; 1: no effect"},
             options.repetition_penalty, {0, DecodingConfig::kLargestRepetitionPenalty, true});
  add_switch(command,
             {"--no-unk", "never say the unknown word (default: the model's)", "--unk",
              "let it be said, also where the model's run file bars it"},
             options.no_unk);
}

void add_sampling_options(CLI::App& command, DecodingOptions& options) {
  add_switch(command,
             {"--sample", "draw translations instead of searching for the best (default: the model's)", "--no-sample",
              "search, also where the model's run file draws"},
             options.sample);
  add_number(command, {"--temperature", "X", "with --sample: below 1 likely tokens become likelier"},
             options.temperature, {0, SamplingConfig::kLargestTemperature, true});
  add_whole_number(command, {"--top-k", "N", "with --sample: draw of the N likeliest tokens; 0: of all"}, options.top_k,
                   {0, SamplingConfig::kLargestTopK});
  add_number(command, {"--top-p", "X", "with --sample: draw of the fewest tokens with this share of probability"},
             options.top_p, {0, 1, true});
  add_whole_number(
      command,
      {options.seed_name, "N", "with --sample: of the draws; the same seed gives the same (default: the model's)"},
      options.seed, {});
}

/// What is typed has an effect.
void expect_to_matter(const OptionNames& typed, const DecodingOptions& options, bool sampling) {
  for (const auto& [key, option] : typed) {
    const bool of_sampling = key.starts_with("decoding.sampling.");
    const bool of_beams =
        key == "decoding.beam_size" || key == "decoding.patience" || key == "decoding.coverage_penalty";
    if (of_sampling && !sampling) throw UsageError(option + ": has an effect beside --sample only");
    if (of_beams && sampling)
      throw UsageError(option + ": has no effect where translations are drawn (" + why_drawn(options) + ")");
  }
}

}  // namespace

void add_decoding_options(CLI::App& command, DecodingOptions& options) {
  add_beam(command, options);
  add_n_best(command, options);
  add_penalties(command, options);
  add_constraints(command, options);
  add_sampling_options(command, options);
}

void add_best_decoding_options(CLI::App& command, DecodingOptions& options) {
  options.seed_name = "--sample-seed";
  add_beam(command, options);
  add_penalties(command, options);
  add_constraints(command, options);
  add_sampling_options(command, options);
}

void add_length_penalty(CLI::App& command, DecodingOptions& options) {
  add_number(command,
             {"--length-penalty", "X",
              "scores are log-probabilities over length^X (default: the model's); 0: their plain sums"},
             options.length_penalty, {0, DecodingConfig::kLargestLengthPenalty});
  add_choice<std::optional<LengthPenaltyKind>, LengthPenaltyKind>(
      command, {"--length-penalty-kind", "KIND", "power: length^X; gnmt: ((5 + length) / 6)^X (default: the model's)"},
      options.length_penalty_kind, {{"power", LengthPenaltyKind::kPower}, {"gnmt", LengthPenaltyKind::kGnmt}});
}

void add_batch_size(CLI::App& command, const std::string& what, DecodingOptions& options) {
  add_whole_number(command, {"--batch-size", "N", "sentences " + what + " together (default: the model's)"},
                   options.batch_size, {1, DecodingConfig::kLargestBatch});
}

std::string why_drawn(const DecodingOptions& options) {
  return options.sample ? "--sample" : "decoding.sampling.enabled of the model's run file; --no-sample searches";
}

std::string why_no_unk(const DecodingOptions& options) {
  return options.no_unk ? "--no-unk" : "decoding.no_unk of the model's run file; --unk lets it be said";
}

std::size_t lines_at_once(const DecodingConfig& config) {
  return static_cast<std::size_t>(kBatchesAtOnce * config.batch_size);
}

DecodingConfig decoding_config(const DecodingOptions& options, DecodingConfig config) {
  OptionNames typed;
  const auto take = [&](auto& value, const auto& given, const char* key, const std::string& option) {
    if (!given) return;
    value = *given;
    typed[key] = option;
  };
  config.n_best = 1;  // one line out for each line in, unless --n-best is typed
  take(config.n_best, options.n_best, "decoding.n_best", "--n-best");
  take(config.beam_size, options.beam_size, "decoding.beam_size", "--beam");
  take(config.max_length, options.max_length, "decoding.max_length", "--max-length");
  take(config.min_length, options.min_length, "decoding.min_length", "--min-length");
  take(config.batch_size, options.batch_size, "decoding.batch_size", "--batch-size");
  take(config.length_penalty, options.length_penalty, "decoding.length_penalty", "--length-penalty");
  take(config.length_penalty_kind, options.length_penalty_kind, "decoding.length_penalty_kind",
       "--length-penalty-kind");
  take(config.coverage_penalty, options.coverage_penalty, "decoding.coverage_penalty", "--coverage-penalty");
  take(config.patience, options.patience, "decoding.patience", "--patience");
  take(config.no_repeat_ngram, options.no_repeat_ngram, "decoding.no_repeat_ngram", "--no-repeat-ngram");
  take(config.repetition_penalty, options.repetition_penalty, "decoding.repetition_penalty", "--repetition-penalty");
  auto& sampling = config.sampling;
  take(sampling.temperature, options.temperature, "decoding.sampling.temperature", "--temperature");
  take(sampling.top_k, options.top_k, "decoding.sampling.top_k", "--top-k");
  take(sampling.top_p, options.top_p, "decoding.sampling.top_p", "--top-p");
  take(sampling.seed, options.seed, "decoding.sampling.seed", options.seed_name);
  config.no_unk = options.no_unk.value_or(config.no_unk);
  sampling.enabled = options.sample.value_or(sampling.enabled);
  expect_to_matter(typed, options, sampling.enabled);
  name_by_option(typed, [&] { config.validate(); });
  return config;
}

}  // namespace gloss
