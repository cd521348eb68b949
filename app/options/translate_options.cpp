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

}  // namespace gloss
