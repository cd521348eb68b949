#include "run/config/run_files.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "common/config/settings.h"
#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/files/same_file.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "data/scan_texts.h"
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
      links(folder / "corpus.links.cache"),
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
  for (const auto& path :
       {files.model, files.log, files.lens, files.corpus, files.links, files.texts, files.earlier_model})
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

void expect_two_files(const std::filesystem::path& source, const std::filesystem::path& target,
                      const std::string& source_name, const std::string& target_name) {
  const auto from = TextPath::of(source), to = TextPath::of(target);
  if (same_file(from.file, to.file) && from.column == to.column)
    throw UsageError(target_name + ": is the same file as " + source_name);
}

void expect_data_files(const DataConfig& data) {
  if (data.stages.empty()) {
    require(!data.train_source.empty(), "data.train_source", "the file of source sentences to train on",
            data.train_source);
    require(!data.train_target.empty(), "data.train_target", "the file of their translations", data.train_target);
  }
  auto copy = data;
  for (const auto& [key, path] : data_settings().paths(copy))
    if (!path->empty()) expect_named_file(key, *path);
  if (data.stages.empty())
    expect_two_files(data.train_source, data.train_target, "data.train_source", "data.train_target");
  for (std::size_t i = 0; i < data.stages.size(); ++i)
    for (std::size_t j = 0; j < data.stages[i].sources.size(); ++j) {
      const auto& text = data.stages[i].sources[j];
      expect_two_files(text.source, text.target, key_of_text(i, j) + ".source", key_of_text(i, j) + ".target");
    }
}

void expect_aligned(const TextFiles& text) { expect_aligned(scan_texts(text, {.before_pair = stop_where_requested})); }

}  // namespace gloss
