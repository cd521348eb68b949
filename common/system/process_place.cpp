#include "common/system/process_place.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxProcesses = 4096;
constexpr std::int64_t kMaxPort = 65535;

/// The variables of a program that starts processes.
struct Starter {
  const char *rank, *size, *local_rank, *local_size, *job;
  bool binds;
};

// The first whose variables are set counts. In a job of Slurm, torchrun and mpirun are started by srun, whose variables
// are then set for their processes, too.
constexpr std::array<Starter, 3> kStarters = {{
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID", false},  // torchrun
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "PMIX_NAMESPACE", true},                                                                  // mpirun
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr, "SLURM_JOB_ID", true},  // srun
}};

/// Returns the value of a variable that is set.
std::int64_t number(const Environment& environment, const char* name, std::int64_t min, std::int64_t max) {
  const auto text = environment(name).value();
  const auto value = parse_number<std::int64_t>(text);
  if (!value || *value < min || *value > max)
    throw UsageError(std::string(name) + ": wanted " + std::to_string(min) + " to " + std::to_string(max) + ", got " +
                     printable(text, 40));
  return *value;
}

}  // namespace

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<ProcessPlace> process_place(const Environment& environment) {
  if (const auto size = environment("WORLD_SIZE"); size.has_value() != environment("RANK").has_value() && size != "1")
    throw UsageError(size ? "RANK: wanted beside WORLD_SIZE, got none" : "WORLD_SIZE: wanted beside RANK, got none");
  const auto* const starter = std::ranges::find_if(
      kStarters, [&](const Starter& each) { return environment(each.rank) && environment(each.size); });
  if (starter == kStarters.end()) return std::nullopt;
  ProcessPlace place;
  place.size = number(environment, starter->size, 1, kMaxProcesses);
  if (place.size == 1) return std::nullopt;
  place.rank = number(environment, starter->rank, 0, place.size - 1);
  place.is_bound = starter->binds;
  if (starter->local_size == nullptr)
    place.local_size = environment("SLURM_STEP_NUM_NODES").value_or("") == "1" ? place.size : 1;
  else if (environment(starter->local_size))
    place.local_size = number(environment, starter->local_size, 1, place.size);
  place.local_rank = environment(starter->local_rank) ? number(environment, starter->local_rank, 0, place.size - 1)
                                                      : place.rank % place.local_size;
  if (const auto address = environment("MASTER_ADDR").value_or(""); !address.empty())
    place.address = is_loopback(address) ? "127.0.0.1" : address;  // the store listens at one loopback address
  else if (place.local_size < place.size)
    throw UsageError(
        "MASTER_ADDR: wanted the name or address of the machine of process 0, got none; 127.0.0.1 if all are on one");
  if (environment("MASTER_PORT"))
    place.port = static_cast<std::uint16_t>(number(environment, "MASTER_PORT", 1, kMaxPort));
  place.store_is_there = environment("TORCHELASTIC_USE_AGENT_STORE").value_or("") == "True";
  place.job = environment(starter->job).value_or("");
  place.attempt = environment("TORCHELASTIC_RESTART_COUNT").value_or("0");
  return place;
}

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

int default_threads(const ProcessPlace& place, int available, int online) {
  if (place.is_bound && available < online) return available;
  return std::max(1, available / static_cast<int>(place.local_size));
}

}  // namespace gloss
