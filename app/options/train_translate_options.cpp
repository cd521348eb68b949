#include "app/options/train_translate_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"
#include "common/config/settings.h"
#include "data/data_config.h"
#include "run/config/run_config.h"
#include "training/training_config.h"

namespace gloss {
namespace {

constexpr double kMaxSamples = 100;
constexpr double kMaxProcesses = 64;

void add_data_files(CLI::App& command, std::vector<DataFileOption>& files) {
  std::vector<CLI::Option*> options;
  for (auto& [setting, file] : files)
    options.push_back(add_option(command, {.help = setting->help, .flag = setting->flag}, file));
  for (std::size_t i = 0; i < options.size(); i += 2) {
    options[i]->needs(options[i + 1]);
    options[i + 1]->needs(options[i]);
  }
}

void add_run_folder(CLI::App& command, TrainTranslateCommandOptions& options) {
  group_options(command, "Run folder");
  add_option(command,
             {.help = "write the run to this folder",
              .flag = "--out",
              .shown_default = "runs/ plus the run file's name or the languages, such as runs/en-de",
              .placeholder = "DIR"},
             options.out);
  add_setting(command, top_settings().at("seed"), options.given, {.default_text = "the run file's, else 1"});
  auto* resume = add_optional_path(command,
                                   {.help = "continue from the newest checkpoint of the run in DIR, or else in --out",
                                    .flag = "--resume",
                                    .placeholder = "DIR"},
                                   options.resume, options.resume_folder);
  add_option(command, {.help = "remove an earlier run from the folder", .flag = "--overwrite"}, options.overwrite)
      ->excludes(resume);
}

}  // namespace

std::vector<DataFileOption> data_file_options() {
  std::vector<DataFileOption> options;
  for (const auto& setting : data_settings().list())
    if (!setting.flag.empty()) options.push_back({&setting});
  return options;
}

void add_train_translate_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<TrainTranslateCommandOptions>();
  auto& command =
      add_command(program, "train-translate",
                  "Train a translator on two aligned text files, and score it if there is a test set", options->common);
  command.alias("train");
  group_options(command, "Texts");
  add_data_files(command, options->data_files);
  group_options(command, "Training");
  add_option(command, {.help = "read a run file (configs/README.md); options replace its keys", .flag = "--config"},
             options->config);
  auto start_from = training_settings().at("start_from");
  start_from.flag = "--start-from";
  start_from.placeholder = "FILE-OR-DIR";
  add_option(command, start_from, options->start_from);
  add_overrides(command, options->overrides);
  add_option(command,
             {.help = "start N processes on this machine, which train one model together",
              .range = between(1, kMaxProcesses),
              .flag = "--processes",
              .shown_default = "1"},
             options->processes);
  add_run_folder(command, *options);
  group_options(command, "Messages");
  add_option(command,
             {.help = "print N samples per validation, cut to the terminal's width; the log has at least 3, in full",
              .range = between(0, kMaxSamples),
              .flag = "--samples",
              .shown_default = "1"},
             options->samples);
  add_plain(command, options->plain);
  finish_command(command,
                 "gloss train-translate --source train.en --target train.de\n"
                 "gloss train-translate --config run.json --set training.max_epochs=20 --out runs/first\n"
                 "gloss train-translate --resume runs/first\n"
                 "gloss train-translate --start-from runs/first --source more.en --target more.de --out runs/second\n"
                 "gloss make-corpus demo --out corpus   # a corpus to try it with");
  command.callback([options, &chosen] { chosen = Parsed<TrainTranslateCommandOptions>(options); });
}

}  // namespace gloss
