// How fast training runs: the updates of train-translate, timed. Ends with one JSON line.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "benchmarks/study/measuring.h"
#include "common/error.h"
#include "common/special_ids.h"
#include "common/text/printable.h"
#include "data/batch_stream.h"
#include "model/make_model.h"
#include "run/config/read_run_file.h"
#include "tensor/accelerator.h"
#include "tensor/runtime.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "training/adam.h"
#include "training/mixed_precision.h"
#include "training/schedule.h"
#include "training/update.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWarmUp = 3;  // steps

struct Options {
  fs::path config, data, tokenizer, batches;
  std::vector<std::string> overrides;
  std::int64_t steps = 20;
  int threads = 0;
  std::string device = "auto";
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The training data in another folder.
void move_data(DataConfig& data, const fs::path& folder) {
  for (std::string* path : {&data.train_source, &data.train_target})
    *path = (folder / fs::path(*path).filename()).string();
}

/// Batches that another program wrote, so that both are timed on the very same: a JSON line a batch, a list of
/// [[source ids], [target ids]], eos and bos left out. Eos is added here. Throws DataError naming the line.
std::vector<Batch> read_batch_file(const std::filesystem::path& path) {
  const std::string name = printable(path.string());
  std::ifstream file(path);
  if (!file) throw DataError(name + ": wanted a file of batches, cannot open it");
  std::vector<Batch> batches;
  for (std::string line; std::getline(file, line);) {
    try {
      Batch batch;
      for (const auto& pair : nlohmann::json::parse(line)) {
        batch.source.push_back(pair.at(0).get<Ids>());
        batch.target.push_back(pair.at(1).get<Ids>());
        batch.source.back().push_back(kEos);
        batch.target.back().push_back(kEos);
      }
      batches.push_back(std::move(batch));
    } catch (const nlohmann::json::exception&) {
      throw DataError(name + ", line " + std::to_string(batches.size() + 1) +
                      ": wanted a list of [[source ids], [target ids]]");
    }
  }
  return batches;
}

/// Batches from a file, again from its begin where it ends, or from the training data.
class BatchSource {
 public:
  BatchSource(const Options& options, const RunConfig& config, const Tokenizer* tokenizer) {
    if (!options.batches.empty()) {
      from_file_ = read_batch_file(options.batches);
      if (from_file_.empty()) throw DataError("--batches: wanted a batch, got none");
      return;
    }
    if (tokenizer == nullptr) throw UsageError("--tokenizer: wanted a SentencePiece model, for --data is text");
    corpus_ = ParallelCorpus::read(config.data.train_source, config.data.train_target, *tokenizer, *tokenizer,
                                   {.max_length = config.data.max_length});
    stream_.emplace(*corpus_, config.data.batch_tokens, RandomStream(static_cast<std::uint64_t>(config.seed), "gloss"));
  }

  Batch next() { return stream_ ? stream_->next() : from_file_[taken_++ % from_file_.size()]; }

 private:
  std::vector<Batch> from_file_;
  std::size_t taken_ = 0;
  std::optional<ParallelCorpus> corpus_;
  std::optional<BatchStream> stream_;
};

/// Floating-point operations of an update in the weight matrices: 2 a weight forward, 4 backward, for each token that
/// is not padding.
double operations(const Batch& batch, const ModelConfig& model, std::int64_t vocabulary) {
  double source = 0;
  for (const auto& ids : batch.source) source += static_cast<double>(ids.size());
  const auto target = static_cast<double>(batch.target_tokens());
  const auto D = static_cast<double>(model.d_model), F = static_cast<double>(model.d_ff);
  const auto layers = static_cast<double>(model.decoder_layers);
  return 6 * (source * static_cast<double>(model.encoder_layers) * (4 * D * D + 2 * D * F) +
              target * layers * (6 * D * D + 2 * D * F) + source * layers * 2 * D * D +
              target * D * static_cast<double>(vocabulary));
}

void train_speed(const Options& options) {
  const int threads = set_up_runtime(options.threads);
  const auto device = parse_device(options.device);
  auto config = read_run_config(options.config, options.overrides);
  expect_precision(config.training.precision, device, /*plain=*/false);
  if (config.training.accumulate != 1 || config.data.subword_sampling != 0 || config.data.augmentation.is_on() ||
      !config.training.freeze.empty() || !config.training.start_from.empty() || !config.tokenizer.joint)
    throw UsageError(
        "--config: wanted a run file without training.accumulate, freeze, start_from, data.subword_sampling, "
        "data.augment_* and tokenizer.joint false, which are not timed");
  if (!options.data.empty()) move_data(config.data, options.data);
  std::shared_ptr<const Tokenizer> tokenizer;
  const auto& tokenizer_file = options.tokenizer.empty() ? fs::path(config.tokenizer.model_file) : options.tokenizer;
  if (!tokenizer_file.empty()) tokenizer = SentencePieceTokenizer::load(tokenizer_file);
  const auto vocabulary = tokenizer ? tokenizer->vocabulary_size() : config.tokenizer.vocabulary_size;

  const bool rounded = config.training.precision == Precision::kBfloat16;
  const double peak = matrix_peak(device, rounded ? at::kBFloat16 : at::kFloat);
  const RandomStream random(static_cast<std::uint64_t>(config.seed), "gloss");
  auto model = make_model(config.model, {vocabulary, vocabulary}, random);
  model->to(device);
  Workers workers(is_accelerator(device) ? 1 : threads);
  Adam adam(named_parameters(model), config.training, Adam::Path::kFastest, &workers);
  BatchSource source(options, config, tokenizer.get());

  double data = 0, tokens = 0, arithmetic = 0, nll = 0;
  UpdateSeconds phases;
  std::vector<Batch> next;  // drawn and padded while a GPU works, as by Trainer
  std::vector<PaddedBatch> next_padded;
  auto start = Clock::now();
  for (std::int64_t step = 1; step <= kWarmUp + options.steps; ++step) {
    if (step == kWarmUp + 1) {
      wait_for_device(device);
      start = Clock::now();
      data = tokens = arithmetic = 0;
      phases = {};
    }
    const auto before = Clock::now();
    const auto batches = next.empty() ? std::vector{source.next()} : std::exchange(next, {});
    const auto padded = std::exchange(next_padded, {});
    data += seconds_since(before);
    const auto result =
        update_weights(model, adam, workers, batches, RandomStream(static_cast<std::uint64_t>(config.seed), "dropout"),
                       {.step = step,
                        .learning_rate = learning_rate(config.training, config.model.d_model, step),
                        .label_smoothing = config.training.label_smoothing,
                        .clip_norm = config.training.clip_norm,
                        .precision = config.training.precision,
                        .shards = config.training.shards,
                        .padded = padded,
                        .meanwhile = [&] {
                          next = {source.next()};
                          next_padded = {pad_own_shard(next.front(), device, no_exchange())};
                        }});
    tokens += static_cast<double>(result.tokens);
    arithmetic += operations(batches.front(), config.model, vocabulary);
    nll = result.nll_sum / static_cast<double>(result.tokens);
    phases.forward += result.seconds.forward;
    phases.backward += result.seconds.backward;
    phases.optimizer += result.seconds.optimizer;
  }
  wait_for_device(device);
  const double seconds = seconds_since(start);
  const auto memory = peak_memory_mib(device);
  const Json line = {
      {"target_tokens_per_second", tokens / seconds},
      {"steps", options.steps},
      {"threads", threads},
      {"nll", nll},
      {"peak_memory_mib", memory ? Json(*memory) : Json()},
      {"matrix_peak_gflops", peak / 1e9},
      {"share_of_matrix_peak", arithmetic / seconds / peak},
      {"seconds",
       {{"data", data}, {"forward", phases.forward}, {"backward", phases.backward}, {"optimizer", phases.optimizer}}}};
  std::cout << line.dump() << '\n';
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  gloss::Options options;
  CLI::App app("How fast training runs on this machine");
  app.add_option("--config", options.config, "run file")->required()->check(CLI::ExistingFile);
  app.add_option("--set", options.overrides, "key=value, in place of the run file's")->allow_extra_args(false);
  app.add_option("--data", options.data, "folder of the training texts, in place of the run file's");
  app.add_option("--tokenizer", options.tokenizer, "SentencePiece model")->check(CLI::ExistingFile);
  app.add_option("--batches", options.batches, "batches in place of the training texts")->check(CLI::ExistingFile);
  app.add_option("--steps", options.steps, "updates to time")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "0: as many as the process may use");
  app.add_option("--device", options.device, "auto, cpu or cuda[:N]");
  CLI11_PARSE(app, argc, argv);
  return gloss::run_benchmark("train_speed", [&] { gloss::train_speed(options); });
}
