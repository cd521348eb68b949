#include <optional>
#include <utility>

#include <ATen/Parallel.h>
#include <gloss/translator.h>

#include "common/error.h"
#include "common/threads.h"
#include "common/version.h"
#include "library/public_errors.h"
#include "library/translation_job.h"
#include "pipeline/runtime.h"
#include "pipeline/translation_model.h"
#include "training/determinism.h"

namespace gloss {
namespace {

/// LibTorch's number of threads on this thread, put back at the end.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(at::get_num_threads()), threads_(threads) {
    if (threads_ != before_) at::set_num_threads(threads_);
  }
  ~ThreadCount() {
    if (threads_ != before_) at::set_num_threads(before_);
  }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_, threads_;
};

/// Calls `work`; what it throws leaves as the public exception of its kind.
template <typename Work>
auto with_public_errors(const Work& work) {
  try {
    return work();
  } catch (...) {
    throw_public_error();
  }
}

std::optional<WeightPrecision> wanted_precision(MatrixPrecision precision) {
  switch (precision) {
    case MatrixPrecision::kFloat32:
      return WeightPrecision::kFloat32;
    case MatrixPrecision::kBfloat16:
      return WeightPrecision::kBfloat16;
    case MatrixPrecision::kInt8:
      return WeightPrecision::kInt8;
    default:
      return std::nullopt;
  }
}

/// The model's settings with what the caller says in their place.
DecodingConfig decoding_config(const TranslationOptions& options, DecodingConfig config) {
  config.beam_size = options.beam_size.value_or(config.beam_size);
  config.length_penalty = options.length_penalty.value_or(config.length_penalty);
  if (options.length_normalisation)
    config.length_penalty_kind = *options.length_normalisation == LengthNormalisation::kGnmt
                                     ? LengthPenaltyKind::kGnmt
                                     : LengthPenaltyKind::kPower;
  config.patience = options.patience.value_or(config.patience);
  config.max_length = options.max_length.value_or(config.max_length);
  config.min_length = options.min_length.value_or(config.min_length);
  config.batch_size = options.batch_size.value_or(config.batch_size);
  config.n_best = options.n_best;
  config.validate();
  if (options.on_token && config.beam_size != 1)
    throw UsageError("on_token: wanted beam_size 1, got " + std::to_string(config.beam_size) +
                     "; only a greedy search finds one token after the other");
  return config;
}

int threads_of(const TranslatorSettings& settings) {
  constexpr int kMost = 1024;
  if (settings.threads < 0 || settings.threads > kMost)
    throw UsageError("threads: wanted 0 to " + std::to_string(kMost) + ", got " + std::to_string(settings.threads));
  return settings.threads > 0 ? settings.threads : available_processors();
}

}  // namespace

/// What remains of a model file once it is ready to translate.
struct Translator::Impl {
  LineTranslator lines;
  std::shared_ptr<const Tokenizer> target;
  DecodingConfig decoding;
  int threads;
};

Translator::Translator(const std::filesystem::path& file_or_folder, const TranslatorSettings& settings) {
  impl_ = with_public_errors([&] {
    const auto threads = threads_of(settings);
    const ThreadCount count(threads);
    const auto device = parse_device(settings.device);
    if (device.is_cuda()) set_up_determinism(threads);
    const auto model = load_translation_model(file_or_folder, device);
    return std::make_shared<const Impl>(Impl{model.translator(wanted_precision(settings.precision)),
                                             model.target_tokenizer, model.config.decoding, threads});
  });
}

Translator::Translator(const Translator&) = default;
Translator& Translator::operator=(const Translator&) = default;
Translator::~Translator() = default;

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const TranslationOptions& options) const {
  TranslationJob job(lines, options);
  with_public_errors([&] {
    const ThreadCount count(impl_->threads);
    job.run(impl_->lines, *impl_->target, decoding_config(options, impl_->decoding));
  });
  return job.take();
}

Translation Translator::translate_line(const std::string& line, const TranslationOptions& options) const {
  return std::move(translate(std::span(&line, 1), options).front());
}

const char* version() noexcept { return kVersion.data(); }

}  // namespace gloss
