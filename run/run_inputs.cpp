#include "run/run_inputs.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "data/scan_texts.h"
#include "run/config/run_files.h"
#include "run/config/training_texts.h"
#include "run/run_report.h"
#include "tensor/runtime.h"

namespace gloss {
namespace {

std::optional<LinePairs> validation_set(const DataConfig& data) {
  if (data.valid_source.empty()) return std::nullopt;
  expect_aligned(TextFiles{data.valid_source, data.valid_target});
  return read_line_pairs(data.valid_source, data.valid_target);
}

std::optional<LinePairs> test_set(const DataConfig& data) {
  if (data.test_source.empty()) return std::nullopt;
  auto test = read_line_pairs(data.test_source, data.test_target);
  if (test.sources.empty())
    throw DataError(printable(data.test_source) + " and " + printable(data.test_target) +
                    ": wanted lines to test with, got empty files; leave them out of the run file");
  return test;
}

/// Returns the texts that were read for the defaults, or new ones if those lack a result or have changed.
std::shared_ptr<TrainingTexts> training_texts(const TrainTranslateOptions& options) {
  auto files = options.config.data.training_texts();
  const auto needed = scan_options(options.config);
  if (options.texts && options.texts->serves(files, needed)) return options.texts;
  return std::make_shared<TrainingTexts>(std::move(files), needed);
}

std::optional<Validator> make_validator(const TrainTranslateOptions& options, std::optional<LinePairs> text,
                                        const RunTokenizers& tokenizers) {
  if (!text) return std::nullopt;
  std::optional<Validator> validator;
  validator.emplace(options.config, *std::move(text), tokenizers.source(), tokenizers.target(),
                    std::max(options.samples, Validator::kLoggedSamples));
  return validator;
}

}  // namespace

RunInputs read_inputs(const TrainTranslateOptions& options, const RunFolder& folder) {
  const auto& config = options.config;
  const auto& data = config.data;
  InitialWeights initial(config, folder.resumes());
  auto valid = validation_set(data);
  auto test = test_set(data);
  CorpusCache cache(config, folder, training_texts(options));
  auto& texts = cache.texts();
  if (!cache.has_texts()) expect_aligned(texts.scan());
  if (!folder.resumes()) print_notes(options);
  const HoldOut* held_out = data.hold_out ? &*texts.scan().held_out : nullptr;
  if (held_out != nullptr) {
    report_hold_out(*held_out);
    if (!held_out->sources().empty()) valid = LinePairs{held_out->sources(), held_out->targets()};
  }
  RunTokenizers tokenizers(config, folder, cache, initial.tokenizers());
  texts.drop_samples();
  initial.read_embeddings(*tokenizers.source(), *tokenizers.target());
  give_back_memory();
  stop_where_requested();
  cache.load(tokenizers.by_name(), *tokenizers.source(), *tokenizers.target(), options.threads, held_out);
  auto validator = make_validator(options, std::move(valid), tokenizers);
  stop_where_requested();
  return {std::move(initial), std::move(tokenizers), std::move(cache), std::move(validator), std::move(test)};
}

void print_notes(const TrainTranslateOptions& options) {
  for (const auto& note : options.notes) log_info(note);
}

void warn_of_inputs(const RunInputs& inputs, const DataConfig& data) {
  const auto texts = data.training_texts();
  for (std::size_t i = 0; i < texts.size(); ++i)
    warn_of("training", inputs.corpus().reports().at(i), data, texts.size() > 1 ? names_of(texts[i]) : "");
  if (!inputs.initial.warning().empty()) log_warning(inputs.initial.warning());
  if (!inputs.validator) return;
  for (const auto& report : inputs.validator->corpus().reports()) warn_of("validation", report, data);
  if (inputs.validator->corpus().hash() == inputs.corpus().hash())
    log_warning("data.valid_source and data.valid_target: are the training data; the scores will be too high");
}

Json run_identity(const RunConfig& config, const RunTokenizers& tokenizers, const ParallelCorpus& corpus,
                  const std::optional<Validator>& validator) {
  auto identity = settings_identity(config);
  identity["training corpus"] = corpus.hash();
  if (corpus.reports().size() > 1) {  // the hash is over the pairs of all texts, which weights tell apart
    auto& pairs = identity["pairs of the training texts"] = Json::array();
    for (const auto& report : corpus.reports()) pairs.push_back(report.pairs);
  }
  if (corpus.links() != nullptr) identity["training alignment"] = corpus.links()->hash();
  if (validator) identity["validation set"] = validator->hash();
  if (config.plain) identity["--plain"] = true;  // left out otherwise, so that earlier runs can be resumed
  for (const auto& [name, tokenizer] : tokenizers.by_name()) identity[name] = sha256(tokenizer->serialized());
  return identity;
}

}  // namespace gloss
