#include "pipeline/run/run_folder.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/descriptor.h"
#include "common/log.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEarlierModelText =
    "model.safetensors is the model of an earlier run. The run that replaces it has not ended.\n";

/// The files that a new run replaces, the model and what is made of the texts left out.
std::vector<fs::path> replaced_files(const RunFiles& files) {
  auto replaced = files.checkpoint_files();
  replaced.insert(replaced.end(), {files.log, files.config});
  replaced.insert(replaced.end(), files.tokenizers.begin(), files.tokenizers.end());
  return replaced;
}

/// Throws IoError unless `path` is a regular file, a link or missing, and its folder may be written to.
void expect_removable(const fs::path& path) {
  std::error_code error;
  const auto type = fs::symlink_status(path, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::symlink && type != fs::file_type::not_found)
    throw IoError(printable(path.string()) +
                  ": cannot be replaced: it is no regular file; remove it, or name another "
                  "folder with --out");
  if (::access(path.parent_path().c_str(), W_OK | X_OK) != 0) throw_io_error(path, "replace");
}

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
    : path_(std::move(path)), files_(path_), resume_(resume), overwrite_(overwrite), folder_(path_), lock_(path_) {
  if (is_used() && !resume && !overwrite)
    throw UsageError(printable(path_.string()) +
                     ": an earlier run is in this folder; go on with --resume, start anew with --overwrite, or "
                     "name another with --out");
  if (resume && fs::exists(model_file()) && !fs::exists(files_.earlier_model) && !resumes())
    throw UsageError(
        printable(path_.string()) +
        ": holds the model of a run but no checkpoint to resume from; start anew with --overwrite, or name "
        "another with --out");
}

bool RunFolder::resumes() const { return resume_ && CheckpointFolder(checkpoints(), 1).has_any(); }

bool RunFolder::is_used() const {
  for (const auto& file : {files_.model, files_.checkpoints, files_.config, files_.log})
    if (fs::exists(file)) return true;
  return std::ranges::any_of(files_.tokenizers, [](const fs::path& file) { return fs::exists(file); });
}

void RunFolder::keep() {
  remove_stray_temporaries(path_);
  folder_.keep();
  std::error_code error;
  fs::create_directories(checkpoints(), error);
  if (error) throw IoError(printable(checkpoints().string()) + ": cannot be made: " + error.message());
  if (overwrite_) remove_earlier_run();
  flush_folder(path_);
  log_ = EventFile(log_file());
}

// The model stays until the new one takes its place. The checkpoints go first: where that fails, the earlier run still
// has its configuration and its tokenizers.
void RunFolder::remove_earlier_run() const {
  const auto replaced = replaced_files(files_);
  expect_removable(files_.model);
  remove_stray_temporaries(checkpoints());
  for (const auto& file : replaced) expect_removable(file);
  if (fs::exists(files_.model)) write_file(files_.earlier_model, kEarlierModelText);
  for (const auto& file : replaced) {
    std::error_code error;
    fs::remove(file, error);
    if (error) throw IoError(printable(file.string()) + ": cannot be removed: " + error.message());
  }
}

void RunFolder::model_is_written() {
  if (!fs::exists(files_.earlier_model)) return;
  std::error_code error;
  fs::remove(files_.earlier_model, error);
  if (error) throw IoError(printable(files_.earlier_model.string()) + ": cannot be removed: " + error.message());
  flush_folder(path_);
}

void RunFolder::log(const std::string& event, Json fields) {
  log_event(event, fields);
  if (!log_.write(event, std::move(fields)))
    log_warning(printable(log_file().string()) + ": cannot be written; the log ends here, training goes on");
}

}  // namespace gloss
