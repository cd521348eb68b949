#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/doctor/machine_report.h"
#include "pipeline/doctor/run_remarks.h"

namespace gloss {

/// Returns the machine, the needs of the run and the remarks as readable lines.
std::string to_lines(const MachineReport& machine, const std::optional<RunNeeds>& run,
                     const std::vector<Remark>& remarks);

}  // namespace gloss
