#include <optional>
#include <utility>

#include <ATen/Parallel.h>
#include <gloss/translator.h>
#include <omp.h>

#include "common/error.h"
#include "common/system/threads.h"
#include "common/version.h"
#include "library/public_errors.h"
#include "library/search_options.h"
#include "library/translation_job.h"
#include "pipeline/models/translation_ensemble.h"
#include "pipeline/models/translation_model.h"
#include "pipeline/runtime.h"
#include "training/determinism.h"

namespace gloss {
namespace {

/// Sets the number of threads that LibTorch computes with for the calling thread, and restores it at the end.
/// at::set_num_threads would also set it for threads of the host program that use LibTorch for the first time.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(at::get_num_threads()) { omp_set_num_threads(threads); }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
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

Translator::Translator(const std::filesystem::path& file_or_folder, const TranslatorSettings& settings)
    : Translator(std::span(&file_or_folder, 1), settings) {}

Translator::Translator(std::span<const std::filesystem::path> files_or_folders, const TranslatorSettings& settings) {
  impl_ = with_public_errors([&] {
    const auto threads = threads_of(settings);
    const auto device = parse_device(settings.device);
    const auto precision = wanted_precision(settings.precision);
    expect_possible(precision, device);
    if (device.is_cuda()) set_up_determinism(at::get_num_threads());
    const ThreadCount count(threads);
    const auto models = load_translation_ensemble(files_or_folders, device);
    const auto& first = models.first();
    return std::make_shared<const Impl>(
        Impl{models.translator(precision), first.target_tokenizer, first.config.decoding, threads});
  });
}

Translator::Translator(std::initializer_list<std::filesystem::path> files_or_folders,
                       const TranslatorSettings& settings)
    : Translator(std::span(files_or_folders.begin(), files_or_folders.size()), settings) {}

Translator::Translator(const Translator&) = default;
Translator& Translator::operator=(const Translator&) = default;
Translator::~Translator() = default;

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const TranslationOptions& options) const {
  std::optional<TranslationJob> job;
  with_public_errors([&] {
    const ThreadCount count(impl_->threads);
    job.emplace(lines, options);
    job->run(impl_->lines, *impl_->target, decoding_config(options, impl_->decoding));
  });
  return job->take();
}

Translation Translator::translate_line(const std::string& line, const TranslationOptions& options) const {
  return std::move(translate(std::span(&line, 1), options).front());
}

const char* version() noexcept { return kVersion.data(); }

}  // namespace gloss
