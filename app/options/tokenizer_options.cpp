#include "app/options/tokenizer_options.h"

#include <memory>
#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"
#include "common/config/settings.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

void add_train(CLI::App& tokenizer, Command& chosen) {
  const auto options = std::make_shared<TrainTokenizerOptions>();
  auto& command = add_command(tokenizer, "train", "Train a SentencePiece model on text files", options->common);
  add_option(command, {.help = "train on these text files", .flag = "--input", .placeholder = "FILE..."},
             options->input)
      ->required();
  for (const auto& setting : tokenizer_settings().list())
    if (!setting.flag.empty()) add_setting(command, setting, options->given);
  add_option(command, {.help = "write the model to FILE", .flag = "--output"}, options->output)->required();
  add_overwrite(command, options->overwrite);
  finish_command(command,
                 "gloss tokenizer train --input train.en train.de --output both.model\n"
                 "gloss tokenizer train --input train.zh --type unigram --normalization identity --output zh.model");
  command.callback([options, &chosen] { chosen = Parsed<TrainTokenizerOptions>(options); });
}

template <typename Options>
void add_convert_lines(CLI::App& tokenizer, const std::string& name, const char* description, Command& chosen) {
  const auto options = std::make_shared<Options>();
  auto& command = add_command(tokenizer, name, description, options->common);
  add_option(command, {.help = "use this SentencePiece model", .flag = kModelOption}, options->model)->required();
  finish_command(command, "gloss tokenizer " + name + " --model both.model < input.txt");
  command.callback([options, &chosen] { chosen = Parsed<Options>(options); });
}

}  // namespace

void add_tokenizer_command(CLI::App& program, Command& chosen) {
  auto& tokenizer = *program.add_subcommand("tokenizer", "Train a tokenizer, or use one");
  tokenizer.require_subcommand(0, 1);
  add_train(tokenizer, chosen);
  add_convert_lines<EncodeOptions>(tokenizer, "encode", "Split lines of stdin into pieces separated by spaces", chosen);
  add_convert_lines<DecodeOptions>(tokenizer, "decode", "Join pieces separated by spaces into lines", chosen);
}

}  // namespace gloss
