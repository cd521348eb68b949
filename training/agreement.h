#pragma once

#include <optional>
#include <string>

#include <c10/core/Device.h>

#include "common/config/json.h"
#include "common/error.h"
#include "training/adam.h"
#include "training/processes/exchange.h"

namespace gloss {

/// The common decisions of the processes of a run between two updates.
struct Agreement {
  std::optional<ExitCode> stop;  ///< a signal asked one of them to stop
  double seconds = 0;            ///< of process 0
};
/// Collective: returns the stop of the lowest process that has one, and the seconds of process 0.
Agreement agree(Exchange& exchange, std::optional<ExitCode> stop, double seconds);

/// Throws UsageError for more processes than shards. On a GPU a batch has a shard for each process.
void expect_enough_shards(const Exchange& exchange, at::Device device, std::int64_t shards);

/// Throws UsageError if the entries of `start` differ, with their keys ("training.max_steps") and the process. All
/// processes but the first throw ReportedError.
void expect_equal_start(Exchange& exchange, const Json& start);

/// Throws Error with ExitCode::kFault on every process if their weights differ.
void expect_equal_weights(Exchange& exchange, const Adam& adam, std::int64_t step);
/// Returns the SHA-256 of all weights, in the order of their names.
std::string hash_of_weights(const Adam& adam);

/// Calls `work` on process 0. If it throws IoError there, the others throw ReportedError.
template <typename Work>
void on_first_process(Exchange& exchange, Work&& work) {
  std::optional<IoError> failure;
  if (exchange.is_first()) {
    try {
      work();
    } catch (const IoError& fault) {
      failure = fault;
    }
  }
  if (exchange.all_gather_texts(failure ? "failed" : "").front().empty()) return;
  if (failure) throw *failure;
  throw ReportedError(ExitCode::kIo);
}

}  // namespace gloss
