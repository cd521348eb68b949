#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/files/same_file.h"
#include "data/aligned_reader.h"
#include "data/data_config.h"
#include "run/config/run_config.h"

namespace gloss {

/// Throws DataError unless the file exists that the run file names by `key`.
void expect_named_file(const std::string& key, const std::filesystem::path& file);

/// Returns the files that a run file names, each with its key.
std::vector<NamedFile> files_read(RunConfig config);

/// The files of a run folder that gloss writes, whether they exist or not.
struct RunFiles {
  std::filesystem::path model, config, log;
  /// The encoded texts (corpus_cache.h): ids, links of their alignments, and the hashes and stamps of texts.
  std::filesystem::path corpus, links, texts;
  std::filesystem::path lens;           ///< with lens.sentences
  std::filesystem::path earlier_model;  ///< exists while `model` is the model of a run that is being replaced
  std::vector<std::filesystem::path> tokenizers;
  std::filesystem::path checkpoints;  ///< the folder

  explicit RunFiles(const std::filesystem::path& folder);
  /// Returns the existing checkpoints and the link to the best one; other files of their folder are not gloss's. Throws
  /// IoError.
  std::vector<std::filesystem::path> checkpoint_files() const;
};

/// The files of a run folder that a run writes, and those that it only keeps. A run that resumes from a checkpoint may
/// read the configuration and the tokenizers of its own folder.
struct RunOutputs {
  std::vector<NamedFile> written, kept = {};
};
RunOutputs run_outputs(const std::filesystem::path& folder, bool resume);

/// Returns the command that continues the run in `folder`, such as "gloss train-translate --resume runs/x --threads 1".
/// `options` is empty or begins with a space.
std::string resume_command(const std::filesystem::path& folder, const std::string& options = "");

/// Warns if `model_file` is the model of an earlier run that an unfinished run in its folder will replace.
void warn_of_earlier_model(const std::filesystem::path& model_file);

/// Checks the files of a run before the first is read. Each must be named and exist, and the two sides of a training
/// text must be two files. Throws UsageError naming the key, or DataError for a missing file.
void expect_data_files(const DataConfig& data);

/// Throws UsageError if two sides of a text are one file. The names are keys or paths, for the message.
void expect_two_files(const std::filesystem::path& source, const std::filesystem::path& target,
                      const std::string& source_name, const std::string& target_name);

/// Reads a text once and checks it. Throws as expect_aligned(const ScannedTexts&) and scan_texts, and Stopped after a
/// signal.
void expect_aligned(const TextFiles& text);

}  // namespace gloss
