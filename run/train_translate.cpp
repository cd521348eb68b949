#include "run/train_translate.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/log/log.h"
#include "common/system/machine.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "data/epoch_stage.h"
#include "data/parallel_corpus.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "run/config/run_files.h"
#include "run/estimate/training_needs.h"
#include "run/estimate/training_time.h"
#include "run/run_folder.h"
#include "run/run_inputs.h"
#include "run/run_processes.h"
#include "run/run_report.h"
#include "run/run_validation.h"
#include "run/write_model.h"
#include "training/agreement.h"
#include "training/checkpoint.h"
#include "training/mixed_precision.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// Throws UsageError if the model to start from is in the run folder, which holds the models of this run only.
void expect_start_elsewhere(const fs::path& start, const fs::path& out) {
  if (start.empty()) return;
  const auto model = fs::weakly_canonical(start), folder = fs::weakly_canonical(out);
  if (std::mismatch(folder.begin(), folder.end(), model.begin(), model.end()).first == folder.end())
    throw UsageError("training.start_from: wanted a model outside the run folder, got " + printable(start.string()) +
                     "; choose another --out");
}

/// Throws if the options alone show that the run cannot succeed.
void check_options(const TrainTranslateOptions& options) {
  const auto& config = options.config;
  config.validate();
  expect_precision(config.training.precision, options.device, config.plain);
  expect_data_files(config.data);
  expect_start_elsewhere(config.training.start_from, options.out);
  const auto inputs = files_read(config);
  for (const auto& output : run_outputs(options.out, options.resume).written) expect_no_input(output, inputs);
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

/// Returns the augmenter of the training pairs, or null.
std::shared_ptr<PairAugmenter> pair_augmenter(const RunConfig& config, const RunTokenizers& tokenizers) {
  if (!config.data.augmentation.is_on()) return nullptr;
  return std::make_shared<PairAugmenter>(config.data, config.tokenizer.symbols, tokenizers.source(),
                                         tokenizers.target());
}

/// Warns if many of the pairs that were drawn for a change could not be changed.
void warn_of_unknown(const PairAugmenter* augmenter) {
  constexpr std::int64_t kMany = 10;
  if (augmenter == nullptr || augmenter->counts().unknown * kMany <= augmenter->counts().drawn) return;
  log_warning("data.augment_*: " + std::to_string(augmenter->counts().unknown) + " of " +
              counted(augmenter->counts().drawn, "pair") +
              " drawn for a change stay as they are, because the vocabulary lacks a character; with "
              "tokenizer.byte_fallback it has all");
}

/// Throws UsageError if the model does not fit into memory. On the CPU these are weights, gradients and the optimizer's
/// state; with another device the weights, which are made on the CPU.
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

/// Describes the effect of training.freeze. A tied matrix is one tensor and frozen in all its places.
std::string frozen_text(const EncoderDecoder& model, TieEmbeddings tie) {
  std::int64_t frozen = 0, trained = 0;
  for (const auto& item : model->named_parameters())
    (item.value().requires_grad() ? trained : frozen) += item.value().numel();
  std::string shared;
  if (tie != TieEmbeddings::kNone && !model->named_parameters()[stored_name(kGeneratorMatrix, tie)].requires_grad())
    shared = std::string(", among them the one matrix of ") + (tie == TieEmbeddings::kAll ? "source, " : "") +
             "target and generator";
  return "training.freeze: " + std::to_string(frozen) + " parameters stay as they are" + shared + "; " +
         std::to_string(trained) + " are trained";
}

/// Returns the number of epochs begun.
std::int64_t whole_epochs(const BatchStream& batches) {
  const auto place = batches.position();
  return place.epoch + (place.batch == batches.batches_in_epoch() ? 1 : 0);
}

/// Returns the model before the first update, on the device.
EncoderDecoder make_initial_model(const TrainTranslateOptions& options, RunInputs& inputs, const RandomStream& random) {
  const auto vocabularies = inputs.tokenizers.vocabularies();
  expect_memory_for(options.config, vocabularies, options.device);
  auto model = make_model(options.config.model, vocabularies, random);
  inputs.initial.move_into(model);
  model->to(options.device);
  return model;
}

/// Returns a function of the epoch that begins, which logs the first epoch of each stage of data.stages.
std::function<void(std::int64_t)> stage_reporter(const DataConfig& data, const ParallelCorpus& corpus) {
  if (data.stages.empty()) return nullptr;
  return [&data, stages = epoch_stages(data, corpus),
          reported = std::optional<std::size_t>()](std::int64_t epoch) mutable {
    const auto stage = stage_of(stages, epoch);
    if (std::exchange(reported, stage) != stage) log_info(stage_text(data.stages, stage));
  };
}

Trainer::Options trainer_options(const TrainTranslateOptions& options, const RunInputs& inputs, RunFolder& folder,
                                 ProgressDisplay& display, RunValidation* validation) {
  const auto& config = options.config;
  Trainer::Options training{.config = config.training,
                            .d_model = config.model.d_model,
                            .seed = static_cast<std::uint64_t>(config.seed),
                            .checkpoints = folder.files().checkpoints,
                            .threads = options.threads,
                            .hashes = run_identity(config, inputs.tokenizers, inputs.corpus(), inputs.validator),
                            .validate = nullptr,
                            .report =
                                [&](const TrainingReport& report) {
                                  report_step(folder, report, options.config.training.step_limit());
                                  display.step_reported();
                                },
                            .progress = [&](const TrainingProgress& progress) { display.show(progress); },
                            .epoch_begins = stage_reporter(config.data, inputs.corpus()),
                            .exchange = options.exchange,
                            .guided = config.guided_alignment(),
                            .plain = config.plain};
  training.hashes.update(inputs.initial.hashes());
  if (validation != nullptr) {
    training.validate = [validation](EncoderDecoder& model, std::int64_t step) {
      return validation->validate(model, step);
    };
    training.validates_start = !config.training.start_from.empty();
    training.validated = [validation](const TrainingState& state, std::int64_t last_step) {
      validation->report_best(state, last_step);
    };
  }
  return training;
}

/// Keeps the files of the run in its folder. Before this call only temporary files of killed processes were removed;
/// after it no check can refuse the run.
void keep_files(const RunConfig& config, RunInputs& inputs, RunFolder& folder) {
  inputs.cache.keep();
  folder.keep();
  if (!config.lens.sentences.empty()) folder.open_lens();
  inputs.tokenizers.save(folder);
  write_file(folder.files().config, to_pretty_text(to_json(config)));
}

void report_start(const TrainTranslateOptions& options, const RunInputs& inputs, const EncoderDecoder& model,
                  const TrainingState& state, bool resumed) {
  const auto& config = options.config;
  log_info(counted(inputs.corpus().size(), "sentence pair") + ", " +
           counted(count_parameters(config.model, inputs.tokenizers.vocabularies()), "parameter") + ", " +
           (options.exchange->is_alone() ? "" : counted(options.exchange->size(), "process") + ", this one with ") +
           counted(options.threads, "thread"));
  if (model->device().is_cpu() && options.threads * options.exchange->size() > config.training.shards)
    log_info("computing with " + counted(config.training.shards, "thread") +
             " at a time, as many as training.shards; a run that is begun with more shards uses more threads");
  if (!config.training.freeze.empty()) log_info(frozen_text(model, config.model.tie_embeddings));
  if (options.resume && !resumed)
    log_warning(printable(options.out.string()) + ": there is no checkpoint to resume from; starting anew");
  if (resumed) log_info("resumed after step " + std::to_string(state.step));
  if (const auto& start = config.training.start_from; !start.empty() && !resumed)
    log_info("starting from " + printable(start) + ", with its vocabulary and network; step 0 is that model itself");
}

/// Returns the time that all processes take for an update as a share of that of process 0 alone. A GPU has one shard.
double share_of_measured_time(const TrainTranslateOptions& options) {
  const auto processes = options.exchange->size();
  if (!options.device.is_cpu()) return 1 / static_cast<double>(processes);
  return share_of_time(options.config.training.shards,
                       {processes, options.local_processes, options.threads, available_processors()});
}

/// Does the work of train_translate and writes its progress to `result`. Throws Stopped if a signal asks for an end
/// anywhere but between two updates.
void train_and_score(const TrainTranslateOptions& options, TrainTranslateResult& result, RunProcesses& processes) {
  const auto& config = options.config;
  auto& exchange = *options.exchange;
  processes.begin(config, options.device);
  expect_enough_shards(exchange, options.device, config.training.shards);
  check_options(options);
  RunFolder folder(options.out, options.resume, options.overwrite, /*writes=*/exchange.is_first());
  auto inputs = read_inputs(options, folder);

  const RandomStream random(static_cast<std::uint64_t>(config.seed), "gloss");
  TrainingLens lens(config, inputs.tokenizers, folder, options.describe);
  auto model = make_initial_model(options, inputs, random);
  const auto augmenter = pair_augmenter(config, inputs.tokenizers);
  BatchStream batches(inputs.corpus(), epoch_stages(config.data, inputs.corpus()), config.data.batch_tokens, random,
                      subword_sampling(config, inputs.tokenizers), augmenter);
  std::optional<RunValidation> validation;
  if (inputs.validator)
    validation.emplace(*inputs.validator, folder, lens, options.samples, config.data.max_length, exchange);
  auto* const validation_or_null = validation ? &*validation : nullptr;
  ProgressDisplay display(config.training.step_limit());
  auto training = trainer_options(options, inputs, folder, display, validation_or_null);
  std::optional<RunForecast> forecast;
  if (exchange.is_first())
    forecast.emplace(config, inputs.tokenizers.vocabularies(), inputs.corpus(), batches, model,
                     share_of_measured_time(options));
  Trainer trainer(model, batches, std::move(training));
  const bool resumed = options.resume && trainer.resume();

  if (exchange.is_first()) {
    if (folder.resumes()) print_notes(options);
    warn_of_inputs(inputs, config.data);
    warn_of_unknown(augmenter.get());
    keep_files(config, inputs, folder);
    report_start(options, inputs, model, trainer.state(), resumed);
    forecast->report(trainer.state());
    processes.release();
  }
  result.resumable = true;
  const auto first_step = trainer.state().step;
  result.end = trainer.run();
  result.steps = trainer.state().step;
  log_progress("");
  if (result.end == TrainingEnd::kStopped || !exchange.is_first()) return;

  if (result.end == TrainingEnd::kFinished && resumed && result.steps == first_step)
    log_info("the run was at its end already: " +
             (result.steps < config.training.step_limit()
                  ? "training.max_epochs or training.max_hours"
                  : "training.max_steps = " + std::to_string(config.training.step_limit())) +
             " is reached; a higher limit trains it further");
  if (result.end == TrainingEnd::kEarlyStop)
    log_info("ended early: no better result in " + counted(config.training.early_stop.patience, "validation"));
  const RunProgress progress{result.steps, whole_epochs(batches), trainer.kept_steps(), &trainer.state().hashes};
  const auto& scores = trainer.state().scores;
  if (scores.best_loss) log_info("best validations: " + best_text(scores));
  result.test = write_and_score(config, inputs, folder, model, progress, validation_or_null, lens);
  if (validation)
    if (const auto warning = worse_than_start(scores, validation->last()); !warning.empty()) log_warning(warning);
  for (const auto& line : finished_lines(options.out, folder.files().model)) log_info(line);
}

bool has_checkpoint(const fs::path& folder) {
  try {
    return CheckpointFolder(RunFiles(folder).checkpoints, 1).has_any();
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
  RunProcesses processes(*options.exchange);
  try {
    train_and_score(options, result, processes);
  } catch (const Stopped& stop) {
    processes.release(stop.exit_code());
    result.end = TrainingEnd::kStopped;
  } catch (const IoError& fault) {
    processes.release(fault.exit_code());
    if (!has_checkpoint(options.out)) throw;
    throw IoError(fault.what() + std::string("; remove the cause, then continue with --resume"));
  } catch (const LostProcessError&) {
    throw;
  } catch (const Error& fault) {
    processes.fail(fault);
    throw;
  }
  if (result.end == TrainingEnd::kStopped) log_info(stopped_text(options, result));
  return result;
}

}  // namespace gloss
