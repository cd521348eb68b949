#include "app/options/translate_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {
namespace {

void add_input(CLI::App& command, TranslateOptions& options) {
  group_options(command, "Input");
  add_option(command, {.help = "translate the lines of FILE", .flag = "--input", .shown_default = "stdin"},
             options.input);
  add_option(
      command,
      {.help = "begin translation n with line n of FILE, which has as many lines as the input", .flag = "--prefix"},
      options.prefix);
  add_option(command,
             {.help = "force phrases into translations; FILE has lines of source phrase, tab, target phrase",
              .flag = "--glossary"},
             options.glossary);
  add_sentence_options(command, options.sentences, "line");
  add_languages(command, options.languages);
}

void add_output(CLI::App& command, TranslateOptions& options) {
  group_options(command, "Output");
  add_option(command,
             {.help = "write translations to FILE, complete or not at all; replaces an existing one",
              .flag = "--output",
              .shown_default = "stdout"},
             options.output);
  add_option(command,
             {.help = "add `||| 0-0 1-2` to each line: aligned words of source and translation, counted from 0",
              .flag = "--alignment"},
             options.alignment);
  add_option(command,
             {.help = "align by a layer (decoder.2.cross) or by one head (decoder.2.cross.3), both counted from 0",
              .flag = "--alignment-from",
              .shown_default = "the last layer, mean of its heads"},
             options.alignment_from);
  add_option(
      command,
      {.help = "of the N best (default: all of the beam), print the one with the best sentence BLEU to FILE's line",
       .flag = "--closest-to"},
      options.closest_to);
  add_option(command, {.help = "copy the source word for each unknown word", .flag = "--replace-unknown"},
             options.replace_unknown);
  add_option(command,
             {.help = "print one JSON object per line: translations, probabilities of tokens and words, warnings",
              .flag = "--json-lines"},
             options.json_lines);
}

}  // namespace

void add_translate_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<TranslateOptions>();
  auto& command =
      add_command(program, "translate", "Translate stdin or a file line by line, in order", options->common);
  add_models(command, options->models)->required();
  add_input(command, *options);
  add_output(command, *options);
  add_decoding_options(command, options->decoding);
  group_options(command, "Machine");
  add_precision(command, options->precision);
  add_plain(command, options->plain);
  finish_command(command,
                 "gloss translate --model runs/en-de < input.txt > output.txt\n"
                 "gloss translate --model runs/en-de --input input.txt --beam 1 --precision int8   # fastest\n"
                 "gloss translate --model runs/en-de --n-best 3 --json-lines < input.txt\n"
                 "gloss translate --model runs/en-de --sample --top-k 10 --seed 7 < input.txt");
  command.callback([options, &chosen] { chosen = Parsed<TranslateOptions>(options); });
}

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
