#include "run/run_folder.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/safetensors.h"
#include "common/log/log.h"
#include "common/system/descriptor.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "model/storage/model_file.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;
constexpr std::string_view kEarlierModelText =
    "model.safetensors is the model of an earlier run. The run that replaces it has not ended.\n";

/// Returns the files that a new run replaces, without the model and the encoded texts.
std::vector<fs::path> replaced_files(const RunFiles& files) {
  auto replaced = files.checkpoint_files();
  replaced.push_back(files.log);
  replaced.push_back(files.lens);
  replaced.insert(replaced.end(), files.tokenizers.begin(), files.tokenizers.end());
  replaced.push_back(files.config);  // last, since it marks the others as files of a run
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

/// Throws UsageError if a file of the run is a symbolic link, through which the run would change a file elsewhere. A
/// device does not change.
void expect_no_links(const RunFiles& files) {
  std::vector<fs::path> paths{files.model, files.config, files.log,  files.corpus,
                              files.links, files.texts,  files.lens, files.earlier_model};
  paths.insert(paths.end(), files.tokenizers.begin(), files.tokenizers.end());
  std::error_code error;
  for (auto entry = fs::directory_iterator(files.checkpoints, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (checkpoint_step(entry->path().filename().string())) paths.push_back(entry->path());
  for (const auto& path : paths)
    if (fs::is_symlink(path, error) && !fs::is_character_file(path, error))
      throw UsageError(printable(path.string()) +
                       ": wanted a file of the run, got a link, which a run does not follow; remove it or name "
                       "another folder with --out");
}

bool is_run_config(const fs::path& file) {
  try {
    const auto json = parse_json(read_file(file, kMaxConfigBytes));
    return json.is_object() && json.contains("data") && json.contains("model") && json.contains("training");
  } catch (const DataError&) {  // too long
    return false;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

bool is_gloss_model(const fs::path& file) {
  try {
    const auto metadata = SafetensorsFile::open_header(file).metadata();
    const auto format = metadata.find("format");
    return format != metadata.end() && format->second == kModelFormat;
  } catch (const ModelError&) {
    return false;
  }
}

/// Throws IoError if a file that process 0 has written is not seen here. A network's file system may remember for a
/// while that it was missing; it asks again when a folder is opened.
void expect_shared(const fs::path& file) {
  constexpr int kTries = 5;
  std::error_code error;
  for (int i = 0; i < kTries; ++i) {
    const auto folder = fs::absolute(file).parent_path();
    for (const auto& opened : {folder.parent_path(), folder}) fs::directory_iterator(opened, error);
    if (fs::exists(file, error)) return;
    stop_where_requested();
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  throw IoError(printable(file.string()) + ": process 0 has written this file, but this process does not find it" +
                (error ? " (" + error.message() + ')' : "") + "; name a folder with --out that all machines share");
}

/// Throws UsageError if a new run would replace a file that may not belong to a run: a configuration or a model of
/// another program, or tokenizers, a log and a lens in a folder without other files of a run.
void expect_files_of_a_run(const RunFiles& files) {
  const auto refuse = [](const fs::path& file, const std::string& wanted) {
    throw UsageError("--overwrite: " + printable(file.string()) + " is not " + wanted +
                     "; remove it, or name another folder with --out");
  };
  if (fs::exists(files.config) && !is_run_config(files.config)) refuse(files.config, "the configuration of a run");
  if (fs::exists(files.model) && !is_gloss_model(files.model)) refuse(files.model, "a model of gloss");
  if (fs::exists(files.config) || fs::exists(files.texts) || !files.checkpoint_files().empty()) return;
  auto others = files.tokenizers;
  others.push_back(files.log);
  others.push_back(files.lens);
  for (const auto& file : others)
    if (fs::exists(file)) refuse(file, "in the folder of a run");
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

RunFolder::RunFolder(fs::path path, bool resume, bool overwrite, bool writes)
    : path_(std::move(path)), files_(path_), resume_(resume), overwrite_(overwrite) {
  if (!writes) {
    expect_shared(files_.config);
    return;
  }
  folder_.emplace(path_);
  lock_.emplace(path_);
  expect_no_links(files_);
  if (is_used() && !resume && !overwrite)
    throw UsageError(printable(path_.string()) +
                     ": an earlier run is in this folder; go on with --resume, start anew with --overwrite, or "
                     "name another with --out");
  if (resume && fs::exists(files_.model) && !fs::exists(files_.earlier_model) && !resumes())
    throw UsageError(
        printable(path_.string()) +
        ": holds the model of a run but no checkpoint to resume from; start anew with --overwrite, or name "
        "another with --out");
}

bool RunFolder::resumes() const { return resume_ && CheckpointFolder(files_.checkpoints, 1).has_any(); }

bool RunFolder::is_used() const {
  for (const auto& file : {files_.model, files_.checkpoints, files_.config, files_.log, files_.lens})
    if (fs::exists(file)) return true;
  return std::ranges::any_of(files_.tokenizers, [](const fs::path& file) { return fs::exists(file); });
}

void RunFolder::keep() {
  remove_stray_temporaries(path_);
  folder_->keep();
  std::error_code error;
  fs::create_directories(files_.checkpoints, error);
  if (error) throw IoError(printable(files_.checkpoints.string()) + ": cannot be made: " + error.message());
  if (overwrite_) remove_earlier_run();
  flush_folder(path_);
  log_ = EventFile(files_.log);
}

// Removes the files of the earlier run. The model stays until the new one replaces it. The checkpoints go first: if
// that fails, the earlier run still has its configuration and its tokenizers.
void RunFolder::remove_earlier_run() const {
  expect_files_of_a_run(files_);
  const auto replaced = replaced_files(files_);
  expect_removable(files_.model);
  remove_stray_temporaries(files_.checkpoints);
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
  if (!lock_) return;
  log_event(event, fields);
  if (!log_.write(event, std::move(fields)))
    log_warning(printable(files_.log.string()) + ": cannot be written; the log ends here, training goes on");
}

void RunFolder::open_lens() { lens_ = EventFile(files_.lens); }

void RunFolder::write_lens(Json fields) {
  if (lock_ && !lens_.write("lens", std::move(fields)))
    log_warning(printable(files_.lens.string()) + ": cannot be written; the lens ends here, training goes on");
}

}  // namespace gloss
