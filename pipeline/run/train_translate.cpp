#include "pipeline/run/train_translate.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/log.h"
#include "common/system/memory.h"
#include "common/system/stop.h"
#include "common/version.h"
#include "data/parallel_corpus.h"
#include "model/make_model.h"
#include "model/storage/model_file.h"
#include "model/storage/parameter_shapes.h"
#include "pipeline/data_files.h"
#include "pipeline/doctor/memory_estimate.h"
#include "pipeline/evaluate.h"
#include "pipeline/models/translation_model.h"
#include "pipeline/run/corpus_cache.h"
#include "pipeline/run/initial_weights.h"
#include "pipeline/run/run_files.h"
#include "pipeline/run/run_folder.h"
#include "pipeline/run/run_forecast.h"
#include "pipeline/run/run_identity.h"
#include "pipeline/run/run_report.h"
#include "pipeline/run/run_summary.h"
#include "pipeline/run/run_tokenizers.h"
#include "pipeline/run/validation.h"
#include "pipeline/runtime.h"
#include "training/checkpoint.h"
#include "training/mixed_precision.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// Everything that a run reads before its first step.
struct RunInputs {
  InitialWeights initial;
  RunTokenizers tokenizers;
  CorpusCache cache;
  std::optional<Validator> validator;
  std::optional<TestSet> test;

  const ParallelCorpus& corpus() const { return cache.corpus(); }
};

/// What can be refused soon comes first: of all files that they are texts of equally many lines, before a tokenizer is
/// trained and the texts are encoded.
RunInputs read_material(const RunConfig& config, const RunFolder& folder, int threads, std::size_t samples) {
  const auto& data = config.data;
  InitialWeights initial(config, folder.resumes());
  std::optional<TestSet> valid, test;
  if (!data.valid_source.empty()) {
    expect_aligned(data.valid_source, data.valid_target);
    valid = read_test_set(data.valid_source, data.valid_target);
  }
  if (!data.test_source.empty()) {
    test = read_test_set(data.test_source, data.test_target);
    if (test->sources.empty())
      throw DataError(printable(data.test_source) + " and " + printable(data.test_target) +
                      ": wanted lines to test with, got empty files; leave them out of the run file");
  }
  CorpusCache cache(config, folder);
  if (!cache.knows_texts()) expect_aligned(data.train_source, data.train_target);
  const auto held_out = hold_out(data);
  if (held_out && !held_out->sources().empty()) valid = TestSet{held_out->sources(), held_out->targets()};
  RunTokenizers tokenizers(config, folder, cache, initial.tokenizers());
  initial.read_embeddings(tokenizers);
  give_back_memory();
  stop_where_requested();
  cache.load(tokenizers.by_name(), *tokenizers.source(), *tokenizers.target(), threads,
             held_out ? &*held_out : nullptr);
  warn_of("training", cache.corpus().report(), data.max_length);
  std::optional<Validator> validator;
  if (valid) {
    validator.emplace(config, *std::move(valid), tokenizers.source(), tokenizers.target(),
                      std::max(samples, Validator::kLoggedSamples));
    warn_of("validation", validator->corpus().report(), data.max_length);
    if (validator->corpus().hash() == cache.corpus().hash())
      log_warning("data.valid_source and data.valid_target: are the training data; the scores will flatter");
  }
  stop_where_requested();
  return {std::move(initial), std::move(tokenizers), std::move(cache), std::move(validator), std::move(test)};
}

std::optional<SubwordSampling> subword_sampling(const RunConfig& config, const RunTokenizers& tokenizers) {
  const double amount = config.data.subword_sampling;
  if (amount == 0) return std::nullopt;
  const auto source = std::make_shared<SubwordSampler>(tokenizers.source()->serialized(), amount);
  const auto target = tokenizers.target() == tokenizers.source()
                          ? source
                          : std::make_shared<SubwordSampler>(tokenizers.target()->serialized(), amount);
  return SubwordSampling{source, target, config.data.max_length};
}

/// On the processor a weight has a gradient, Adam's two moments and perhaps its moving mean beside it; from there it
/// goes to a device.
void expect_memory_for(const RunConfig& config, const Vocabularies& vocabularies, at::Device device) {
  constexpr std::int64_t kMebibyte = 1 << 20;
  const auto needs = training_needs(config, vocabularies);
  const auto parameters = needs.parameters;
  const auto needed = (needs.weights + (device.is_cpu() ? needs.gradients + needs.optimizer : 0)) / kMebibyte;
  const auto there = usable_memory() / kMebibyte;
  if (needed > there)
    throw UsageError("model: the model has " + std::to_string(parameters) + " parameters, which take " +
                     std::to_string(needed) + " MiB to train; wanted at most the " + std::to_string(there) +
                     " MiB of this machine; lower model.d_model, model.d_ff or the number of layers");
}

/// The models in a run folder are its own.
void expect_start_elsewhere(const fs::path& start, const fs::path& out) {
  if (start.empty()) return;
  const auto model = fs::weakly_canonical(start), folder = fs::weakly_canonical(out);
  if (std::mismatch(folder.begin(), folder.end(), model.begin(), model.end()).first == folder.end())
    throw UsageError("training.start_from: wanted a model outside the run folder, got " + printable(start.string()) +
                     "; choose another --out");
}

/// How far a run has come.
struct Progress {
  std::int64_t steps = 0, epochs = 0;
  std::vector<std::int64_t> kept_steps;  ///< of the weights
  const Json* hashes;                    ///< of what the run was made of
};

ModelDescription describe(const RunConfig& config, const RunInputs& material, const Progress& progress) {
  ModelDescription description{.config = to_portable_json(config),
                               .provenance = {{"program", "gloss " + std::string(kVersion)},
                                              {"steps", progress.steps},
                                              {"epochs", progress.epochs},
                                              {"weights_of_steps", progress.kept_steps},
                                              {"training_pairs", material.corpus().size()},
                                              {"training_corpus", material.corpus().hash()}},
                               .tokenizers = {}};
  if (material.validator) description.provenance["validation_set"] = material.validator->hash();
  for (const auto& [key, hash] : material.initial.hashes().items())
    description.provenance[key] = progress.hashes->at(key);
  for (const auto& [name, tokenizer] : material.tokenizers.by_name())
    description.tokenizers[name] = tokenizer->serialized();
  return description;
}

/// What training.freeze comes to. A tied matrix is one tensor: it is frozen in all its places.
std::string frozen_text(const EncoderDecoder& model, TieEmbeddings tie) {
  std::int64_t frozen = 0, trained = 0;
  std::string shared;
  for (const auto& item : model->named_parameters()) {
    (item.value().requires_grad() ? trained : frozen) += item.value().numel();
    if (item.value().requires_grad() || tie == TieEmbeddings::kNone) continue;
    if (tie == TieEmbeddings::kAll && item.key() == "source_embedding.weight")
      shared = ", among them the one matrix of source, target and generator";
    if (item.key() == "target_embedding.weight") shared = ", among them the one matrix of target and generator";
  }
  return "training.freeze: " + std::to_string(frozen) + " parameters stay as they are" + shared + "; " +
         std::to_string(trained) + " are trained";
}

/// Epochs gone through, the last one perhaps in part only.
std::int64_t whole_epochs(const BatchStream& batches) {
  const auto place = batches.position();
  return place.epoch + (place.batch == batches.batches_in_epoch() ? 1 : 0);
}

/// Does what train_translate does, and keeps in `result` how far it came. Throws Stopped where a signal asks for an end
/// anywhere but between two updates.
void train_and_score(const TrainTranslateOptions& options, TrainTranslateResult& result) {
  const auto& config = options.config;
  config.validate();
  expect_precision(config.training.precision, options.device, config.plain);
  expect_data_files(config.data);
  expect_start_elsewhere(config.training.start_from, options.out);
  for (const auto& output : run_outputs(options.out, options.resume).written)
    expect_no_input(output, files_read(config));
  RunFolder folder(options.out, options.resume, options.overwrite);
  for (const auto& note : options.notes) log_info(note);
  auto material = read_material(config, folder, options.threads, options.samples);
  const auto& tokenizers = material.tokenizers;

  expect_memory_for(config, tokenizers.vocabularies(), options.device);
  const RandomStream random(static_cast<std::uint64_t>(config.seed), "gloss");
  auto model = make_model(config.model, tokenizers.vocabularies(), random);
  material.initial.move_into(model);
  model->to(options.device);

  ProgressDisplay display;
  BatchStream batches(material.corpus(), config.data.batch_tokens, random, subword_sampling(config, tokenizers));
  Trainer::Options training{.config = config.training,
                            .d_model = config.model.d_model,
                            .seed = static_cast<std::uint64_t>(config.seed),
                            .checkpoints = folder.checkpoints(),
                            .threads = options.threads,
                            .hashes = run_identity(config, tokenizers, material.corpus(), material.validator),
                            .validate = nullptr,
                            .report =
                                [&](const TrainingReport& report) {
                                  report_step(folder, report);
                                  display.step_reported();
                                },
                            .progress = [&](const TrainingProgress& progress) { display.show(progress); },
                            .plain = config.plain};
  training.hashes.update(material.initial.hashes());
  const RunForecast forecast(config, tokenizers.vocabularies(), material.corpus(), batches, model);
  bool warned = false;
  const auto validate = [&](EncoderDecoder& candidate) {
    log_progress("validating");
    give_back_memory();
    auto validation = (*material.validator)(candidate);
    give_back_memory();
    if (!std::exchange(warned, true))
      warn_of_truncated("the validation source", validation.truncated, config.data.max_length);
    return validation;
  };
  std::int64_t validated_step = -1;
  ValidationReport validation;  // of that step
  if (material.validator)
    training.validate = [&](EncoderDecoder& candidate, std::int64_t step) {
      validation = validate(candidate);
      validated_step = step;
      report_validation(folder, step, validation, options.samples);
      return validation.scores;
    };
  Trainer trainer(model, batches, std::move(training));
  const bool resumed = options.resume && trainer.resume();

  // Until here only what killed processes left half written was removed; now nothing can be refused any more.
  material.cache.keep();
  folder.keep();
  tokenizers.save(folder);
  write_file(folder.config_file(), to_pretty_text(to_json(config)));
  result.resumable = true;
  log_info(std::to_string(material.corpus().size()) + " sentence pairs, " +
           std::to_string(count_parameters(config.model, tokenizers.vocabularies())) + " parameters, " +
           std::to_string(options.threads) + (options.threads == 1 ? " thread" : " threads"));
  if (!config.training.freeze.empty()) log_info(frozen_text(model, config.model.tie_embeddings));
  if (options.resume && !resumed)
    log_warning(printable(options.out.string()) + ": there is no checkpoint to resume from; starting anew");
  if (resumed) log_info("resumed after step " + std::to_string(trainer.state().step));

  forecast.report(trainer.state());
  result.end = trainer.run();
  result.steps = trainer.state().step;
  log_progress("");
  if (result.end == TrainingEnd::kStopped) return;

  if (result.end == TrainingEnd::kEarlyStop)
    log_info("ended early: " + std::to_string(config.training.early_stop.patience) + " validations were no better");

  auto description =
      describe(config, material, {result.steps, whole_epochs(batches), trainer.kept_steps(), &trainer.state().hashes});
  if (material.validator) {
    const bool reported = trainer.kept_steps() == std::vector{validated_step};  // with its samples
    if (!reported) validation = validate(model);
    report_model(folder, trainer.kept_steps(), validation, reported ? 0 : options.samples);
    description.provenance["validation"] = summary(validation);
  }
  write_model_file(folder.model_file(), model, description);
  folder.model_is_written();
  if (material.test) {
    const auto translator = make_translator(model, config, tokenizers.source(), tokenizers.target(), config.plain);
    give_back_memory();
    log_info("translating the test set, " + std::to_string(material.test->sources.size()) + " lines");
    result.test = evaluate_model(translator, config.decoding, *material.test, config.evaluation.tokenize);
    folder.log("test", summary(*result.test));
    description.provenance["test"] = summary(*result.test);
    write_model_file(folder.model_file(), model, description);
  }
  for (const auto& line : finished_lines(options.out, folder.model_file())) log_info(line);
}

bool has_checkpoint(const fs::path& folder) {
  try {
    return CheckpointFolder(folder / "checkpoints", 1).has_any();
  } catch (const IoError&) {
    return false;
  }
}

std::string stopped_text(const TrainTranslateOptions& options, const TrainTranslateResult& result) {
  if (!result.resumable && !options.resume) return "stopped before training began; nothing of this run was kept";
  return (result.steps > 0 ? "stopped after step " + std::to_string(result.steps) : "stopped before the first step") +
         "; continue with: " + resume_command(options.out, options.resume_options);
}

}  // namespace

TrainTranslateResult train_translate(const TrainTranslateOptions& options) {
  TrainTranslateResult result;
  try {
    train_and_score(options, result);
  } catch (const Stopped&) {
    result.end = TrainingEnd::kStopped;
  } catch (const IoError& fault) {
    if (!has_checkpoint(options.out)) throw;
    throw IoError(fault.what() + std::string("; when that is mended, go on with --resume"));
  }
  if (result.end == TrainingEnd::kStopped) log_info(stopped_text(options, result));
  return result;
}

}  // namespace gloss
