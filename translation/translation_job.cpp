#include "translation/translation_job.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/text/visible_text.h"
#include "decoding/batched_search.h"
#include "tensor/out_of_memory.h"
#include "translation/translation_runner.h"

namespace gloss {

TranslationJob::TranslationJob(const LineTranslator& translator, const TranslationRequest& request,
                               const DecodingConfig& config, const TranslationHooks& hooks)
    : translator_(translator),
      request_(request),
      config_(config),
      hooks_(hooks),
      result_(request.lines.size()),
      done_(request.lines.size()),
      tries_(request.lines.size()),
      streamed_(hooks.on_token ? request.lines.size() : 0) {
  expect_possible();
  try {
    read_lines();
    sort_lines();
  } catch (const Interrupted&) {
  }
}

std::vector<LineTranslation> TranslationJob::results() {
  if (exception_) std::rethrow_exception(exception_);
  for (std::size_t i = 0; i < result_.size(); ++i) {
    if (done_[i] != 0) continue;
    result_[i].status = status_of_rest_;
    result_[i].candidates.clear();
  }
  return std::move(result_);
}

bool TranslationJob::goes_with(const TranslationJob& other) const {
  return this == &other || (!streams() && !other.streams() && &translator_.scorer() == &other.translator_.scorer() &&
                            translator_.target_tags() == other.translator_.target_tags() && config_ == other.config_ &&
                            kept_attention() == other.kept_attention());
}

bool TranslationJob::is_filled_with(const TranslationJob& other) const {
  return this == &other ||
         (&translator_.target_tokenizer() == &other.translator_.target_tokenizer() &&
          translator_.aligner().scorer == other.translator_.aligner().scorer && details() == other.details());
}

std::optional<AttentionSite> TranslationJob::kept_attention() const {
  const auto& [scorer, default_site] = translator_.aligner();
  if (!details().alignment || !is_greedy(config_) || scorer.get() != &translator_.scorer()) return std::nullopt;
  return details().alignment_from.value_or(default_site);
}

void TranslationJob::expect_possible() const {
  config_.validate();
  const auto lines = request_.lines.size(), prefixes = request_.prefixes.size();
  if (prefixes > 0 && prefixes != lines)
    throw UsageError("prefixes: wanted one for each of " + std::to_string(lines) + " lines, got " +
                     std::to_string(prefixes));
  if (request_.details.needs_attention() && !translator_.can_align())
    throw UsageError("alignment: wanted a translator that keeps a model to align with, got one without");
  if (request_.glossary && config_.sampling.enabled)
    throw UsageError("phrases: translations that are drawn cannot be made to contain any; search for them");
  if (hooks_.on_token && hooks_.halve_when_out_of_memory)
    throw UsageError("on_token: wanted a call without halve_when_out_of_memory, which may search a line twice");
}

void TranslationJob::read_lines() {
  for (const auto& prefix : request_.prefixes) prefixes_.push_back(translator_.encode_target(prefix));
  if (translator_.target_tags() > 0) prefixes_.resize(request_.lines.size(), translator_.encode_target(""));
  for (std::size_t i = 0; i < result_.size(); ++i) {
    expect_wanted();
    auto source = translator_.encode_source(request_.lines[i]);
    auto& pieces = source.pieces;
    const auto end = source.length == 0 ? 0 : pieces.spans[source.length - 1].end;
    if (request_.glossary)
      phrases_.push_back(source.truncated ? request_.glossary->phrases_for(pieces, end)
                                          : request_.glossary->phrases_for(pieces));
    if (source.truncated) pieces.text.resize(end);
    pieces.ids.resize(source.length);
    pieces.spans.resize(source.length);
    result_[i].source = std::move(pieces);
    result_[i].truncated = source.truncated;
    const bool is_empty = source.ids.empty();
    sources_.push_back(std::move(source.ids));
    if (is_empty) {
      result_[i].candidates.emplace_back();
      set_done(i);
    } else if (auto text = known_translation(i)) {
      result_[i].candidates.emplace_back().text = *text;
      set_done(i);
      if (hooks_.on_token) send({.line = i, .piece = {}, .text = std::move(*text), .is_last = true});
    }
  }
}

/// Returns the translation of a line that is not searched. Absent for the others.
std::optional<std::string> TranslationJob::known_translation(std::size_t line) const {
  if (!request_.prefixes.empty() && !request_.prefixes[line].empty()) return std::nullopt;
  if (has_phrases(line))
    return phrases_[line].front().is_line ? std::optional(on_one_line(phrases_[line].front().text)) : std::nullopt;
  return result_[line].truncated ? std::nullopt : copied_line(result_[line].source.text);
}

/// Puts the lines that are to be searched into their order.
void TranslationJob::sort_lines() {
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (done_[i] == 0) waiting.lines.push_back(i);
  std::ranges::stable_sort(waiting.lines, std::greater{},
                           [this](std::size_t i) { return std::pair(has_phrases(i), sources_[i].size()); });
}

void TranslationJob::StreamedLine::add_text(const Tokenizer& tokenizer) {
  const auto last = std::span<const Id>(ids).subspan(context_begin);
  const auto before = tokenizer.decode(last.first(decoded - context_begin)), all = tokenizer.decode(last);
  if (all.ends_with("\uFFFD")) return;
  if (!all.starts_with(before)) {  // the tokenizer rewrites texts
    text = tokenizer.decode(ids);
    decoded = ids.size();
    return;
  }
  const auto added = all.substr(before.size());
  text += added;
  // Decoding drops spaces at the beginning of a text, so the context never begins with one.
  if (content_of(added) != TextContent::kNothing) context_begin = decoded;
  decoded = ids.size();
}

void TranslationJob::stream_token(std::size_t line, Id token, double log_probability) {
  auto& streamed = streamed_[line];
  streamed.ids.push_back(token);
  if (streamed.ids.size() <= translator_.target_tags()) return;
  const auto& tokenizer = translator_.target_tokenizer();
  streamed.add_text(tokenizer);
  send({.line = line,
        .piece = tokenizer.piece(token),
        .text = on_one_line(streamed.text),
        .log_probability = log_probability,
        .is_last = false});
}

void TranslationJob::stream_end(std::size_t line, const Hypothesis& best) {
  send({.line = line,
        .piece = {},
        .text = on_one_line(translator_.target_tokenizer().decode(best.ids)),
        .log_probability = best.ended ? best.token_log_probabilities.back() : 0,
        .is_last = true});
}

void TranslationJob::send(const TranslationHooks::TokenEvent& event) {
  answer([&] { return hooks_.on_token(event); });
}

/// Calls a hook that may take long, or wait for other calls. Throws Interrupted if it cancels this one.
void TranslationJob::answer(const std::function<bool()>& hook) {
  bool goes_on = false;
  {
    const TranslationRunner::Pause pause;
    call([&] { goes_on = hook(); });
  }
  if (goes_on) return;
  status_of_rest_ = LineTranslation::Status::kCanceled;
  throw Interrupted{};
}

SearchedLine TranslationJob::searched(std::size_t line, std::vector<Hypothesis> hypotheses) {
  return {.index = line,
          .source = &sources_[line],
          .phrases = phrases(line),
          .prefix = request_.prefixes.empty() ? std::string_view() : std::string_view(request_.prefixes[line]),
          .hypotheses = std::move(hypotheses),
          .translation = &result_[line]};
}

void TranslationJob::set_done(std::size_t line) {
  done_[line] = 1;
  if (!hooks_.on_result) return;
  const std::lock_guard lock(results_mutex_);
  undelivered_.push_back(line);
}

void TranslationJob::lose(std::size_t line) {
  result_[line].status = LineTranslation::Status::kOutOfMemory;
  result_[line].candidates.clear();
  set_done(line);
}

bool TranslationJob::has_to_deliver() {
  const std::lock_guard lock(results_mutex_);
  return !undelivered_.empty();
}

void TranslationJob::deliver() {
  std::vector<std::size_t> lines;
  {
    const std::lock_guard lock(results_mutex_);
    lines.swap(undelivered_);
  }
  try {
    for (const auto line : lines) {
      if (status_of_rest_ == LineTranslation::Status::kCanceled) return;
      answer([&] { return hooks_.on_result(line, result_[line]); });
    }
  } catch (const Interrupted&) {
  } catch (...) {
    fail(std::current_exception());
  }
}

void TranslationJob::fail(std::exception_ptr exception) {
  const std::lock_guard lock(results_mutex_);
  if (!exception_) exception_ = std::move(exception);
  failed_ = true;
}

bool TranslationJob::wanted() {
  using Status = LineTranslation::Status;
  if (failed_ || status_of_rest_ != Status::kComplete) return false;
  if (hooks_.stop.stop_requested())
    status_of_rest_ = Status::kCanceled;
  else if (hooks_.deadline && std::chrono::steady_clock::now() >= *hooks_.deadline)
    status_of_rest_ = Status::kDeadline;
  return status_of_rest_ == Status::kComplete;
}

void TranslationJob::expect_wanted() {
  if (!wanted()) throw Interrupted{};
}

void TranslationJob::before_batch(std::int64_t lines) {
  expect_wanted();
  if (hooks_.before_batch) call([&] { hooks_.before_batch(lines); });
}

void TranslationJob::before_step() {
  expect_wanted();
  if (hooks_.before_step) call(hooks_.before_step);
}

/// Calls a hook when no other thread is in one. After its exception no hook is called any longer, unless memory ran out
/// and the search is repeated.
void TranslationJob::call(const std::function<void()>& hook) {
  const std::lock_guard lock(hooks_mutex_);
  if (failed_) throw Interrupted{};
  try {
    hook();
  } catch (...) {
    if (!hooks_.halve_when_out_of_memory || !is_out_of_memory()) fail(std::current_exception());
    throw;
  }
}

}  // namespace gloss
