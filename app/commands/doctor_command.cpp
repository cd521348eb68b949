#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/doctor_options.h"
#include "app/output/doctor_text.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "run/config/read_run_file.h"
#include "run/config/run_files.h"
#include "run/doctor/machine_report.h"
#include "run/doctor/run_remarks.h"
#include "run/estimate/run_length.h"
#include "run/estimate/training_needs.h"
#include "training/mixed_precision.h"

namespace gloss {
namespace {

/// Returns the needs of training. Updates are tried only if the needs that follow from shapes leave some memory free.
TrainingNeeds needs_of(const RunConfig& config, const ForeseenRun& run, const MachineReport& machine) {
  const auto known = training_needs(config, run);
  return known.memory() < machine.free_memory ? try_training(config, run, machine.free_memory) : known;
}

}  // namespace

ExitCode run(const DoctorOptions& options) {
  std::optional<RunConfig> config;
  std::vector<NamedFile> inputs;
  if (options.config) {
    config = read_run_config(*options.config, options.overrides);
    inputs = files_read(*config);
    inputs.push_back({"--config", *options.config});
  }
  const auto here = set_up(options.common, {std::move(inputs)});
  const auto machine = examine_machine(here.threads);
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
  write_report(options.json ? to_text(json) + '\n' : to_lines(machine, run, remarks));
  for (const auto& remark : remarks)
    if (remark.failure) return *remark.failure;
  return ExitCode::kDone;
}

}  // namespace gloss
