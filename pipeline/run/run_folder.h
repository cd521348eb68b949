#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "common/files/event_file.h"
#include "common/files/file_lock.h"
#include "pipeline/run/run_files.h"

namespace gloss {

/// The folder of one run, held by this process: model.safetensors, checkpoints/, log.jsonl, config.json and the
/// tokenizers.
class RunFolder {
 public:
  /// Makes and locks the folder. Throws UsageError where an earlier run has left something in it and neither `resume`
  /// nor `overwrite` is set, LockedError, IoError. Until `keep` nothing stays behind: a folder made here is removed
  /// again, and so are its parents.
  RunFolder(std::filesystem::path path, bool resume, bool overwrite);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// The run begins: what killed processes left half written is removed, with `overwrite` also what the earlier run
  /// left, its model excepted, the folders are flushed to the disk, and log.jsonl is opened. Throws IoError; nothing
  /// was removed where a file cannot be.
  void keep();
  /// The run has written its model; one that an earlier run left is replaced. Throws IoError.
  void model_is_written();

  const std::filesystem::path& model_file() const { return files_.model; }
  const std::filesystem::path& config_file() const { return files_.config; }
  const std::filesystem::path& log_file() const { return files_.log; }
  const std::filesystem::path& checkpoints() const { return files_.checkpoints; }
  /// The ids of the training data, and what the texts were like that they are made of.
  const std::filesystem::path& corpus_file() const { return files_.corpus; }
  const std::filesystem::path& texts_file() const { return files_.texts; }
  /// `name` as in the model file: tokenizer.model, source_tokenizer.model, target_tokenizer.model.
  std::filesystem::path tokenizer_file(const std::string& name) const { return path_ / name; }
  /// The run goes on from a checkpoint: `resume` is set and there is one.
  bool resumes() const;

  /// Adds a line to log.jsonl, and the same to --log-json.
  void log(const std::string& event, Json fields);

 private:
  /// Makes a folder and its parents and, unless they are kept, removes those again that are empty.
  class MadeFolder {
   public:
    explicit MadeFolder(const std::filesystem::path& path);
    ~MadeFolder();
    void keep();  ///< also through a power cut. Throws IoError

   private:
    void remove() const;

    std::vector<std::filesystem::path> made_;  ///< the deepest first
  };

  bool is_used() const;
  void remove_earlier_run() const;

  std::filesystem::path path_;
  RunFiles files_;
  bool resume_, overwrite_;
  MadeFolder folder_;
  FileLock lock_;
  EventFile log_;
};

}  // namespace gloss
