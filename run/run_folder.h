#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "common/files/file_lock.h"
#include "common/log/event_file.h"
#include "run/config/run_files.h"

namespace gloss {

/// The folder of one run, held by this process: model.safetensors, checkpoints/, log.jsonl, lens.jsonl, config.json and
/// the tokenizers.
class RunFolder {
 public:
  /// Makes and locks the folder. The destructor removes the folders that were made here, unless `keep` was called.
  /// Throws UsageError if the folder has files of an earlier run and neither `resume` nor `overwrite` is set;
  /// LockedError; IoError.
  ///
  /// Without `writes`, another process of the run holds the folder and has written its configuration; throws IoError if
  /// that is not seen here. This process only reads the files there: it neither makes nor locks the folder, and its
  /// log and lens are discarded. Then do not call `keep`.
  RunFolder(std::filesystem::path path, bool resume, bool overwrite, bool writes = true);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Begins the run. Removes temporary files of killed processes and, with `overwrite`, the files of the earlier run
  /// except its model. Flushes the folders to the disk and opens log.jsonl. Throws IoError; if a file of the earlier
  /// run cannot be removed, none is.
  void keep();
  /// Records that the run has written its model, which replaces that of an earlier run. Throws IoError.
  void model_is_written();

  const RunFiles& files() const { return files_; }
  /// Returns the file of a tokenizer. `name` is that of the model file: tokenizer.model, source_tokenizer.model or
  /// target_tokenizer.model.
  std::filesystem::path tokenizer_file(const std::string& name) const { return path_ / name; }
  /// Returns whether the run continues from a checkpoint: `resume` is set and there is one.
  bool resumes() const;

  /// Adds a line to log.jsonl and to the file of --log-json.
  void log(const std::string& event, Json fields);
  /// Opens lens.jsonl, to which the run adds. Throws IoError.
  void open_lens();
  /// Adds a line to lens.jsonl.
  void write_lens(Json fields);

 private:
  /// Makes a folder and its parents. The destructor removes the empty ones again, unless `keep` was called.
  class MadeFolder {
   public:
    explicit MadeFolder(const std::filesystem::path& path);
    ~MadeFolder();
    void keep();  ///< flushes the parents, so that the folders survive a power cut. Throws IoError

   private:
    void remove() const;

    std::vector<std::filesystem::path> made_;  ///< the deepest first
  };

  bool is_used() const;
  void remove_earlier_run() const;

  std::filesystem::path path_;
  RunFiles files_;
  bool resume_, overwrite_;
  std::optional<MadeFolder> folder_;
  std::optional<FileLock> lock_;
  EventFile log_, lens_;
};

}  // namespace gloss
