#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "run/doctor/machine_report.h"
#include "run/estimate/run_length.h"
#include "run/estimate/training_needs.h"

namespace gloss {

/// The needs of a run, and the free disk space for it.
struct RunNeeds {
  TrainingNeeds training;
  std::filesystem::path out;
  std::int64_t disk_free = 0;  ///< bytes
  RunLength length = {};       ///< zeros if the text cannot be read
};

/// Returns the free bytes of the file system of `folder`, which may not exist yet.
std::int64_t free_disk(const std::filesystem::path& folder);

/// Returns a remark for each resource that will be short.
std::vector<Remark> remarks_on(const RunNeeds& run, const MachineReport& machine);

}  // namespace gloss
