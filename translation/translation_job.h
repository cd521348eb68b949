#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "decoding/search.h"
#include "translation/candidate_details.h"
#include "translation/line_translator.h"

namespace gloss {

/// One call of LineTranslator::translate: its lines, their limits and their results. A TranslationRunner decides when
/// and where its lines are searched. Everything that it refers to must outlive it.
class TranslationJob {
 public:
  /// Reads the lines. Throws UsageError as LineTranslator::translate.
  TranslationJob(const LineTranslator& translator, const TranslationRequest& request, const DecodingConfig& config,
                 const TranslationHooks& hooks);
  TranslationJob(const TranslationJob&) = delete;
  TranslationJob& operator=(const TranslationJob&) = delete;

  /// Returns the translations after TranslationRunner::run. Rethrows the exception that ended the job.
  std::vector<LineTranslation> results();

  /// The thread that waits for the results.
  struct Caller {
    std::thread::id thread = std::this_thread::get_id();
    std::condition_variable changed;  ///< a line is done, the job is not wanted any longer, or the thread may compute
  };

  /// Lines that wait for a search, and how many are being searched. Guarded by the runner.
  struct Waiting {
    std::deque<std::size_t> lines;                 ///< those with phrases first, of each kind the longest first
    std::deque<std::vector<std::size_t>> batches;  ///< to be searched without other lines, before `lines`
    std::size_t running = 0;                       ///< lines that are searched
    Caller* caller = nullptr;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    bool any() const { return !lines.empty() || !batches.empty(); }
    bool finished() const { return !any() && running == 0; }
  };
  Waiting waiting;

  const LineTranslator& translator() const { return translator_; }
  const DecodingConfig& config() const { return config_; }
  const DetailOptions& details() const { return request_.details; }
  const TranslationHooks& hooks() const { return hooks_; }
  const GlossaryPhrases* glossary() const { return request_.glossary; }
  std::int64_t input_index(std::size_t line) const { return request_.first_index + static_cast<std::int64_t>(line); }

  std::size_t lines() const { return sources_.size(); }
  /// Returns pieces and eos of a line.
  const Ids& source(std::size_t line) const { return sources_[line]; }
  /// Returns the tokens that its translation begins with; may be empty.
  std::span<const Id> prefix(std::size_t line) const {
    return prefixes_.empty() ? std::span<const Id>() : prefixes_[line];
  }
  std::span<const Phrase> phrases(std::size_t line) const {
    return phrases_.empty() ? std::span<const Phrase>() : phrases_[line];
  }
  bool has_phrases(std::size_t line) const { return !phrases(line).empty(); }
  /// Returns whether its tokens are streamed, for which its own thread must search it.
  bool streams() const { return bool(hooks_.on_token); }
  /// Returns the attention that a greedy search keeps for the alignment, so that no pass for it follows. Absent if
  /// there is none to keep.
  std::optional<AttentionSite> kept_attention() const;
  /// Returns whether a batch may have lines of both jobs, all of them with phrases or none.
  bool goes_with(const TranslationJob& other) const;
  /// Returns whether the details of lines of both jobs, which go with each other, can be computed together.
  bool is_filled_with(const TranslationJob& other) const;
  /// Returns whether it may end before all lines are done.
  bool has_limit() const { return hooks_.deadline || hooks_.stop.stop_possible(); }

  /// Returns whether the job goes on: it has not failed, and neither its deadline has passed nor its caller left.
  /// Remembers why not.
  bool wanted();
  /// Does the same and throws Interrupted if it does not.
  void expect_wanted();
  struct Interrupted {};  ///< thrown to leave a search whose results nobody waits for

  void before_batch(std::int64_t lines);
  void before_step();
  /// Sends a token that is certain. Throws Interrupted if the caller cancels.
  void stream_token(std::size_t line, Id token, double log_probability);
  /// Sends the end of a line.
  void stream_end(std::size_t line, const Hypothesis& best);
  void note_left_out_phrases(std::size_t line) { result_[line].leaves_out_phrases = true; }
  /// Returns what fill_candidates needs of a line.
  SearchedLine searched(std::size_t line, std::vector<Hypothesis> hypotheses);
  bool is_done(std::size_t line) const { return done_[line] != 0; }
  void set_done(std::size_t line);
  /// Gives up a line for which memory does not suffice.
  void lose(std::size_t line);
  /// Returns whether this is the first time that memory ran out for the line alone.
  bool may_try_again(std::size_t line) { return tries_[line]++ == 0; }
  /// Ends the job with an exception; the first one counts.
  void fail(std::exception_ptr exception);
  /// Calls on_result for the lines done since the last call. Only on the thread that waits.
  void deliver();
  bool has_to_deliver();

 private:
  /// A line whose tokens are streamed.
  struct StreamedLine {
    /// Appends the text of the last ids, unless bytes of their last character may follow.
    void add_text(const Tokenizer& tokenizer);

    Ids ids;
    std::string text;               ///< of the first `decoded` ids
    std::size_t decoded = 0;        ///< number of ids
    std::size_t context_begin = 0;  ///< index of the first id that is decoded again with the next ones
  };

  void expect_possible() const;
  void read_lines();
  std::optional<std::string> known_translation(std::size_t line) const;
  void sort_lines();
  void call(const std::function<void()>& hook);
  void answer(const std::function<bool()>& hook);
  void send(const TranslationHooks::TokenEvent& event);

  const LineTranslator& translator_;
  const TranslationRequest& request_;
  const DecodingConfig& config_;
  const TranslationHooks& hooks_;

  std::vector<Ids> sources_;                  ///< pieces and eos of each line; empty for a line without pieces
  std::vector<Ids> prefixes_;                 ///< of each line, or empty
  std::vector<std::vector<Phrase>> phrases_;  ///< of each line, or empty
  std::vector<LineTranslation> result_;
  std::vector<char> done_;   ///< the result of the line is complete; a byte each, since threads set them
  std::vector<char> tries_;  ///< searches of the line alone that ran out of memory
  std::vector<StreamedLine> streamed_;

  std::atomic<LineTranslation::Status> status_of_rest_ = LineTranslation::Status::kComplete;  ///< of lines not done
  std::mutex hooks_mutex_;    ///< held while a hook runs
  std::mutex results_mutex_;  ///< guards the two below
  std::vector<std::size_t> undelivered_;
  std::exception_ptr exception_;
  std::atomic<bool> failed_ = false;
};

}  // namespace gloss
