#pragma once

#include <filesystem>
#include <string>

#include "common/event_file.h"
#include "common/file_lock.h"
#include "common/json.h"

namespace gloss {

/// The folder of one run, held by this process: model.safetensors, checkpoints/, log.jsonl, config.json and the
/// tokenizers.
class RunFolder {
 public:
  /// Makes and locks the folder. Throws UsageError where an earlier run has left something in it and neither `resume`
  /// nor `overwrite` is set, LockedError, IoError. Until `keep` nothing stays behind: a folder made here is removed
  /// again.
  RunFolder(std::filesystem::path path, bool resume, bool overwrite);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// The run begins: what killed processes left half written is removed, with `overwrite` also what the earlier run
  /// left, and log.jsonl is opened. Throws IoError.
  void keep();

  std::filesystem::path model_file() const { return path_ / "model.safetensors"; }
  std::filesystem::path config_file() const { return path_ / "config.json"; }
  std::filesystem::path log_file() const { return path_ / "log.jsonl"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  /// `name` as in the model file: tokenizer.model, source_tokenizer.model, target_tokenizer.model.
  std::filesystem::path tokenizer_file(const std::string& name) const { return path_ / name; }
  bool resumes() const { return resume_; }

  /// Adds a line to log.jsonl, and the same to --log-json.
  void log(const std::string& event, Json fields);

 private:
  /// Makes a folder and, unless it is kept, removes it again where it is empty.
  class MadeFolder {
   public:
    explicit MadeFolder(const std::filesystem::path& path);
    ~MadeFolder();
    void keep() { made_ = false; }

   private:
    std::filesystem::path path_;
    bool made_;
  };

  bool is_used() const;

  std::filesystem::path path_;
  bool resume_, overwrite_;
  MadeFolder folder_;
  FileLock lock_;
  EventFile log_;
};

}  // namespace gloss
