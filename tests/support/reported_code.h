#pragma once

#include "common/error.h"

namespace gloss {

/// Returns the exit code of the ReportedError that `work` throws, or kDone if it throws none.
template <typename Work>
ExitCode reported_code(Work&& work) {
  try {
    work();
  } catch (const ReportedError& fault) {
    return fault.exit_code();
  }
  return ExitCode::kDone;
}

}  // namespace gloss
