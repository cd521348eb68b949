#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decoding/search.h"
#include "translation/candidate_details.h"
#include "translation/line_translator.h"

namespace gloss {

/// One call of LineTranslator::translate. Everything that it refers to must outlive it.
class TranslationJob {
 public:
  TranslationJob(const LineTranslator& translator, const TranslationRequest& request, const DecodingConfig& config,
                 const TranslationHooks& hooks);

  std::vector<LineTranslation> run();

 private:
  /// A line whose tokens are streamed.
  struct StreamedLine {
    /// Appends the text of the last ids, unless bytes of their last character may follow.
    void add_text(const Tokenizer& tokenizer);

    Ids ids;
    double log_probability = 0;
    std::string text;               ///< of the first `decoded` ids
    std::size_t decoded = 0;        ///< number of ids
    std::size_t context_begin = 0;  ///< index of the first id that is decoded again with the next ones
  };
  struct Interrupted {};  ///< thrown when the deadline has passed or the caller cancels

  void expect_possible() const;
  void expect_tokens_one_by_one() const;
  void read_lines();
  std::optional<std::string> known_translation(std::size_t line) const;
  /// Searches all lines in one call of `search`, and in halves only if memory runs out.
  void search_in_parts(std::span<const std::size_t> lines);
  bool try_to_search(std::span<const std::size_t> lines);
  void search(std::span<const std::size_t> lines);
  void finish_batch();  ///< fills the candidates of `searched_`
  void finish_found();  ///< the same after a limit, for those whose details need no pass of a model
  void finish(std::span<const SearchedLine> lines);
  void check_limits();
  void stream_token(std::size_t line, Id token, double log_probability);
  void add_hypotheses(std::size_t line, const std::vector<Hypothesis>& hypotheses);
  void send(const TranslationHooks::TokenEvent& event);
  [[noreturn]] void interrupt(LineTranslation::Status status);

  const LineTranslator& translator_;
  const TranslationRequest& request_;
  const DecodingConfig& config_;
  const TranslationHooks& hooks_;

  std::vector<Ids> sources_;                  ///< pieces and eos of each line; empty for a line without pieces
  std::vector<Ids> prefixes_;                 ///< of each line, or empty
  std::vector<std::vector<Phrase>> phrases_;  ///< of each line, or empty
  std::vector<LineTranslation> result_;
  std::vector<bool> done_;              ///< the result of the line is complete
  std::vector<SearchedLine> searched_;  ///< lines that are found, whose candidates are not filled yet
  std::vector<StreamedLine> streamed_;
  LineTranslation::Status status_of_rest_ = LineTranslation::Status::kComplete;  ///< of the lines that are not done
};

}  // namespace gloss
