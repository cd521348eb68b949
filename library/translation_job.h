#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <gloss/translator.h>

#include "decoding/search.h"
#include "tokenizer/tokenizer.h"
#include "translation/line_translator.h"

namespace gloss {

/// One call of translate: what it has found so far, and what may end it. What it refers to must outlive it.
class TranslationJob {
 public:
  TranslationJob(std::span<const std::string> lines, const TranslationOptions& options);

  /// Searches until all is found, the deadline comes or it is canceled. Throws what a search throws.
  void run(const LineTranslator& translator, const Tokenizer& target, const DecodingConfig& config);

  /// What was found. Throws what the caller's own function threw in `run`.
  std::vector<Translation> take();

 private:
  /// A line whose tokens are streamed.
  struct Streamed {
    Ids ids;
    double log_probability = 0;
  };
  struct Ended {};  ///< thrown to leave a search

  std::vector<Ids> read_lines(const LineTranslator& translator);
  PerSentence read_given(const Tokenizer& target) const;
  void look_at_deadline();
  void take_token(std::int64_t line, Id token, double log_probability, const Tokenizer& target);
  void take_found(std::int64_t line, const std::vector<Hypothesis>& found, const Tokenizer& target);
  void send(const StreamedToken& token);
  [[noreturn]] void end(Translation::Status why);

  std::span<const std::string> lines_;
  const TranslationOptions* options_;
  std::vector<Translation> translations_;
  std::vector<bool> found_;
  std::vector<Streamed> streamed_;
  Translation::Status ended_by_ = Translation::Status::kComplete;
  std::exception_ptr thrown_by_caller_;
};

}  // namespace gloss
