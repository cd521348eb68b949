#include "translation/translation_job.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/text/visible_text.h"
#include "decoding/batched_search.h"
#include "tensor/out_of_memory.h"

namespace gloss {

TranslationJob::TranslationJob(const LineTranslator& translator, const TranslationRequest& request,
                               const DecodingConfig& config, const TranslationHooks& hooks)
    : translator_(translator),
      request_(request),
      config_(config),
      hooks_(hooks),
      result_(request.lines.size()),
      done_(request.lines.size()),
      streamed_(hooks.on_token ? request.lines.size() : 0) {}

std::vector<LineTranslation> TranslationJob::run() {
  expect_possible();
  try {
    read_lines();
    std::vector<std::size_t> lines;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (!done_[i]) lines.push_back(i);
    search_in_parts(lines);
  } catch (const Interrupted&) {
    finish_found();
  }
  for (std::size_t i = 0; i < result_.size(); ++i) {
    if (done_[i]) continue;
    result_[i].status = status_of_rest_;
    result_[i].candidates.clear();
  }
  return std::move(result_);
}

void TranslationJob::expect_possible() const {
  const auto lines = request_.lines.size(), prefixes = request_.prefixes.size();
  if (prefixes > 0 && prefixes != lines)
    throw UsageError("prefixes: wanted one for each of " + std::to_string(lines) + " lines, got " +
                     std::to_string(prefixes));
  if (request_.details.needs_attention() && !translator_.can_align())
    throw UsageError("alignment: wanted a translator that keeps a model to align with, got one without");
  if (request_.workers < 1) throw UsageError("workers: wanted at least 1, got " + std::to_string(request_.workers));
  if (hooks_.on_token) expect_tokens_one_by_one();
}

void TranslationJob::expect_tokens_one_by_one() const {
  if (config_.sampling.enabled || config_.beam_size != 1 || config_.coverage_penalty > 0)
    throw UsageError("on_token: wanted a greedy search: beam_size 1, no sampling and no coverage_penalty");
  if (request_.glossary) throw UsageError("on_token: wanted a greedy search without glossary, got a glossary");
  if (hooks_.halve_when_out_of_memory)
    throw UsageError("on_token: wanted a call without halve_when_out_of_memory, which may search a line twice");
}

void TranslationJob::read_lines() {
  for (const auto& prefix : request_.prefixes) prefixes_.push_back(translator_.encode_target(prefix));
  if (translator_.target_tags() > 0) prefixes_.resize(request_.lines.size(), translator_.encode_target(""));
  for (std::size_t i = 0; i < result_.size(); ++i) {
    check_limits();
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
    done_[i] = source.ids.empty();
    if (done_[i]) result_[i].candidates.emplace_back();
    sources_.push_back(std::move(source.ids));
    if (done_[i]) continue;
    if (auto text = known_translation(i)) {
      result_[i].candidates.emplace_back().text = *text;
      done_[i] = true;
      if (hooks_.on_token) send({.line = i, .piece = {}, .text = std::move(*text), .is_last = true});
    }
  }
}

/// Returns the translation of a line that is not searched. Absent for the others.
std::optional<std::string> TranslationJob::known_translation(std::size_t line) const {
  if (!request_.prefixes.empty() && !request_.prefixes[line].empty()) return std::nullopt;
  if (!phrases_.empty() && !phrases_[line].empty())
    return phrases_[line].front().is_line ? std::optional(on_one_line(phrases_[line].front().text)) : std::nullopt;
  return result_[line].truncated ? std::nullopt : copied_line(result_[line].source.text);
}

void TranslationJob::search_in_parts(std::span<const std::size_t> lines) {
  if (try_to_search(lines)) return;
  std::vector<std::size_t> left;
  for (const auto line : lines)
    if (!done_[line]) left.push_back(line);
  if (left.empty()) return;
  if (lines.size() == 1) {
    result_[left.front()].status = LineTranslation::Status::kOutOfMemory;
    done_[left.front()] = true;
    return;
  }
  const auto half = std::max<std::size_t>(1, left.size() / 2);
  search_in_parts(std::span(left).first(half));
  if (half < left.size()) search_in_parts(std::span(left).subspan(half));
}

/// Returns false if memory ran out. The lines that were found are then done, unless memory runs out for their details,
/// and the memory of the search is free again.
bool TranslationJob::try_to_search(std::span<const std::size_t> lines) {
  try {
    search(lines);
    return true;
  } catch (...) {
    if (lines.empty() || !hooks_.halve_when_out_of_memory || !is_out_of_memory()) throw;
  }
  try {
    finish_batch();
  } catch (...) {
    if (!is_out_of_memory()) throw;
    searched_.clear();
  }
  return false;
}

void TranslationJob::search(std::span<const std::size_t> lines) {
  std::vector<Ids> sources;
  SearchInputs given{.given_tokens = static_cast<std::int64_t>(translator_.target_tags())};
  for (const auto line : lines) {
    sources.push_back(sources_[line]);
    if (!prefixes_.empty()) given.prefixes.push_back(prefixes_[line]);
    if (!phrases_.empty()) given.phrases.push_back(phrases_[line]);
    given.input_indices.push_back(request_.first_index + static_cast<std::int64_t>(line));
  }
  if (request_.glossary) given.continues_word = request_.glossary->continues_word();
  const auto line_of = [lines](std::int64_t sentence) { return lines[static_cast<std::size_t>(sentence)]; };
  SearchHooks hooks;
  const bool in_turn = request_.workers == 1 || !translator_.scorer().device().is_cpu();
  hooks.before_batch = [this, in_turn](std::int64_t sentences) {
    if (in_turn) finish_batch();  // the batch before; other workers would wait for it
    check_limits();
    if (hooks_.before_batch) hooks_.before_batch(sentences);
  };
  hooks.before_step = [this] {
    check_limits();
    if (hooks_.before_step) hooks_.before_step();
  };
  hooks.on_left_out = [&](std::int64_t sentence, std::int64_t) {
    result_[line_of(sentence)].leaves_out_phrases = true;
  };
  hooks.on_found = [&](std::int64_t sentence, const auto& found) { add_hypotheses(line_of(sentence), found); };
  if (hooks_.on_token)
    hooks.on_token = [&](std::int64_t sentence, Id token, double log_probability) {
      stream_token(line_of(sentence), token, log_probability);
    };
  batched_search(translator_.scorer(), sources, config_, given, hooks, request_.workers);
  finish_batch();
}

// With a limit some lines at a time, so that those before it are complete.
void TranslationJob::finish_batch() {
  constexpr std::size_t kLinesWithLimit = 8;
  const bool is_limited = hooks_.deadline || hooks_.stop.stop_possible();
  const auto size = is_limited ? kLinesWithLimit : std::max<std::size_t>(1, searched_.size());
  for (std::span<const SearchedLine> rest = searched_; !rest.empty(); rest = rest.subspan(std::min(size, rest.size())))
    finish(rest.first(std::min(size, rest.size())));
  searched_.clear();
}

void TranslationJob::finish_found() {
  for (const auto& line : searched_) {
    if (done_[line.index]) continue;
    try {
      finish(std::span(&line, 1));
    } catch (const Interrupted&) {  // its details need the model
    }
  }
  searched_.clear();
}

void TranslationJob::finish(std::span<const SearchedLine> lines) {
  const auto before_step = [this] {
    check_limits();
    if (hooks_.before_step) hooks_.before_step();
  };
  fill_candidates(translator_, request_.details, config_, lines, before_step);
  for (const auto& line : lines) done_[line.index] = true;
}

void TranslationJob::check_limits() {
  if (hooks_.stop.stop_requested()) interrupt(LineTranslation::Status::kCanceled);
  if (hooks_.deadline && std::chrono::steady_clock::now() >= *hooks_.deadline)
    interrupt(LineTranslation::Status::kDeadline);
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
  const auto before = std::exchange(streamed.log_probability, log_probability);
  if (streamed.ids.size() <= translator_.target_tags()) return;
  const auto& tokenizer = translator_.target_tokenizer();
  streamed.add_text(tokenizer);
  send({.line = line,
        .piece = tokenizer.piece(token),
        .text = on_one_line(streamed.text),
        .log_probability = log_probability - before,
        .is_last = false});
}

void TranslationJob::add_hypotheses(std::size_t line, const std::vector<Hypothesis>& hypotheses) {
  searched_.push_back(
      {.index = line,
       .source = &sources_[line],
       .phrases = phrases_.empty() ? std::span<const Phrase>() : std::span<const Phrase>(phrases_[line]),
       .prefix = request_.prefixes.empty() ? std::string_view() : std::string_view(request_.prefixes[line]),
       .hypotheses = hypotheses,
       .translation = &result_[line]});
  if (!hooks_.on_token) return;
  const auto& best = hypotheses.front();
  send({.line = line,
        .piece = {},
        .text = on_one_line(translator_.target_tokenizer().decode(best.ids)),
        .log_probability = best.log_probability - streamed_[line].log_probability,
        .is_last = true});
}

void TranslationJob::send(const TranslationHooks::TokenEvent& event) {
  if (!hooks_.on_token(event)) interrupt(LineTranslation::Status::kCanceled);
}

void TranslationJob::interrupt(LineTranslation::Status status) {
  status_of_rest_ = status;
  throw Interrupted{};
}

}  // namespace gloss
