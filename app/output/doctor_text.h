#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/doctor/machine_report.h"
#include "pipeline/doctor/memory_estimate.h"
#include "pipeline/run/run_length.h"

namespace gloss {

/// The needs of a run, and the free disk space for it.
struct RunNeeds {
  TrainingNeeds training;
  std::filesystem::path out;
  std::int64_t disk_free = 0;  ///< bytes
  RunLength length = {};       ///< zeros if the text cannot be read
};

/// Returns a remark for each resource that will be short.
std::vector<Remark> remarks_on(const RunNeeds& run, const MachineReport& machine);

/// Returns the machine, the needs of the run and the remarks as readable lines.
std::string to_lines(const MachineReport& machine, const std::optional<RunNeeds>& run,
                     const std::vector<Remark>& remarks);

}  // namespace gloss
