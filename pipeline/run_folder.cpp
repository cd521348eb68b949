#include "pipeline/run_folder.h"

#include <array>
#include <system_error>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/log.h"
#include "model/model_file.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::array kLeftByARun = {"model.safetensors", "checkpoints",    "config.json",   "log.jsonl",
                                    kJointTokenizer,     kSourceTokenizer, kTargetTokenizer};

}  // namespace

RunFolder::MadeFolder::MadeFolder(const fs::path& path) {
  std::error_code error;
  for (auto missing = fs::absolute(path); !fs::exists(missing, error) && missing.has_relative_path();
       missing = missing.parent_path())
    made_.push_back(missing);
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error)) return;
  remove();
  throw IoError(printable(path.string()) + ": cannot be made a folder: " + (error ? error.message() : "it is a file") +
                "; name another with --out");
}

RunFolder::MadeFolder::~MadeFolder() { remove(); }

void RunFolder::MadeFolder::keep() {
  for (const auto& folder : made_) flush_folder(folder.parent_path());
  made_.clear();
}

void RunFolder::MadeFolder::remove() const {
  std::error_code ignored;
  for (const auto& folder : made_) fs::remove(folder, ignored);
}

RunFolder::RunFolder(fs::path path, bool resume, bool overwrite)
    : path_(std::move(path)), resume_(resume), overwrite_(overwrite), folder_(path_), lock_(path_) {
  if (is_used() && !resume && !overwrite)
    throw UsageError(printable(path_.string()) +
                     ": an earlier run is in this folder; go on with --resume, start anew with --overwrite, or "
                     "name another with --out");
  if (resume && fs::exists(model_file()) && !resumes())
    throw UsageError(
        printable(path_.string()) +
        ": holds the model of a run but no checkpoint to resume from; start anew with --overwrite, or name "
        "another with --out");
}

bool RunFolder::resumes() const { return resume_ && CheckpointFolder(checkpoints(), 1).has_any(); }

bool RunFolder::is_used() const {
  for (const auto* file : kLeftByARun)
    if (fs::exists(path_ / file)) return true;
  return false;
}

void RunFolder::keep() {
  remove_stray_temporaries(path_);
  if (overwrite_)
    for (const auto* file : kLeftByARun) {
      std::error_code error;
      fs::remove_all(path_ / file, error);
      if (error) throw IoError(printable((path_ / file).string()) + ": cannot be removed: " + error.message());
    }
  folder_.keep();
  std::error_code error;
  fs::create_directories(checkpoints(), error);
  if (error) throw IoError(printable(checkpoints().string()) + ": cannot be made: " + error.message());
  flush_folder(path_);
  log_ = EventFile(log_file());
}

void RunFolder::log(const std::string& event, Json fields) {
  log_event(event, fields);
  if (!log_.write(event, std::move(fields)))
    log_warning(printable(log_file().string()) + ": cannot be written; the log ends here, training goes on");
}

}  // namespace gloss
