#include "app/options/doctor_options.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"

namespace gloss {

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
