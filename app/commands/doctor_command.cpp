#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/commands/command_options.h"
#include "app/commands/commands.h"
#include "app/output/doctor_text.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "pipeline/doctor/machine_report.h"
#include "pipeline/doctor/memory_estimate.h"
#include "pipeline/run/read_run_file.h"
#include "pipeline/run/run_files.h"
#include "pipeline/run/run_length.h"
#include "training/mixed_precision.h"

namespace gloss {
namespace {

struct DoctorOptions {
  CommonOptions common;
  std::optional<std::filesystem::path> config, out;
  std::vector<std::string> overrides;
  bool json = false;
};

/// The trial itself must not be what does not fit.
TrainingNeeds needs_of(const RunConfig& config, const ForeseenRun& run, const MachineReport& machine) {
  const auto known = training_needs(config, run);
  return known.memory() < machine.free_memory / 4 * 3 ? try_training(config, run, machine.free_memory) : known;
}

ExitCode doctor(const DoctorOptions& options) {
  std::optional<RunConfig> config;
  std::vector<NamedFile> inputs;
  if (options.config) {
    config = read_run_config(*options.config, options.overrides);
    inputs = files_read(*config);
    inputs.push_back({"--config", *options.config});
  }
  const auto here = set_up(options.common, {std::move(inputs)});
  const auto machine = look_at_machine(here.threads);
  auto remarks = remarks_on(machine);
  std::optional<RunNeeds> run;
  if (config) {
    const auto out = options.out.value_or("runs" / options.config->stem());
    try {
      expect_precision(config->training.precision, here.device, /*plain=*/false);
    } catch (const UsageError& fault) {
      remarks.push_back({fault.what(), ExitCode::kUsage});
    }
    const auto foreseen = foresee(*config);
    run = RunNeeds{needs_of(*config, foreseen, machine), out, free_disk(out),
                   estimate_run_length(*config, foreseen.text)};
    for (auto& remark : remarks_on(*run, machine)) remarks.push_back(std::move(remark));
    for (auto& warning : warnings_of(*config, run->length, pieces_of(*config, foreseen.vocabularies)))
      remarks.push_back({std::move(warning)});
  }
  Json json{{"machine", to_json(machine)}, {"remarks", to_json(remarks)}};
  if (run) {
    json["training"] = to_json(run->training);
    json["training"]["disk_free"] = run->disk_free;
    json["training"].update(to_json(run->length));
  }
  write_result(options.json ? to_text(json) + '\n' : to_lines(machine, run, remarks));
  for (const auto& remark : remarks)
    if (remark.failure) return *remark.failure;
  return ExitCode::kDone;
}

}  // namespace

void add_doctor_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<DoctorOptions>();
  auto& command = add_command(program, "doctor", "Say what this machine has, what a run will need, and what is slow",
                              options->common);
  auto* config =
      add_path(command, {"--config", "FILE", "the run file whose memory and disk are reckoned"}, options->config);
  command.add_option("--set", options->overrides, "set a key of the run file, as data.batch_tokens=2048; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->needs(config);
  add_path(command, {"--out", "DIR", "the run folder (default: runs/ and the run file's name)"}, options->out)
      ->needs(config);
  add_flag(command, "--json", options->json, "one JSON object");
  finish_command(command,
                 "gloss doctor\n"
                 "gloss doctor --config configs/multi30k_en_de.json --out runs/en-de");
  command.callback([options, &chosen] { chosen = [options] { return doctor(*options); }; });
}

}  // namespace gloss
