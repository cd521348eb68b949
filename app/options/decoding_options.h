#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "decoding/decoding_config.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gloss {

/// How to search, as the command line says it; what it does not say is the model's.
struct DecodingOptions {
  std::optional<std::int64_t> beam_size, n_best, max_length, min_length, batch_size, no_repeat_ngram, top_k, seed;
  std::optional<double> length_penalty, coverage_penalty, patience, repetition_penalty, temperature, top_p;
  std::optional<LengthPenaltyKind> length_penalty_kind;
  std::optional<bool> no_unk, sample;
  std::string seed_name = "--seed";  ///< the option of `seed`
};

void add_decoding_options(CLI::App& command, DecodingOptions& options);
/// The same for a command that uses the best translation of each line only and has a --seed of another meaning: without
/// --n-best, and with --sample-seed in place of --seed.
void add_best_decoding_options(CLI::App& command, DecodingOptions& options);

/// --length-penalty and --length-penalty-kind alone, which are among the above.
void add_length_penalty(CLI::App& command, DecodingOptions& options);
/// --batch-size alone; `what` is done with sentences.
void add_batch_size(CLI::App& command, const std::string& what, DecodingOptions& options);

/// What made translations be drawn, or unk be barred, as a message puts it: the option that was typed, else the key of
/// the run file and the option against it.
std::string why_drawn(const DecodingOptions& options);
std::string why_no_unk(const DecodingOptions& options);

/// Lines to be taken at once: enough for batches of sentences of like length, few enough for results to come soon.
std::size_t lines_at_once(const DecodingConfig& config);

/// The model's settings with what the command line says in their place. Only here is it known what goes together:
/// throws UsageError that names what was typed as it was typed, and the rest as the run file does.
DecodingConfig decoding_config(const DecodingOptions& options, DecodingConfig config);

}  // namespace gloss
