#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
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
  MatrixPrecision precision = MatrixPrecision::kAuto;  ///< a CUDA device takes kAuto and kFloat32
};

/// What is divided out of a sum of log-probabilities: length^p (power), or ((5 + length) / 6)^p (GNMT).
enum class LengthNormalisation { kPower, kGnmt };

/// A token as a greedy search finds it.
struct StreamedToken {
  std::size_t line = 0;        ///< its place in the lines of the call, from 0
  std::string piece;           ///< as the tokenizer spells it, U+2581 standing for a space; empty where `end`
  std::string text;            ///< the translation so far
  double log_probability = 0;  ///< of this token; where `end`, of the end of the sentence (0: the limit ended it)
  /// Nothing follows. Comes once for each line that is complete and has anything in it, also where no token was found:
  /// then it is the first of its line, and its text is empty.
  bool end = false;
};

/// How one call of translate searches. What is absent is as the model file says (`decoding` of its run file), of an
/// ensemble the first one's; n_best alone is 1 unless it is given. What would have no effect is refused: beam_size,
/// patience and coverage_penalty beside sampling, and what sampling goes by without it.
struct TranslationOptions {
  std::optional<std::int64_t> beam_size = {};  ///< 1: greedy
  std::optional<double> length_penalty = {};   ///< p; 0: scores are sums of log-probabilities
  std::optional<LengthNormalisation> length_normalisation = {};
  std::optional<double> patience = {};          ///< a sentence is done with beam_size times this many translations
  std::optional<std::int64_t> max_length = {};  ///< most tokens of a translation, its end counted
  std::optional<std::int64_t> min_length = {};  ///< least tokens of a translation, its end not counted
  std::optional<std::int64_t> batch_size = {};  ///< sentences searched together
  std::int64_t n_best = 1;  ///< candidates of each line, at most beam_size; with sampling so many are drawn

  /// What lowers scores of translations that leave parts of the source unattended, 0 to 10 (Wu et al. 2016, equation
  /// 14, beta); 0: nothing.
  std::optional<double> coverage_penalty = {};
  std::optional<std::int64_t> no_repeat_ngram = {};  ///< no n-gram of this length is said twice; 0: any may be
  std::optional<double> repetition_penalty = {};     ///< above 1 what was said becomes less likely; 1: no effect
  std::optional<bool> no_unk = {};                   ///< the unknown word is never said

  std::optional<bool> sample = {};         ///< translations are drawn, not searched for
  std::optional<double> temperature = {};  ///< below 1 likely tokens become likelier; above 0, at most 100
  std::optional<std::int64_t> top_k = {};  ///< draws of the k likeliest tokens; 0: of all
  std::optional<double> top_p = {};        ///< of these of the fewest with this share of the probability; above 0 to 1
  std::optional<std::int64_t> seed = {};   ///< of the draws, 0 or more
  /// The first line's number, from 0, in a text of which the lines are a part: what is drawn for a line is a function
  /// of seed and number.
  std::int64_t first_line = 0;

  /// What the translation of each line begins with, one for each line; the last word may be gone on with. Empty:
  /// nothing is forced, as for a line whose prefix is empty.
  std::vector<std::string> prefixes = {};

  /// Called before each step of the model, which finds one token of each sentence of a batch. Once one of the two
  /// has come, the call returns what it has: see Translation::Status.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};
  /// Called with each token as it is found, on the thread that called translate; false cancels the call. Wants
  /// beam_size 1, no coverage_penalty and no sampling, be it the model's own. A line with nothing in it has no tokens.
  /// What it throws leaves translate as it is.
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
    double score = 0;                 ///< log_probability after the penalties of length and coverage
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
/// The constructor and each call set OpenMP's number of threads for the calling thread only, and restore it at the end;
/// other threads keep theirs. With a CUDA device the constructor also changes the whole process: it asks LibTorch for
/// deterministic algorithms, switches cuDNN's choice by timing off, keeps OpenMP from changing numbers of threads, and
/// sets the variable CUBLAS_WORKSPACE_CONFIG where it is not set; these stay. As it changes the environment, no other
/// thread may read that meanwhile.
///
/// Throws what <gloss/error.h> has.
class [[gnu::visibility("default")]] Translator {
 public:
  /// A model file, or the folder of a finished run.
  explicit Translator(const std::filesystem::path& file_or_folder, const TranslatorSettings& settings = {});
  /// An ensemble: each token by the mean of the probabilities of several models, which must have the same tokenizers.
  /// One is that model alone.
  explicit Translator(std::span<const std::filesystem::path> files_or_folders, const TranslatorSettings& settings = {});
  /// The same of files that are written out: Translator({"one", "two"}).
  explicit Translator(std::initializer_list<std::filesystem::path> files_or_folders,
                      const TranslatorSettings& settings = {});
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
