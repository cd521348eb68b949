#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/config/json.h"
#include "serve/access/api_keys.h"
#include "serve/access/character_use.h"
#include "serve/api/request_fields.h"
#include "serve/http/exchange.h"
#include "serve/service/document_jobs.h"
#include "serve/service/glossary_store.h"
#include "serve/service/metrics.h"
#include "serve/service/sentence_cache.h"
#include "serve/service/serve_config.h"
#include "serve/service/served_models.h"
#include "serve/service/text_service.h"

namespace gloss {

/// State of the server that the routes of all interfaces use. Models and keys are those of the beginning of a request:
/// a server that reads them again replaces them for later ones.
struct ApiContext {
  const ServeConfig& config;
  std::shared_ptr<const ServedModels> models;
  std::shared_ptr<const ApiKeys> keys;
  Metrics& metrics;
  DocumentJobs& documents;
  CharacterUse& use;
  GlossaryStore& glossaries;
  SentenceCache& cache;
  bool is_ready;  ///< takes requests to translate: the server neither ends nor has too many that wait
};

/// A request while a route answers it.
class ApiCall {
 public:
  ApiCall(std::shared_ptr<Exchange> exchange, const ApiContext& context);
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;
  /// Adds the characters that were counted to the metrics; takes them back unless the request has succeeded.
  ~ApiCall();

  const HttpRequest& request() const { return exchange_->request(); }
  Exchange& exchange() { return *exchange_; }
  /// For an answer after the route has returned.
  const std::shared_ptr<Exchange>& shared_exchange() const { return exchange_; }
  const ApiContext& context() const { return context_; }
  const RequestFields& fields();
  /// Returns the entry of the key that the request has; null: none is demanded.
  const ApiKey* key() const { return key_; }
  void set_key(const ApiKey& key) { key_ = &key; }
  /// Returns a name for the owner of what a request leaves on the server: one for each key, one without keys.
  std::string owner() const { return key_ == nullptr ? "" : key_->sha256; }

  /// Returns the way from one language into another. Throws ApiError 400 if one is not served, or there is no way.
  ModelRoute route(const std::string& source, const std::string& target) const;
  /// Returns the time at which the answer is of no use any more: by the field Gloss-Deadline-Ms, or the server's.
  std::optional<std::chrono::steady_clock::time_point> deadline() const;
  /// Lets a job end with the request, and use the cache of the server.
  void attach(TextJob& job);
  /// Throws ApiError 413 if the texts of a field are too many, or too long. Without a name it is LibreTranslate's 400.
  void expect_within_limits(const std::vector<std::string>& texts, std::string_view name);
  /// Counts the characters of texts that are translated for the key. Throws ApiError 456 if it has no more.
  void use_characters(const std::vector<std::string>& texts);

  /// Answers with status 200.
  void respond(const Json& body, HeaderFields headers = {}) {
    succeed();
    exchange_->respond({.status = 200, .body = to_text(body), .headers = std::move(headers)});
  }
  /// Keeps the characters counted: the request has been answered in full.
  void succeed() { has_succeeded_ = true; }

 private:
  std::shared_ptr<Exchange> exchange_;
  const ApiContext& context_;
  std::optional<RequestFields> fields_;
  const ApiKey* key_ = nullptr;
  std::int64_t used_ = 0;  ///< characters
  bool has_succeeded_ = false;
};

}  // namespace gloss
