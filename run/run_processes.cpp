#include "run/run_processes.h"

#include <optional>
#include <string>
#include <utility>

#include <ATen/Version.h>
#include <c10/core/DeviceType.h>
#include <torch/version.h>

#include "common/version.h"
#include "kernels/kernel_table.h"
#include "training/agreement.h"

namespace gloss {
namespace {

/// Returns the settings of a run and the program, on which the numbers depend. Paths may differ between machines.
Json start_of(const RunConfig& config, at::Device device) {
  auto without_paths = config;
  for (const auto& [key, path] : path_keys(without_paths))
    if (!path->empty()) *path = "a file";
  auto settings = to_json(without_paths);
  return {{"program", std::string(kVersion)},
          {"libtorch", TORCH_VERSION + ('\n' + at::show_config())},
          {"processor", kernels::name_of(kernels::active_instruction_set()) + ", " + at::get_cpu_capability()},
          {"device", c10::DeviceTypeName(device.type(), /*lower_case=*/true)},
          {"plain", config.plain},
          {"settings", std::move(settings)}};
}

}  // namespace

void RunProcesses::begin(const RunConfig& config, at::Device device) {
  expect_equal_start(*exchange_, start_of(config, device));
  others_wait_ = exchange_->is_first() && !exchange_->is_alone();
  if (exchange_->is_first()) return;
  if (const auto code = code_of_first(ExitCode::kDone); code != ExitCode::kDone) throw ReportedError(code);
}

void RunProcesses::release(ExitCode code) {
  if (std::exchange(others_wait_, false)) code_of_first(code);
}

void RunProcesses::fail(const Error& fault) {
  release(fault.exit_code());
  if (fault.exit_code() == ExitCode::kDiverged && !exchange_->is_first()) throw ReportedError(fault.exit_code());
}

ExitCode RunProcesses::code_of_first(ExitCode code) {
  return agree(*exchange_, code == ExitCode::kDone ? std::nullopt : std::optional(code), 0).stop.value_or(code);
}

}  // namespace gloss
