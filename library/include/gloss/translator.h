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

/// The number format of matrix products.
enum class MatrixPrecision {
  kAuto,  ///< the format of the model file if this processor is faster in it, or bfloat16 on a GPU; otherwise float32
  kFloat32,
  kBfloat16,
  kInt8,     ///< on the CPU only
  kFloat16,  ///< on a GPU only
};

/// Settings for loading a Translator.
struct TranslatorSettings {
  std::string device = "auto";  ///< auto, cpu, cuda or cuda:N; auto is a CUDA device if there is one
  int threads = 0;              ///< that translate, for all calls together; 0: all that the process may use
  MatrixPrecision precision = MatrixPrecision::kAuto;  ///< `plain` accepts kAuto and kFloat32
  /// Allows TranslationOptions::alignment and replace_unknown, which read the attention of the loaded model, in its
  /// precision, and take no further memory.
  bool alignment = false;
  /// Computes only the equations of the model, with LibTorch's operators: slower, with the same numbers to rounding.
  bool plain = false;
};

/// The divisor of a sum of log-probabilities: length^p (power), or ((5 + length) / 6)^p (GNMT).
enum class LengthNormalisation { kPower, kGnmt };

/// A token of a line's best translation, as soon as it is certain.
struct StreamedToken {
  std::size_t line = 0;  ///< index into the lines of the call
  std::string piece;     ///< as the tokenizer spells it, U+2581 for a space; empty if `end`
  /// The translation so far, complete characters only. The text of an event begins with that of the one before, unless
  /// the tokenizer rewrites texts. Unknown words are not replaced, not even those of a prefix.
  std::string text;
  double log_probability = 0;  ///< of this token; if `end`, of the end of the sentence (0 if the length limit ended it)
  /// True once for each complete line that is not empty, as its last event. Lines that are not searched, and empty
  /// translations, have only this one.
  bool end = false;
};

/// A phrase and its required translation.
struct GlossaryEntry {
  std::string source, target;
};

class Translator;

/// Phrases that are prepared for a Translator once, for any number of calls (Translator::prepare).
class [[gnu::visibility("default")]] Glossary {
 public:
  /// A glossary without phrases.
  Glossary() = default;

 private:
  friend class Translator;
  std::shared_ptr<const class GlossaryPhrases> phrases_;
  std::shared_ptr<const class Tokenizer> tokenizer_;  // whose pieces the phrases are
};

struct Translation;

/// Options of one call of translate, or of one of its lines. An absent option has the value of the model file
/// (`decoding` of its run file; of the first one in an ensemble), but n_best is 1 by default. Options without effect
/// are refused: beam_size, patience and coverage_penalty together with sampling; temperature, top_k, top_p and seed
/// without it.
struct TranslationOptions {
  std::optional<std::int64_t> beam_size = {};  ///< 1: greedy
  std::optional<double> length_penalty = {};   ///< p; 0: scores are sums of log-probabilities
  std::optional<LengthNormalisation> length_normalisation = {};
  std::optional<double> patience = {};          ///< a sentence is done with beam_size * patience translations
  std::optional<bool> shrinking_beam = {};      ///< each finished translation narrows the beam by one, as in Marian
  std::optional<std::int64_t> max_length = {};  ///< maximum number of tokens, the end of the sentence included
  std::optional<double> max_length_factor =
      {};  ///< lowers max_length to this many tokens for each of the source; 0: off
  std::optional<std::int64_t> min_length = {};  ///< minimum number of tokens, the end of the sentence not included
  std::optional<std::int64_t> batch_size = {};  ///< sentences searched together
  std::int64_t n_best = 1;  ///< candidates of each line, at most beam_size; the number of draws with sampling

  /// Coverage penalty (Wu et al. 2016, equation 14, beta), 0 to 10. 0 turns it off.
  std::optional<double> coverage_penalty = {};
  std::optional<std::int64_t> no_repeat_ngram = {};  ///< no n-gram of this length occurs twice; 0: no limit
  std::optional<double> repetition_penalty = {};     ///< above 1 makes repeated tokens less likely; 1: no effect
  std::optional<bool> no_unk = {};                   ///< never generate the unknown word
  std::optional<bool> shortlist = {};  ///< consider only the tokens that the model's shortlist has for a sentence

  std::optional<bool> sample = {};         ///< draw translations instead of searching
  std::optional<double> temperature = {};  ///< below 1 favors likely tokens; above 0, at most 100
  std::optional<std::int64_t> top_k = {};  ///< draw from the k most likely tokens; 0: from all
  std::optional<double> top_p = {};  ///< of these, from the fewest with this share of the probability; above 0 to 1
  std::optional<std::int64_t> seed = {};  ///< of the draws, 0 or more
  /// Number of the first line, from 0, in the whole text that the lines belong to. The draws of a line are a function
  /// of seed and number.
  std::int64_t first_line = 0;

  /// The beginning of each line's translation, one for each line, possibly empty; the search may continue its last
  /// word. Empty: no translation has a required beginning.
  std::vector<std::string> prefixes = {};

  /// The languages to translate from and into, for a model of several languages (Translator::languages). Empty: those
  /// of the model file.
  std::string source_language = {}, target_language = {};

  /// Limits, checked before each step of the model, which finds one token of each sentence of a batch, and before each
  /// pass for an alignment or a confidence. After one of them the call returns what it has: see Translation::Status.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};
  /// Called with each token of the best translation as soon as no other can take its place, on the thread that called
  /// translate; false cancels the call. May call translate. A greedy search (beam_size 1, no glossary, no
  /// coverage_penalty) and a single draw report each token when they find it. A beam search reports the tokens that its
  /// hypotheses have in common, some steps later, and the others at the end of the line, as do several draws. An empty
  /// line has no tokens. Exceptions leave translate unchanged. Lines with it are not translated together with those of
  /// other calls.
  std::function<bool(const StreamedToken&)> on_token = {};

  /// Called with each line as soon as it is complete, in the order of completion, on the thread that called translate;
  /// false cancels the call. May call translate. Exceptions leave translate unchanged.
  std::function<bool(std::size_t line, const Translation&)> on_result = {};

  /// Phrases to translate in a required way. A translation contains `target`, or one of its alternatives between `|`,
  /// for each place of its line where `source` stands as whole words, in any case unless it has a capital letter. The
  /// longest phrase wins. Not together with sampling.
  std::vector<GlossaryEntry> glossary = {};
  /// The same, prepared by this Translator or a copy of it; in place of `glossary`. Another's is refused.
  Glossary prepared_glossary = {};

  bool confidence = false;       ///< fills Candidate::words and flags
  bool alignment = false;        ///< fills Candidate::alignment; requires TranslatorSettings::alignment
  bool replace_unknown = false;  ///< unknown words take their text from the source; requires the same
  /// The attention that the two above are read from: decoder.2.cross, or of one head decoder.2.cross.3, from 0. Empty:
  /// the mean of the last layer's heads.
  std::string alignment_from = {};
};

/// One line's translation. Spans are bytes of UTF-8 text, `end` excluded.
///
///     const auto& best = translation.candidates.front();
///     for (const auto& [source, target] : best.alignment) std::cout << source << '-' << target << ' ';
struct Translation {
  enum class Status {
    kComplete,   ///< the same bits as without deadline and cancellation
    kDeadline,   ///< the deadline passed before it was found: no candidates
    kCancelled,  ///< `stop` or a callback ended the call before it was found: no candidates
  };
  struct Span {
    std::size_t begin = 0, end = 0;
  };
  /// A word is text between ASCII white space.
  struct Word {
    std::string text;
    double confidence = 0;  ///< its probability given everything before it
  };
  /// Numbers of words, from 0, of the source and of the translation.
  struct Link {
    std::size_t source = 0, target = 0;
  };
  struct Candidate {
    std::string text;
    double score = 0;            ///< log_probability after the penalties of length, coverage and glossary
    double log_probability = 0;  ///< sum over the tokens, the end of the sentence included
    /// The tokens as the tokenizer spells them, U+2581 for a space, without a language tag.
    std::vector<std::string> pieces;
    bool ended = false;  ///< by the end of the sentence, not by max_length

    std::vector<Span> spans;  ///< of each piece in `text`; empty if the tokenizer rewrites the text of its pieces
    /// Of each piece and, if `ended`, of the end of the sentence. Of the search; with `confidence` the model's own,
    /// which a repetition_penalty does not change.
    std::vector<double> token_log_probabilities;
    std::vector<Word> words;      ///< of `text`, with `confidence`; empty if `spans` is
    std::vector<Link> alignment;  ///< with `alignment`, sorted; empty if `spans` is
    /// Numbers of pieces, with `alignment`: for each piece of the translation, in order, the piece of the source that
    /// it attends to most, unless that is the end of the sentence. `source` counts source_spans.
    std::vector<Link> piece_alignment;
    std::vector<std::string> flags;  ///< reasons to look at it, with `confidence` (docs/translation_report.md)
    bool lacks_phrase = false;       ///< a phrase of the glossary is missing
  };

  Status status = Status::kComplete;
  bool truncated = false;             ///< the line is longer than the model reads; only its beginning was translated
  std::vector<Candidate> candidates;  ///< n_best, best first; one without pieces for an empty line

  std::string source;              ///< the part of the line that the model reads, as it reads it
  std::vector<Span> source_spans;  ///< of the source's pieces in `source`, without language tags

  bool complete() const { return status == Status::kComplete; }
  /// Text of the best candidate; empty if there is none.
  std::string text() const { return candidates.empty() ? std::string() : candidates.front().text; }
};

/// How a text is cut into sentences.
enum class SentenceSplit {
  kLine,       ///< each line is a sentence
  kParagraph,  ///< a line has one or more sentences
  kWrapped,    ///< a sentence may go on in the next line; an empty line ends it
};

/// Options of translate_text and translate_file.
struct TextOptions {
  /// Of each sentence. Sampling, n_best, prefixes, callbacks and details of lines are refused, and so is a
  /// prepared_glossary.
  TranslationOptions search = {};
  /// "txt", "html" and the other formats of docs/documents.md. Empty: "txt"; of a file, by the ending of its name.
  std::string format = {};
  SentenceSplit split = SentenceSplit::kParagraph;  ///< of plain text
  std::filesystem::path srx = {};                   ///< rules for sentences (SRX 2.0); empty: the library's own
  std::filesystem::path memory = {};    ///< a translation memory (TMX), whose translations are used; empty: none
  bool overwrite_translations = false;  ///< of a translation file, and of no other: also translates what has one
};

/// The translation of a text or a document.
struct TextTranslation {
  /// A sentence and its translation, in bytes of the text and of its translation.
  struct Sentence {
    Translation::Span source, target;
    double confidence = 0;  ///< geometric mean of the probabilities of its tokens; 1 from a translation memory
  };

  Translation::Status status = Translation::Status::kComplete;
  std::string text;                 ///< of translate_text, if complete
  std::vector<Sentence> sentences;  ///< of plain text, in order
  std::int64_t units = 0;           ///< paragraphs, messages or cells that were translated
  std::int64_t from_memory = 0;     ///< of these, those that the translation memory has

  bool complete() const { return status == Translation::Status::kComplete; }
};

/// Returns the sentences of a text in UTF-8, in bytes; the text between them is white space. `language` (BCP 47)
/// chooses the abbreviations; "": those of all languages.
[[gnu::visibility("default")]] std::vector<Translation::Span> split_sentences(
    const std::string& text, const std::string& language, SentenceSplit split = SentenceSplit::kParagraph);

/// A loaded model. Threads may share one: every function is const, and concurrent calls do not affect each other's
/// results. Copies share the model and the threads. Prints nothing and handles no signals.
///
/// Lines of concurrent calls are computed together, on TranslatorSettings::threads threads in all; the threads that
/// call are among them. Calls take turns. The Translator starts threads when there is work for several, and ends them
/// with its last copy; if the system refuses some, it computes with fewer. A call whose lines are all the work there
/// is, and too few for several threads, computes on one, or on all of OpenMP's, which end with the calling thread, if
/// OMP_WAIT_POLICY is passive. OpenMP's and
/// MKL's number of threads are set for threads that compute only, and restored.
///
/// In a process that was forked, calls throw TranslatorUsageError if threads had been started before, or a call was
/// running. Load a Translator after the fork.
///
/// With a CUDA device the constructor also changes the whole process for good: it asks LibTorch for deterministic
/// algorithms, turns off cuDNN's choice by timing, keeps OpenMP from changing numbers of threads, and sets the variable
/// CUBLAS_WORKSPACE_CONFIG if it is not set. No other thread may read the environment meanwhile.
///
/// Throws the exceptions of <gloss/error.h>.
class [[gnu::visibility("default")]] Translator {
 public:
  /// Loads a model file, or the folder of a finished run.
  explicit Translator(const std::filesystem::path& file_or_folder, const TranslatorSettings& settings = {});
  /// Loads an ensemble: the probability of a token is the mean over several models, which must have the same
  /// tokenizers.
  explicit Translator(std::span<const std::filesystem::path> files_or_folders, const TranslatorSettings& settings = {});
  /// Loads an ensemble from a list: Translator({"one", "two"}).
  explicit Translator(std::initializer_list<std::filesystem::path> files_or_folders,
                      const TranslatorSettings& settings = {});
  Translator(const Translator&);
  Translator& operator=(const Translator&);
  ~Translator();

  /// Returns one translation for each line, in order. A line is text without line ends; broken UTF-8 and NUL are read
  /// as U+FFFD. A deadline or cancellation is no error: the lines found by then are complete, and the status of the
  /// others is the reason.
  std::vector<Translation> translate(std::span<const std::string> lines, const TranslationOptions& options = {}) const;
  /// Does the same with options for each line, in order. `prefixes` of a line's options has one element at most, and
  /// `first_line` is its own number. Throws TranslatorUsageError if the numbers of lines and options differ;
  /// messages about the options of a line begin with its index.
  std::vector<Translation> translate_each(std::span<const std::string> lines,
                                          std::span<const TranslationOptions> options) const;
  Translation translate_line(const std::string& line, const TranslationOptions& options = {}) const;

  /// Translates a text of any number of sentences. Everything between two sentences stays, and so do URLs, {names},
  /// %s and other placeholders. With a format such as "html", tags follow the words that they surround. Tags and
  /// placeholders need TranslatorSettings::alignment to find their places.
  ///
  ///     const auto page = translator.translate_text("<p>A <b>red</b> car.</p>", {.format = "html"});
  TextTranslation translate_text(const std::string& text, const TextOptions& options = {}) const;
  /// Translates a document. `output` appears complete or not at all.
  TextTranslation translate_file(const std::filesystem::path& input, const std::filesystem::path& output,
                                 const TextOptions& options = {}) const;

  /// Returns a glossary that calls use without preparing it again.
  Glossary prepare(std::span<const GlossaryEntry> entries) const;

  /// Returns the languages that a model of several languages has tags for, in ascending order; none for a model of one
  /// direction.
  std::vector<std::string> languages() const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  class [[gnu::visibility("hidden")]] Call;

  [[gnu::visibility("hidden")]] std::vector<Translation> run(std::span<const std::string> lines,
                                                             std::span<const TranslationOptions> options) const;

  std::shared_ptr<const Impl> impl_;
};

/// Returns the version of the library, such as "0.1.0".
[[gnu::visibility("default")]] const char* version() noexcept;

}  // namespace gloss
