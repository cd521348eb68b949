#include "app/options/check_data_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {
namespace {

void add_pair(CLI::App& command, TextPairOptions& pair, std::string_view source_help, CLI::Option* config) {
  auto* source = add_option(command, {.help = source_help, .flag = pair.source_flag}, pair.source);
  auto* target =
      add_option(command, {.help = "read its translations from FILE", .flag = pair.target_flag}, pair.target);
  source->needs(target)->excludes(config);
  target->needs(source)->excludes(config);
}

}  // namespace

void add_check_data_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<CheckDataOptions>();
  auto& command = add_command(program, "check-data",
                              "Report problems of a corpus before training on it. Text must be UTF-8: training leaves "
                              "out pairs with other bytes, and refuses a text with more than 1 % of such pairs",
                              options->common);
  auto* config = add_option(command, {.help = "check the texts of this run file", .flag = "--config"}, options->config);
  add_overrides(command, options->overrides)->needs(config);
  add_pair(command, options->training, "check this training text, without a run file", config);
  add_pair(command, options->validation, "check this validation text, without a run file", config);
  add_pair(command, options->test, "check this test text, without a run file", config);
  add_option(command,
             {.help = "count pieces of this SentencePiece model, and find unknown characters", .flag = "--tokenizer"},
             options->tokenizer);
  add_option(command,
             {.help = "report sides with more than N pieces, or more than N words without a tokenizer",
              .range = between(1, 1'000'000),
              .flag = "--max-length",
              .shown_default = "data.max_length, else 256"},
             options->max_length);
  add_option(command,
             {.help = "report pairs whose lengths differ by more than this factor",
              .range = between(1, 1000),
              .flag = "--max-ratio",
              .shown_default = "4 in pieces, or 9 in characters without a tokenizer"},
             options->max_ratio);
  add_json(command, options->json);
  finish_command(command,
                 "gloss check-data --source train.en --target train.de\n"
                 "gloss check-data --config configs/multi30k_en_de.json --json");
  command.callback([options, &chosen] { chosen = Parsed<CheckDataOptions>(options); });
}

}  // namespace gloss
