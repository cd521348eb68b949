#include "serve/api/api_context.h"

#include <algorithm>
#include <utility>

#include "common/text/language_tag.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "serve/api/deepl.h"
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
  if (has_succeeded_)
    context_.metrics.add_characters(used_);
  else
    context_.use.give_back(owner(), used_);
}

const RequestFields& ApiCall::fields() {
  if (!fields_) fields_.emplace(request());
  return *fields_;
}

ModelRoute ApiCall::route(const std::string& source, const std::string& target) const {
  const auto expect_served = [&](const std::string& side, const std::string& code) {
    const bool is_tag = is_language_tag(with_hyphens(code));
    if (is_tag && context_.models->has_language(code)) return;
    // A name that is no tag could be anything, so it is not repeated.
    throw ApiError(400, "The " + side + " language is not supported" + (is_tag ? ": " + code : "") + "; see " +
                            (is_for_deepl(request()) ? "/v2/languages?type=" + side : "/languages"));
  };
  expect_served("source", source);
  expect_served("target", target);
  if (auto route = context_.models->route(source, target)) return *std::move(route);
  throw ApiError(400, "There is no model from " + source + " to " + target + ", not even through a third language");
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
  const auto expect = [&](std::int64_t size, std::int64_t limit, const char* unit) {
    if (size <= limit) return;
    const auto got = std::to_string(size), wanted = std::to_string(limit);
    if (name.empty()) throw ApiError(400, "Invalid request: request (" + got + ") exceeds text limit (" + wanted + ")");
    throw ApiError(413, "Invalid request: " + std::string(name) + ": wanted at most " + wanted + unit + ", got " + got);
  };
  expect(std::ssize(texts), context_.config.settings.max_texts, " texts");
  expect(count_characters(texts), context_.config.settings.max_characters, " characters");
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

}  // namespace gloss
