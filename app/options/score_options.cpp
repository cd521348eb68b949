#include "app/options/score_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

void add_score_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ScoreOptions>();
  auto& command = add_command(
      program, "score", "Score given translations by a model's probabilities: one score per line, perplexity on stderr",
      options->common);
  add_models(command, options->models)->required();
  add_option(command, {.help = "read sentences from FILE", .flag = "--source"}, options->source)->required();
  add_option(command, {.help = "read their translations from FILE, line by line", .flag = "--target"}, options->target)
      ->required();
  add_languages(command, options->languages);
  add_decoding_options(command, options->decoding, {"length_penalty", "length_penalty_kind", "batch_size"});
  group_options(command, "Machine");
  add_precision(command, options->precision);
  add_plain(command, options->plain);
  group_options(command, "Output");
  add_option(command,
             {.help = "print one JSON object per line: score, log_probability, and log-probabilities of the tokens",
              .flag = "--json-lines"},
             options->json_lines);
  finish_command(command,
                 "gloss score --model runs/en-de --source test.en --target test.de\n"
                 "gloss score --model runs/en-de --source test.en --target test.de --json-lines > scores.jsonl");
  command.callback([options, &chosen] { chosen = Parsed<ScoreOptions>(options); });
}

}  // namespace gloss
