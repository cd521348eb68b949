#include "app/options/serve_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"
#include "serve/settings/serve_settings.h"

namespace gloss {

void add_serve_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<ServeOptions>();
  auto& command = add_command(program, "serve", "Serve translations over HTTP, to clients of LibreTranslate and DeepL",
                              options->common);
  add_repeated(command,
               {.help = "serve the model file or run folder PATH; its languages in front, if it records none",
                .flag = "--model",
                .placeholder = "[SOURCE-TARGET=]PATH",
                .type = SettingType::kPath},
               [models = &options->models](const std::string& text) { models->push_back(text); })
      ->required();
  add_option(command,
             {.help = "read options of the groups Network to Documents from JSON, by names without --, with _ for -",
              .flag = "--config"},
             options->config);
  for (const auto& setting : serve_settings().list()) add_setting(command, setting, options->settings);
  group_options(command, "Machine");
  add_precision(command, options->precision);
  add_plain(command, options->plain);
  finish_command(command,
                 "gloss serve --model runs/en-de\n"
                 "gloss serve --model en-de=runs/one --model de-en=runs/two --listen 127.0.0.1:8000\n"
                 "gloss serve --model runs/en-de --listen 0.0.0.0:5000 --api-keys keys.txt");
  command.callback([options, &chosen] { chosen = Parsed<ServeOptions>(options); });
}

}  // namespace gloss
