#include "serve/server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <malloc.h>

#include "common/error.h"
#include "common/log/log.h"
#include "common/system/machine.h"
#include "common/text/language_match.h"
#include "common/text/letter_case.h"
#include "common/text/printable.h"
#include "common/text/trimmed.h"
#include "serve/access/origin_check.h"
#include "serve/access/rate_limit.h"
#include "serve/api/deepl.h"
#include "serve/http/api_error.h"
#include "serve/http/http_server.h"
#include "serve/http/http_syntax.h"
#include "serve/http/listen_address.h"
#include "serve/routes.h"
#include "serve/service/request_pool.h"
#include "serve/service/text_service.h"
#include "tensor/caching_allocator.h"
#include "tensor/out_of_memory.h"

namespace gloss {
namespace {

std::shared_ptr<const ApiKeys> read_keys(const ServeConfig& config) {
  const auto& file = config.settings.api_keys;
  return file.empty() ? nullptr : std::make_shared<const ApiKeys>(ApiKeys::read(file));
}

HttpServerSettings http_settings(const ServeSettings& settings) {
  using std::chrono::seconds;
  return {.listen = comma_list(settings.listen),
          .certificate = settings.tls_certificate,
          .private_key = settings.tls_key,
          .limits = {.header_bytes = static_cast<std::uint32_t>(settings.max_header_kib << 10),
                     .connections = static_cast<std::size_t>(settings.max_connections),
                     .request = seconds(settings.header_seconds),
                     .body = seconds(settings.body_seconds),
                     .idle = seconds(settings.idle_seconds),
                     .write = seconds(settings.write_seconds)}};
}

DocumentJobs::Settings document_settings(const ServeSettings& settings) {
  return {.folder = settings.document_folder,
          .quota_bytes = static_cast<std::uint64_t>(settings.document_quota_mib) << 20,
          .lifetime = std::chrono::minutes(settings.document_minutes)};
}

bool is_for_this_machine(const ServeConfig& config) {
  return std::ranges::all_of(comma_list(config.settings.listen),
                             [](const auto& address) { return listens_to_loopback(address); });
}

/// Returns the key in the field Authorization; "" if there is none. The fields of a body are read later.
std::string key_of_header(const HttpRequest& request) {
  const auto field = request.header("authorization");
  const auto space = std::min(field.find(' '), field.size());
  const auto scheme = lower_ascii(field.substr(0, space));
  return scheme == "bearer" || scheme == "deepl-auth-key" ? std::string(trimmed(field.substr(space))) : std::string();
}

/// Returns the entry of a key; null if there is none.
const ApiKey* find_key(const ApiKeys& keys, std::string_view key) {
  if (key.ends_with(":fx")) key.remove_suffix(3);  // DeepL's clients choose a server by this ending
  return keys.find(key);
}

}  // namespace

class Server::State {
 public:
  explicit State(ServeConfig config)
      : config_(observed(std::move(config))),
        keys_(read_keys(config_)),
        models_(read_models()),
        origins_{.checks_host = is_for_this_machine(config_) && !keys_,
                 .hosts = comma_list(lower_ascii(config_.settings.allow_host)),
                 .origins = comma_list(config_.settings.allow_origin)},
        cache_(static_cast<std::size_t>(config_.settings.cache_mib) << 20),
        http_(http_settings(config_.settings), handlers()),
        documents_(document_settings(config_.settings)),
        pool_(static_cast<std::size_t>(config_.settings.max_running),
              static_cast<std::size_t>(config_.settings.max_waiting)) {
    add_gauges();
    // For requests to be read and answered where tensors got all other memory. Without a limit each waiting thread
    // would take 64 MiB of addresses for an arena of its own.
    keep_memory_free(32 << 20);
    ::mallopt(M_ARENA_MAX, 2 * available_processors());
  }

  std::vector<std::string> addresses() const { return http_.addresses(); }

  void run() {
    http_.run();
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_all();
  }

  void drain() {
    if (drains_.exchange(true)) return;
    http_.drain();
    limiter_ = std::jthread([this] {
      std::unique_lock lock(mutex_);
      if (!ended_.wait_for(lock, std::chrono::seconds(config_.settings.drain_seconds), [this] { return has_ended_; })) {
        log_warning("requests that were not answered within " + std::to_string(config_.settings.drain_seconds) +
                    " seconds are given up");
        http_.stop();
      }
    });
  }

  void reload() {
    try {
      auto keys = read_keys(config_);
      auto models = read_models();
      http_.reload_certificate();
      const std::lock_guard lock(mutex_);
      keys_ = std::move(keys);
      models_ = std::move(models);
      log_info("models, keys and the certificate were read again");
    } catch (const std::exception& error) {
      log_error(std::string("nothing was read again: ") + error.what());
    }
  }

 private:
  std::shared_ptr<const ServedModels> read_models() const {
    auto models = std::make_shared<const ServedModels>(config_.models, config_.serving);
    const auto& fallback = config_.settings.default_language;
    const auto is_source = [&](const ServedModel& model) { return language_match(fallback, model.source) > 0; };
    if (!fallback.empty() && std::ranges::none_of(models->models(), is_source))
      throw UsageError({Key{"serve.default_language"},
                        ": wanted a language that a model translates from, got " + printable(fallback, 120)});
    return models;
  }

  /// Returns a configuration whose batches are counted.
  ServeConfig observed(ServeConfig config) {
    config.serving.on_batch = [this](const auto& batch) { metrics_.add_batch(batch); };
    return config;
  }

  HttpHandlers handlers() {
    return {.refusal = [this](const HttpRequest& head) { return refusal(head); },
            .fields = [this](const HttpRequest& head) { return origins_.cors_fields(head); },
            .body_limit = [this](const HttpRequest& head) { return body_limit(head); },
            .error =
                [this](const HttpRequest& head, int status, std::string_view message) {
                  const auto option = status != 413 ? "" : has_file(head) ? " (--max-file-kib)" : " (--max-body-kib)";
                  return error_response(head, status, std::string(message) + option);
                },
            .answer = [this](std::shared_ptr<Exchange> exchange) { answer(std::move(exchange)); },
            .done = [this](const HttpRequest& request, const auto& outcome) { note(request, outcome); }};
  }

  ApiContext context() {
    const std::lock_guard lock(mutex_);
    const bool is_ready = !drains_ && static_cast<std::int64_t>(pool_.waiting()) < config_.settings.max_waiting;
    return {config_, models_, keys_, metrics_, documents_, use_, glossaries_, cache_, is_ready};
  }

  HttpResponse error_response(const HttpRequest& request, int status, std::string_view message,
                              HeaderFields headers = {}) const {
    return {.status = status,
            .body = to_text({{is_for_deepl(request) ? "message" : "error", message}}),
            .headers = std::move(headers)};
  }

  /// Refuses what can be refused by the header alone, before a body is read.
  std::optional<HttpResponse> refusal(const HttpRequest& head) {
    if (const auto reason = origins_.refusal(head); !reason.empty()) {
      metrics_.add_rejected("host");
      return error_response(head, 403, reason);
    }
    if (head.method == "OPTIONS") return HttpResponse{.status = 204, .content_type = ""};
    const auto* const route = find_route(head);
    if (route == nullptr) {
      const auto methods = methods_of(head.path);
      if (methods.empty()) return error_response(head, 404, "There is nothing under this path");
      return error_response(head, 405, "The method is not allowed: wanted " + methods, {{"Allow", methods}});
    }
    const auto keys = context().keys;
    if (!keys || route->is_open) return std::nullopt;
    const auto key = key_of_header(head);
    // A key may also stand in the body, which only a client that names one may send in full.
    if (!key.empty() && find_key(*keys, key) == nullptr) {
      metrics_.add_rejected("key");
      return error_response(head, 403, "Invalid API key");
    }
    return std::nullopt;
  }

  static bool has_file(const HttpRequest& head) {
    const auto* const route = find_route(head);
    return route != nullptr && route->has_file;
  }

  std::uint64_t body_limit(const HttpRequest& head) const {
    const auto kib = has_file(head) ? config_.settings.max_file_kib : config_.settings.max_body_kib;
    return static_cast<std::uint64_t>(kib) << 10;
  }

  void answer(std::shared_ptr<Exchange> received) {
    ++active_requests_;
    const std::shared_ptr<Exchange> exchange(received.get(), [this, received](auto*) { --active_requests_; });
    const auto* const route = find_route(exchange->request());
    auto work = [this, exchange, route] { work_on(exchange, *route); };
    if (!route->translates && !route->takes_time) return work();
    if (pool_.add(work, exchange->left())) return;
    metrics_.add_rejected("queue");
    exchange->respond(
        error_response(exchange->request(), 503, "The server is busy; try again later", {{"Retry-After", "1"}}));
  }

  void work_on(const std::shared_ptr<Exchange>& exchange, const Route& route) {
    const auto& request = exchange->request();
    const auto fail = [&](int status, std::string_view message, HeaderFields headers = {}) {
      exchange->respond(error_response(request, status, message, std::move(headers)));
    };
    const auto log = [&](std::string_view reason) {
      log_error("request " + request.id + " failed: " + std::string(reason));
    };
    if (exchange->left().stop_requested()) return;
    try {
      if (route.translates && !is_memory_free()) throw std::bad_alloc();
      const auto shared = context();
      ApiCall call(exchange, shared);
      expect_access(call, route);
      if (const auto deadline = call.deadline(); deadline && *deadline < std::chrono::steady_clock::now())
        throw ApiError(504, "The deadline of the request has passed");
      route.answer(call);
    } catch (const ApiError& error) {
      if (error.status == 504) metrics_.add_deadline_exceeded();
      fail(error.status, error.what(), error.headers);
    } catch (const ClientLeft&) {  // nobody reads an answer
    } catch (const Error& error) {
      const bool is_request = error.exit_code() == ExitCode::kUsage || error.exit_code() == ExitCode::kData;
      if (!is_request) log(error.what());
      fail(is_request ? 400 : 500, is_request ? error.what() : "The request failed; see the log of the server");
    } catch (const std::exception& error) {
      if (is_out_of_memory()) {
        log("out of memory");
        fail(503, "The server is out of memory; try again later, or with a shorter text", {{"Retry-After", "1"}});
      } else {
        log(error.what());
        fail(500, "The request failed; see the log of the server");
      }
    }
  }

  /// Throws ApiError 403 without a valid key where one is wanted, 429 for too many requests.
  void expect_access(ApiCall& call, const Route& route) {
    const auto& keys = call.context().keys;
    auto client = call.request().peer;
    auto per_minute = config_.settings.requests_per_minute;
    if (keys) {
      auto key = key_of_header(call.request());
      if (key.empty() && !route.is_open)
        key = call.fields().text("api_key").value_or(call.fields().text("auth_key").value_or(""));
      const auto* const entry = find_key(*keys, key);
      if (entry == nullptr) {
        if (route.is_open) return;
        metrics_.add_rejected("key");
        throw ApiError(403, key.empty() ? "Please give an API key" : "Invalid API key");
      }
      call.set_key(*entry);
      client = "key " + entry->name;
      if (entry->requests_per_minute > 0) per_minute = entry->requests_per_minute;
    }
    if (!route.translates) return;
    if (const auto seconds = rates_.take(client, per_minute, RateLimit::Clock::now())) {
      metrics_.add_rejected("rate");
      throw ApiError(429, "Slowdown: " + std::to_string(per_minute) + " per 1 minute",
                     {{"Retry-After", std::to_string(*seconds)}});
    }
  }

  void note(const HttpRequest& request, const HttpHandlers::Outcome& outcome) {
    const auto* const route = find_route(request);
    const auto seconds = std::chrono::duration<double>(outcome.time).count();
    const std::string path(route == nullptr ? "other" : route->path);
    const auto method = route == nullptr ? "other" : request.method;
    metrics_.add_request(method, path, outcome.status, seconds, outcome.bytes_received, outcome.bytes_sent);
    log_event("request", {{"request_id", request.id},
                          {"trace_id", trace_id(request.header("traceparent"))},
                          {"method", method},
                          {"route", path},
                          {"status", outcome.status},
                          {"seconds", seconds},
                          {"bytes_sent", outcome.bytes_sent}});
  }

  void add_gauges() {
    metrics_.add_gauge("http_server_active_requests", "Requests that are answered.",
                       [this] { return static_cast<double>(active_requests_); });
    metrics_.add_gauge("gloss_queue_requests", "Requests that wait for a thread.",
                       [this] { return static_cast<double>(pool_.waiting()); });
    metrics_.add_gauge("gloss_connections", "Open connections.",
                       [this] { return static_cast<double>(http_.connections()); });
    for (std::size_t i = 0; i < kDocumentStates.size(); ++i)
      metrics_.add_gauge(
          "gloss_documents{state=" + label_value(kDocumentStates.at(i)) + '}', "Documents that are kept, by state.",
          [this, state = static_cast<DocumentState>(i)] { return static_cast<double>(documents_.count(state)); });
    metrics_.add_gauge("gloss_document_bytes", "Bytes that documents take of their quota.",
                       [this] { return static_cast<double>(documents_.bytes_taken()); });
    metrics_.add_gauge("gloss_queue_sentences", "Sentences that wait for a model.",
                       [this] { return static_cast<double>(context().models->waiting_sentences()); });
    metrics_.add_gauge("gloss_cache_hits_total", "Sentences that were translated before.",
                       [this] { return static_cast<double>(cache_.hits()); });
    metrics_.add_gauge("gloss_cache_misses_total", "Sentences that the cache lacked.",
                       [this] { return static_cast<double>(cache_.misses()); });
  }

  Metrics metrics_;
  std::atomic<int> active_requests_ = 0;  ///< read to their end, and not yet answered to theirs
  const ServeConfig config_;
  std::mutex mutex_;  ///< guards the next two, and has_ended_
  std::shared_ptr<const ApiKeys> keys_;
  std::shared_ptr<const ServedModels> models_;
  const OriginPolicy origins_;
  RateLimit rates_;
  CharacterUse use_;
  GlossaryStore glossaries_;
  SentenceCache cache_;
  std::atomic<bool> drains_ = false;
  bool has_ended_ = false;
  std::condition_variable ended_;
  HttpServer http_;
  DocumentJobs documents_;
  RequestPool pool_;      ///< ends before the server that its requests answer
  std::jthread limiter_;  ///< of the time to drain
};

Server::Server(ServeConfig config) {
  const auto& settings = config.settings;
  serve_settings().validate(settings);
  if (config.models.empty()) throw UsageError({Key{"model"}, ": wanted at least one"});
  if (comma_list(settings.listen).empty()) throw UsageError({Key{"serve.listen"}, ": wanted an address"});
  for (const auto& origin : comma_list(settings.allow_origin)) {
    const auto scheme = origin.find("://");
    if (origin != "*" && (scheme == origin.npos || origin.find('/', scheme + 3) != origin.npos))
      throw UsageError({Key{"serve.allow_origin"},
                        ": wanted * or pages such as https://example.org, got " + printable(origin, 120)});
  }
  if (settings.tls_certificate.empty() != settings.tls_key.empty())
    throw UsageError(
        {Key{"serve.tls_certificate"}, ": wanted beside ", Key{"serve.tls_key"}, ", and the other way round"});
  if (settings.api_keys.empty() && !settings.no_auth && !is_for_this_machine(config))
    throw UsageError({Key{"serve.listen"}, ": other machines can reach this address: wanted ", Key{"serve.api_keys"},
                      ", or ", Key{"serve.no_auth"}, " if everybody may translate"});
  state_ = std::make_unique<State>(std::move(config));
}
Server::~Server() = default;

std::vector<std::string> Server::addresses() const { return state_->addresses(); }
void Server::run() { state_->run(); }
void Server::drain() { state_->drain(); }
void Server::reload() { state_->reload(); }

}  // namespace gloss
