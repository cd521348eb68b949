#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/check_data.h"
#include "run/doctor/machine_report.h"
#include "run/doctor/run_remarks.h"

namespace gloss {

/// Returns the check as readable lines: each set with its texts, the problems found, and the warnings that training
/// would print.
std::string to_lines(const DataCheck& check);

/// Returns the machine, the needs of the run and the remarks as readable lines.
std::string to_lines(const MachineReport& machine, const std::optional<RunNeeds>& run,
                     const std::vector<Remark>& remarks);

}  // namespace gloss
