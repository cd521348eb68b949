#include "run/config/run_files.h"

#include <algorithm>
#include <system_error>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/log/log.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "model/storage/model_file.h"
#include "training/checkpoint.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

}  // namespace

void expect_named_file(const std::string& key, const fs::path& file) {
  if (!fs::exists(TextPath::of(file).file))
    throw DataError(printable(file.string()) + ": " + key + " names this file, but it is not there");
}

std::vector<NamedFile> files_read(RunConfig config) {
  std::vector<NamedFile> files;
  for (const auto& [key, path] : path_keys(config))
    if (!path->empty())
      files.push_back({key, path == &config.training.start_from ? model_path(*path) : fs::path(*path)});
  return files;
}

RunFiles::RunFiles(const fs::path& folder)
    : model(folder / kModelFileName),
      config(folder / "config.json"),
      log(folder / "log.jsonl"),
      corpus(folder / "corpus.cache"),
      texts(folder / "corpus.texts.json"),
      lens(folder / "lens.jsonl"),
      earlier_model(folder / "earlier_model.txt"),
      checkpoints(folder / kCheckpointsFolder) {
  for (const auto* name : {kJointTokenizer, kSourceTokenizer, kTargetTokenizer}) tokenizers.push_back(folder / name);
}

std::vector<fs::path> RunFiles::checkpoint_files() const {
  std::vector<fs::path> files;
  std::error_code error;
  if (!fs::exists(checkpoints, error) && !error) return files;
  for (auto entry = fs::directory_iterator(checkpoints, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (entry->is_symlink() ? name == kBestCheckpoint : entry->is_regular_file() && checkpoint_step(name))
      files.push_back(entry->path());
  }
  if (error) throw IoError(printable(checkpoints.string()) + ": cannot list the folder: " + error.message());
  return files;
}

RunOutputs run_outputs(const fs::path& folder, bool resume) {
  const RunFiles files(folder);
  RunOutputs outputs;
  const auto add = [](std::vector<NamedFile>& to, const fs::path& path) { to.push_back({"the run folder", path}); };
  for (const auto& path : {files.model, files.log, files.lens, files.corpus, files.texts, files.earlier_model})
    add(outputs.written, path);
  const bool resumes = resume && CheckpointFolder(files.checkpoints, 1).has_any();
  add(resumes ? outputs.kept : outputs.written, files.config);
  for (const auto& path : files.tokenizers) add(resumes ? outputs.kept : outputs.written, path);
  for (const auto& path : files.checkpoint_files())
    if (!fs::is_symlink(path)) add(outputs.written, path);
  return outputs;
}

std::string resume_command(const fs::path& folder, const std::string& options) {
  return "gloss train-translate --resume " + shell_quoted(folder) + options;
}

void warn_of_earlier_model(const fs::path& model_file) {
  const RunFiles files(model_file.parent_path());
  if (model_file == files.model && fs::exists(files.earlier_model))
    log_warning(printable(model_file.string()) +
                ": is the model of an earlier run; the run that replaces it has not ended; continue it with " +
                resume_command(model_file.parent_path()));
}

}  // namespace gloss
