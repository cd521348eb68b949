#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <gloss/error.h>

namespace gloss {

/// What matrices are multiplied in.
enum class MatrixPrecision {
  kAuto,  ///< as the model file stores them where this processor is faster so, else float32
  kFloat32,
  kBfloat16,
  kInt8,
};

/// How a Translator is loaded.
struct TranslatorSettings {
  std::string device = "auto";  ///< auto, cpu, cuda or cuda:N; auto is a CUDA device where there is one
  int threads = 0;              ///< that a call of translate computes with; 0: as many as the process may use
  MatrixPrecision precision = MatrixPrecision::kAuto;
};

/// What is divided out of a sum of log-probabilities: length^p (power), or ((5 + length) / 6)^p (GNMT).
enum class LengthNormalisation { kPower, kGnmt };

/// A token as a greedy search finds it.
struct StreamedToken {
  std::size_t line = 0;        ///< its place in the lines of the call, from 0
  std::string piece;           ///< as the tokenizer spells it, U+2581 standing for a space; empty where `end`
  std::string text;            ///< the translation so far
  double log_probability = 0;  ///< of this token; where `end`, of the end of the sentence (0: the limit ended it)
  bool end = false;            ///< nothing follows; comes once for each line that is complete
};

/// How one call of translate searches. What is absent is as the model file says (`decoding` of its run file).
struct TranslationOptions {
  std::optional<std::int64_t> beam_size = {};  ///< 1: greedy
  std::optional<double> length_penalty = {};   ///< p; 0: scores are sums of log-probabilities
  std::optional<LengthNormalisation> length_normalisation = {};
  std::optional<double> patience = {};          ///< a sentence is done with beam_size times this many translations
  std::optional<std::int64_t> max_length = {};  ///< most tokens of a translation, its end counted
  std::optional<std::int64_t> min_length = {};  ///< least tokens of a translation, its end not counted
  std::optional<std::int64_t> batch_size = {};  ///< sentences searched together
  std::int64_t n_best = 1;                      ///< candidates of each line, at most beam_size

  /// Looked at before each step of the model, which finds one token of each sentence of a batch. Once one of the two
  /// has come, the call returns what it has: see Translation::Status.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};
  /// Called with each token as it is found, on the thread that called translate; false cancels the call. Wants
  /// beam_size 1. A line with nothing in it has no tokens. What it throws leaves translate as it is.
  std::function<bool(const StreamedToken&)> on_token = {};
};

/// One line's translation.
struct Translation {
  enum class Status {
    kComplete,   ///< as without deadline and cancellation, to the bit
    kDeadline,   ///< the deadline came before it was found: no candidates
    kCancelled,  ///< `stop` or `on_token` ended the call before it was found: no candidates
  };
  struct Candidate {
    std::string text;
    double score = 0;                 ///< log_probability after the length penalty
    double log_probability = 0;       ///< sum over the tokens, the end of the sentence counted
    std::vector<std::string> pieces;  ///< the tokens as the tokenizer spells them
    bool ended = false;               ///< by the end of the sentence, not by max_length
  };

  Status status = Status::kComplete;
  bool truncated = false;             ///< the line is longer than the model reads; only its beginning was translated
  std::vector<Candidate> candidates;  ///< n_best, best first; one without pieces for a line with nothing in it

  bool complete() const { return status == Status::kComplete; }
  /// Of the best candidate; empty where there is none.
  std::string text() const { return candidates.empty() ? std::string() : candidates.front().text; }
};

/// A model, loaded once. Threads may share one: every function is const, and what a call finds does not depend on
/// others that go on beside it. Copies share the model. Prints nothing and handles no signals.
///
/// Throws what <gloss/error.h> has.
class [[gnu::visibility("default")]] Translator {
 public:
  /// A model file, or the folder of a finished run.
  explicit Translator(const std::filesystem::path& file_or_folder, const TranslatorSettings& settings = {});
  Translator(const Translator&);
  Translator& operator=(const Translator&);
  ~Translator();

  /// One translation for each line, in order. A line is text without line ends; broken UTF-8 is read as U+FFFD. A
  /// deadline or cancellation is no error: the lines that were found by then are complete, the others say why not.
  std::vector<Translation> translate(std::span<const std::string> lines, const TranslationOptions& options = {}) const;
  Translation translate_line(const std::string& line, const TranslationOptions& options = {}) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;

  std::shared_ptr<const Impl> impl_;
};

/// The version of the library, as "0.1.0".
[[gnu::visibility("default")]] const char* version() noexcept;

}  // namespace gloss
