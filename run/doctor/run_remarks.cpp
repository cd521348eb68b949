#include "run/doctor/run_remarks.h"

#include <string>
#include <system_error>

#include "common/text/format.h"

namespace gloss {

std::int64_t free_disk(const std::filesystem::path& folder) {
  auto place = std::filesystem::absolute(folder);
  std::error_code error;
  while (!std::filesystem::exists(place, error) && place.has_parent_path() && place != place.parent_path())
    place = place.parent_path();
  const auto space = std::filesystem::space(place, error);
  return error ? 0 : static_cast<std::int64_t>(space.available);
}

std::vector<Remark> remarks_on(const RunNeeds& run, const MachineReport& machine) {
  std::vector<Remark> remarks;
  const bool tried = run.training.tried;
  const auto needed = run.training.memory();
  const auto needs =
      std::string("training needs ") + (tried ? "" : "at least ") + short_bytes_text(needed) + " of memory, ";
  const std::string advice =
      run.training.batches > 0
          ? "; lower data.batch_tokens (and raise training.accumulate), or the sizes of the model"
          : ", batches not counted, which were not tried; make room, or lower the sizes of the model";
  if (needed > machine.usable_memory)
    remarks.push_back(
        {needs + "of which there are " + short_bytes_text(machine.usable_memory) + advice, ExitCode::kOutOfMemory});
  else if (needed > machine.free_memory || !tried)
    remarks.push_back({needs + "of which " + short_bytes_text(machine.free_memory) + " are free now" + advice});
  if (!run.training.unknown.empty())
    remarks.push_back(
        {"not all of the text can be looked at, so that lengths of sentences are guessed or a phase is "
         "left out: " +
         run.training.unknown});
  if (run.training.disk() > run.disk_free)
    remarks.push_back({"checkpoints, model and corpus.cache need " + short_bytes_text(run.training.disk()) +
                           " of disk, of which " + short_bytes_text(run.disk_free) +
                           " are free; lower training.keep_checkpoints, or use another --out",
                       ExitCode::kIo});
  return remarks;
}

}  // namespace gloss
