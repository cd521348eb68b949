#include "library/translation_job.h"

#include <chrono>
#include <utility>

#include "common/error.h"
#include "common/text/utf8.h"
#include "decoding/batched_search.h"

namespace gloss {

TranslationJob::TranslationJob(std::span<const std::string> lines, const TranslationOptions& options)
    : lines_(lines),
      options_(&options),
      translations_(lines.size()),
      found_(lines.size()),
      streamed_(options.on_token ? lines.size() : 0) {}

void TranslationJob::run(const LineTranslator& translator, const Tokenizer& target, const DecodingConfig& config) {
  try {
    const auto given = read_given(target);
    const auto sources = read_lines(translator);
    SearchHooks hooks;
    hooks.before_batch = hooks.before_step = [this] { look_at_deadline(); };
    hooks.on_found = [&](std::int64_t line, const auto& found) { take_found(line, found, target); };
    if (options_->on_token)
      hooks.on_token = [&](std::int64_t line, Id token, double log_probability) {
        take_token(line, token, log_probability, target);
      };
    batched_search(translator.scorer(), sources, config, given, hooks);
  } catch (const Ended&) {
  }
}

std::vector<Translation> TranslationJob::take() {
  if (thrown_by_caller_) std::rethrow_exception(thrown_by_caller_);
  for (std::size_t i = 0; i < translations_.size(); ++i)
    if (!found_[i]) translations_[i].status = ended_by_;
  return std::move(translations_);
}

std::vector<Ids> TranslationJob::read_lines(const LineTranslator& translator) {
  std::vector<Ids> sources;
  sources.reserve(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    look_at_deadline();
    auto source = translator.encode_source(lines_[i]);
    translations_[i].truncated = source.truncated;
    if (source.ids.empty()) {
      translations_[i].candidates.emplace_back();
      found_[i] = true;
    }
    sources.push_back(std::move(source.ids));
  }
  return sources;
}

PerSentence TranslationJob::read_given(const Tokenizer& target) const {
  const auto& prefixes = options_->prefixes;
  if (!prefixes.empty() && prefixes.size() != lines_.size())
    throw UsageError("prefixes: wanted one for each of " + std::to_string(lines_.size()) + " lines, got " +
                     std::to_string(prefixes.size()));
  PerSentence given;
  for (const auto& prefix : prefixes) given.prefixes.push_back(target.encode(repair_utf8(prefix)));
  for (std::size_t i = 0; i < lines_.size(); ++i)
    given.numbers.push_back(options_->first_line + static_cast<std::int64_t>(i));
  return given;
}

void TranslationJob::look_at_deadline() {
  if (options_->stop.stop_requested()) end(Translation::Status::kCancelled);
  if (options_->deadline && std::chrono::steady_clock::now() >= *options_->deadline)
    end(Translation::Status::kDeadline);
}

void TranslationJob::take_token(std::int64_t line, Id token, double log_probability, const Tokenizer& target) {
  auto& streamed = streamed_[line];
  streamed.ids.push_back(token);
  const auto before = std::exchange(streamed.log_probability, log_probability);
  send({.line = static_cast<std::size_t>(line),
        .piece = target.piece(token),
        .text = target.decode(streamed.ids),
        .log_probability = log_probability - before,
        .end = false});
}

void TranslationJob::take_found(std::int64_t line, const std::vector<Hypothesis>& found, const Tokenizer& target) {
  auto& candidates = translations_[line].candidates;
  for (const auto& hypothesis : found) {
    auto& candidate = candidates.emplace_back();
    candidate.text = target.decode(hypothesis.ids);
    candidate.score = hypothesis.score;
    candidate.log_probability = hypothesis.log_probability;
    candidate.ended = hypothesis.ended;
    for (const auto id : hypothesis.ids) candidate.pieces.push_back(target.piece(id));
  }
  found_[line] = true;
  if (options_->on_token)
    send({.line = static_cast<std::size_t>(line),
          .piece = {},
          .text = candidates.front().text,
          .log_probability = candidates.front().log_probability - streamed_[line].log_probability,
          .end = true});
}

void TranslationJob::send(const StreamedToken& token) {
  bool go_on = false;
  try {
    go_on = options_->on_token(token);
  } catch (...) {
    thrown_by_caller_ = std::current_exception();
  }
  if (!go_on) end(Translation::Status::kCancelled);
}

void TranslationJob::end(Translation::Status why) {
  ended_by_ = why;
  throw Ended{};
}

}  // namespace gloss
