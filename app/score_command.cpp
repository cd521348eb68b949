#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/command_options.h"
#include "app/commands.h"
#include "app/standard_output.h"
#include "app/translation_text.h"
#include "common/error.h"
#include "common/formatted.h"
#include "common/log.h"
#include "pipeline/score_pairs.h"

namespace gloss {
namespace {

struct ScoreOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> models;
  std::filesystem::path source, target;
  std::optional<double> length_penalty;
  std::optional<std::int64_t> batch_size;
  std::optional<WeightPrecision> precision;
  bool json_lines = false;
};

struct Totals {
  double log_probability = 0;
  std::int64_t tokens = 0;

  double perplexity() const { return std::exp(-log_probability / static_cast<double>(tokens)); }
};

std::string to_json_line(std::size_t line, const ScoredPair& pair) {
  std::vector<DetailedTranslation::Token> tokens;
  for (std::size_t i = 0; i < pair.pieces.size(); ++i) tokens.push_back({pair.pieces[i], pair.forced.tokens[i]});
  return to_text({{"line", line + 1},
                  {"score", pair.score},
                  {"log_probability", pair.forced.log_probability},
                  {"tokens", to_json(tokens)}}) +
         '\n';
}

ExitCode score(const ScoreOptions& options) {
  const auto machine = set_up(options.common);
  expect_file("--source", options.source);
  expect_file("--target", options.target);
  const auto models = load_translation_ensemble(options.models, machine.device);
  auto decoding = models.first().config.decoding;
  decoding.length_penalty = options.length_penalty.value_or(decoding.length_penalty);
  decoding.batch_size = options.batch_size.value_or(decoding.batch_size);
  const auto test = read_test_set(options.source, options.target, Passes::kOne);
  if (test.sources.empty()) throw DataError(printable(options.source.string()) + ": wanted sentences, got none");
  const auto pairs = score_pairs(models, test, decoding, options.precision);

  Totals totals;
  std::string output;
  NotedLines truncated;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    totals.log_probability += pairs[i].forced.log_probability;
    totals.tokens += std::ssize(pairs[i].forced.tokens);
    if (pairs[i].truncated) truncated.note(static_cast<std::int64_t>(i + 1));
    output += options.json_lines ? to_json_line(i, pairs[i]) : printed_score(pairs[i].score) + '\n';
  }
  write_result(output);
  warn_of_truncated("the source", truncated, models.max_source_length());
  log_info(formatted("%zu pairs, %lld tokens, perplexity %.4f", pairs.size(), static_cast<long long>(totals.tokens),
                     totals.perplexity()));
  log_event("score", {{"pairs", pairs.size()},
                      {"tokens", totals.tokens},
                      {"log_probability", totals.log_probability},
                      {"perplexity", totals.perplexity()}});
  return ExitCode::kDone;
}

}  // namespace

void add_score_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<ScoreOptions>();
  auto& command = add_command(
      program, "score", "Say how likely a model finds given translations: a score a line; the perplexity on stderr",
      options->common);
  add_models(command, options->models)->required();
  add_path(command, {"--source", "FILE", "the sentences"}, options->source)->required();
  add_path(command, {"--target", "FILE", "their translations, line by line"}, options->target)->required();
  add_number(command,
             {"--length-penalty", "X",
              "scores are log-probabilities over the length to this power (default: the model's; 0: their plain sum)"},
             options->length_penalty, {0, DecodingConfig::kLargestLengthPenalty});
  add_whole_number(command, {"--batch-size", "N", "sentences scored together"}, options->batch_size,
                   {1, DecodingConfig::kLargestBatch});
  add_choice<std::optional<WeightPrecision>, WeightPrecision>(
      command, {"--precision", "NAME", "float32, bfloat16 or int8 (default: as translate)"}, options->precision,
      {kWeightPrecisions.begin(), kWeightPrecisions.end()});
  add_flag(command, "--json-lines", options->json_lines,
           "a JSON object a line: score, log_probability and those of the tokens");
  finish_command(command, "gloss score --model runs/de --source test.en --target test.de");
  command.callback([options, &chosen] { chosen = [options] { return score(*options); }; });
}

}  // namespace gloss
