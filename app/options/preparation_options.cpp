#include "app/options/preparation_options.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"
#include "common/config/settings.h"
#include "data/built_in_corpus.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {
namespace {

constexpr std::array<std::pair<std::string_view, CorpusKind>, 3> kKinds{
    {{"demo", CorpusKind::kDemo}, {"copy", CorpusKind::kCopy}, {"reverse", CorpusKind::kReverse}}};

constexpr auto kEn = grammar::Language::kEnglish, kDe = grammar::Language::kGerman, kZh = grammar::Language::kChinese;
constexpr std::array<std::pair<std::string_view, LanguagePair>, 4> kPairs{
    {{"en-de", {kEn, kDe}}, {"de-en", {kDe, kEn}}, {"en-zh", {kEn, kZh}}, {"zh-en", {kZh, kEn}}}};

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

void add_pair(CLI::App& command, TextPairOptions& pair, std::string_view source_help, CLI::Option* config) {
  auto* source = add_option(command, {.help = source_help, .flag = pair.source_flag}, pair.source);
  auto* target =
      add_option(command, {.help = "read its translations from FILE", .flag = pair.target_flag}, pair.target);
  source->needs(target)->excludes(config);
  target->needs(source)->excludes(config);
}

}  // namespace

void add_make_corpus_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<MakeCorpusOptions>();
  auto& command =
      add_command(program, "make-corpus",
                  "Write a corpus to train and test on: sentences of a small grammar in English, German and "
                  "Chinese (demo), or made-up words to copy or reverse",
                  options->common);
  add_choice(command,
             {.help = "write sentences in two languages, or targets that copy or reverse their sources",
              .flag = "kind",
              .placeholder = "demo|copy|reverse"},
             options->kind, kKinds)
      ->required();
  add_option(command,
             {.help = "write the files to this folder; created if missing", .flag = "--out", .placeholder = "DIR"},
             options->out)
      ->required();
  add_choice(
      command,
      {.help = "demo: write this pair of languages", .flag = "--pair", .shown_default = "en-de", .placeholder = "PAIR"},
      options->pair, kPairs);
  add_option(command,
             {.help = "draw sentences with this seed", .range = at_least(0), .flag = "--seed", .shown_default = "1"},
             options->seed);
  add_option(command,
             {.help = "write N training pairs",
              .range = between(1, BuiltInCorpusOptions::kMaxPairs),
              .flag = "--size",
              .shown_default = "25000 for demo, else 2000"},
             options->size);
  add_option(command,
             {.help = "copy, reverse: use a vocabulary of N words",
              .range = between(1, BuiltInCorpusOptions::kMaxWords),
              .flag = "--words",
              .shown_default = "20"},
             options->words);
  add_option(command,
             {.help = "copy, reverse: write sentences of at most N words",
              .range = between(1, BuiltInCorpusOptions::kMaxSentenceWords),
              .flag = "--max-words",
              .shown_default = "8"},
             options->max_words);
  add_option(command, {.help = "replace files that exist", .flag = "--overwrite"}, options->overwrite);
  finish_command(command,
                 "gloss make-corpus demo --pair en-de --out corpus\n"
                 "gloss make-corpus copy --size 500 --out corpus");
  command.callback([options, &chosen] { chosen = Parsed<MakeCorpusOptions>(options); });
}

void add_tokenizer_command(CLI::App& program, Command& chosen) {
  auto& tokenizer = *program.add_subcommand("tokenizer", "Train a tokenizer, or use one");
  tokenizer.require_subcommand(0, 1);
  add_train(tokenizer, chosen);
  add_convert_lines<EncodeOptions>(tokenizer, "encode", "Split lines of stdin into pieces separated by spaces", chosen);
  add_convert_lines<DecodeOptions>(tokenizer, "decode", "Join pieces separated by spaces into lines", chosen);
}

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

void add_doctor_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<DoctorOptions>();
  auto& command =
      add_command(program, "doctor", "Report on this machine: hardware, causes of low speed, and whether a run fits",
                  options->common);
  auto* config =
      add_option(command, {.help = "estimate the memory, disk space and updates of this run file", .flag = "--config"},
                 options->config);
  add_overrides(command, options->overrides)->needs(config);
  add_option(command,
             {.help = "check the disk of this run folder",
              .flag = "--out",
              .shown_default = "runs/ plus the run file's name",
              .placeholder = "DIR"},
             options->out)
      ->needs(config);
  add_json(command, options->json);
  finish_command(command,
                 "gloss doctor\n"
                 "gloss doctor --config configs/multi30k_en_de.json --out runs/en-de");
  command.callback([options, &chosen] { chosen = Parsed<DoctorOptions>(options); });
}

}  // namespace gloss
