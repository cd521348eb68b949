#include <cstddef>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/align_options.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/system/signals.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

constexpr const char* kTokenizerOption = "--tokenizer";

CommandFiles files_of(const AlignOptions& options) {
  CommandFiles files;
  if (options.model) files.inputs = model_inputs({*options.model});
  for (const auto& file : options.tokenizers) files.inputs.push_back({kTokenizerOption, file});
  files.inputs.insert(files.inputs.end(), {{"--source", options.job.source}, {"--target", options.job.target}});
  if (options.job.lexical_table) files.outputs.push_back({"--lexical-table", *options.job.lexical_table});
  if (options.job.reverse_lexical_table)
    files.outputs.push_back({"--reverse-lexical-table", *options.job.reverse_lexical_table});
  return files;
}

}  // namespace

ExitCode run(const AlignOptions& options) {
  const StopOnSignal stop(kSecondsToStop);
  const auto files = files_of(options);
  auto job = options.job;
  job.model.threads = set_up(options.common, files).threads;
  expect_input_file("--source", job.source);
  expect_input_file("--target", job.target);
  for (const auto& [option, path] : files.outputs)
    expect_output_file(option, path, "the name of a table to write", options.overwrite);
  if (job.best > 0 && files.outputs.empty()) throw UsageError("--best: wanted only with a lexical table");
  if (options.model) {
    name_by_option(translation_names(), [&] {
      const auto model = load_translation_model(*options.model, at::kCPU);
      job.source_tokenizer = model.source_tokenizer;
      job.target_tokenizer = model.target_tokenizer;
    });
  } else if (!options.tokenizers.empty()) {
    for (const auto& file : options.tokenizers)
      expect_input_file(kTokenizerOption, file, "a SentencePiece model, as runs/en-de/tokenizer.model");
    job.source_tokenizer = load_tokenizer(options.tokenizers.front());
    job.target_tokenizer =
        options.tokenizers.size() > 1 ? load_tokenizer(options.tokenizers.back()) : job.source_tokenizer;
  }
  align_texts(job, [](const std::string& lines) { write_result(lines); });
  return ExitCode::kDone;
}

}  // namespace gloss
