#include "serve/api/api_context.h"

#include <algorithm>
#include <utility>

#include "common/text/language_match.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "serve/http/api_error.h"

namespace gloss {
namespace {

std::int64_t count_characters(const std::vector<std::string>& texts) {
  std::size_t characters = 0;
  for (const auto& text : texts) characters += count_code_points(text);
  return static_cast<std::int64_t>(characters);
}

}  // namespace

ApiCall::ApiCall(std::shared_ptr<Exchange> exchange, const ApiContext& context)
    : exchange_(std::move(exchange)), context_(context) {}

ApiCall::~ApiCall() {
  if (!exchange_->has_answer())
    context_.use.give_back(owner(), used_);
  else
    context_.metrics.add_characters(used_);
}

const RequestFields& ApiCall::fields() {
  if (!fields_) fields_.emplace(request());
  return *fields_;
}

std::vector<const ServedModel*> ApiCall::route(const std::string& source, const std::string& target) const {
  auto route = context_.models->route(source, target);
  if (!route.empty()) return route;
  const auto served = [&](const std::string& code) {
    for (const auto& model : context_.models->models())
      if (language_match(code, model.source) > 0 || language_match(code, model.target) > 0) return true;
    return false;
  };
  // A name that no model has could be anything, so it is not repeated.
  if (!served(source)) throw ApiError(400, "The source language is not supported; see /languages");
  if (!served(target)) throw ApiError(400, "The target language is not supported; see /languages");
  throw ApiError(400, "There is no model from " + source + " to " + target);
}

std::optional<std::chrono::steady_clock::time_point> ApiCall::deadline() const {
  auto limit = context_.config.settings.deadline_ms;
  if (const auto field = request().header("gloss-deadline-ms"); !field.empty()) {
    constexpr std::int64_t kMax = 1'000'000'000;
    const auto wanted = parse_number<std::int64_t>(field);
    if (!wanted || *wanted < 1 || *wanted > kMax)
      throw ApiError(400, "Invalid request: Gloss-Deadline-Ms: wanted milliseconds, at most 10^9");
    limit = limit == 0 ? *wanted : std::min(limit, *wanted);
  }
  if (limit == 0) return std::nullopt;
  return exchange_->begin() + std::chrono::milliseconds(limit);
}

void ApiCall::attach(TextJob& job) {
  job.deadline = deadline();
  job.stop = exchange_->left();
  if (context_.config.settings.cache_mib > 0) job.cache = &context_.cache;
}

void ApiCall::expect_within_limits(const std::vector<std::string>& texts, std::string_view name) {
  const auto& settings = context_.config.settings;
  if (std::ssize(texts) > settings.max_texts)
    throw ApiError(413, "Invalid request: " + std::string(name) + ": wanted at most " +
                            std::to_string(settings.max_texts) + " texts");
  const auto characters = count_characters(texts);
  if (characters > settings.max_characters)
    throw ApiError(413, "Invalid request: " + std::string(name) + ": wanted at most " +
                            std::to_string(settings.max_characters) + " characters, got " + std::to_string(characters));
}

void ApiCall::use_characters(const std::vector<std::string>& texts) {
  const auto characters = count_characters(texts);
  const auto limit = key_ == nullptr ? 0 : key_->characters;
  if (!context_.use.take(owner(), characters, limit)) {
    context_.metrics.add_rejected("characters");
    throw ApiError(456, "Quota exceeded: the key may have " + std::to_string(limit) + " characters translated");
  }
  used_ += characters;
}

std::string model_hashes(const std::vector<const ServedModel*>& route) {
  std::string hashes;
  for (const auto* const model : route) hashes += (hashes.empty() ? "" : ", ") + model->sha256;
  return hashes;
}

}  // namespace gloss
