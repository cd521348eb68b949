#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gloss {

/// The place of a process among those that train one model together, and the address of their store.
struct ProcessPlace {
  std::int64_t rank = 0;              ///< from 0
  std::int64_t size = 1;              ///< number of processes
  std::int64_t local_size = 1;        ///< of them, on this machine; 1 with srun on several machines
  std::int64_t local_rank = 0;        ///< number among those of this machine
  bool is_bound = false;              ///< the starter may have given each process processors of its own
  std::string address = "127.0.0.1";  ///< of the store in which the processes find each other
  std::uint16_t port = 29500;         ///< of the store
  bool store_is_there = false;        ///< the starter keeps the store; otherwise process 0 does
  std::string job = {};               ///< the starter's name of the run
  std::string attempt = "0";          ///< number of the restart; each job and attempt has keys of its own in the store
};

/// Returns the value of an environment variable, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> environment_variable(const std::string& name);

/// Reads the place from the variables of torchrun, of OpenMPI's mpirun or of Slurm's srun, the first that are set.
/// torchrun sets RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Slurm sets
/// SLURM_PROCID, SLURM_STEP_NUM_TASKS and SLURM_LOCALID, OpenMPI OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE and
/// OMPI_COMM_WORLD_LOCAL_RANK. Neither of the two sets the address of the store; MASTER_ADDR and MASTER_PORT must be
/// set if there are several machines. Returns nothing if no starter is known, or for one process. Throws UsageError
/// with the name of a variable that is missing or wrong.
std::optional<ProcessPlace> process_place(const Environment& environment = environment_variable);

/// Returns whether an address is this machine's loopback interface: localhost, 127.x.x.x or ::1.
bool is_loopback(const std::string& address);

/// Returns the number of threads that each process takes by default: `available` divided by the processes of this
/// machine, at least 1. If the starter has bound the process to some of the `online` processors, all of those.
int default_threads(const ProcessPlace& place, int available, int online);

}  // namespace gloss
