// Routes: several requests, one after the other, each get an answer that a client can have caused. Inputs are requests
// (request_input.h) with a line of ---- between them; {id} and {key} stand for those of the last answer.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "common/error.h"
#include "serve/http/api_error.h"
#include "serve/routes.h"
#include "serve/service/text_service.h"
#include "tests/fuzz/request_input.h"

namespace gloss {
namespace {

/// A client: keeps the answer and checks it.
class Client final : public Exchange::Connection {
 public:
  void send(HttpResponse response, bool is_stream) override {
    head_text(response, response.body.size(), true, false);  // throws if a text of the client has got into a field
    // 503 and 504: documents that fill the disk, and deadlines.
    const auto status = response.status;
    expect((status >= 200 && status < 500 && status != 499) || status == 503 || status == 504);
    std::optional<Json> json;
    if (status != 204 && !is_stream && response.content_type == "application/json") json = parse_json(response.body);
    expect(status < 400 || (json && (json->contains("error") || json->contains("message"))));
    const std::lock_guard lock(mutex_);
    json_ = std::move(json);
    has_all_ = !is_stream;
    changed_.notify_all();
  }
  void send_part(std::string, bool is_last) override {
    const std::lock_guard lock(mutex_);
    has_all_ = has_all_ || is_last;
    changed_.notify_all();
  }
  void cut() override { send_part({}, true); }  // a deadline has passed
  std::optional<Json> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_all_; });
    return json_;
  }

 private:
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::optional<Json> json_;
  bool has_all_ = false;
};

/// A server without its network: all that its routes use.
class Service {
 public:
  Service() {
    config_.settings.max_characters = 200;
    config_.settings.max_texts = 8;
    config_.settings.max_alternatives = 2;
    config_.models = {{"en", "de", GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors"}};
    models_ = std::make_shared<ServedModels>(config_.models, config_.serving);
    // Routes are tested, not searches: short ones leave time for more inputs.
    auto& decoding = const_cast<ServedModel&>(models_->models().front()).config.decoding;
    decoding.beam_size = 1;
    decoding.max_length = 3;
  }

  std::optional<Json> answer(const HttpRequest& request) {
    const auto* const route = find_route(request);
    if (route == nullptr) return std::nullopt;
    const auto client = std::make_shared<Client>();
    auto exchange = std::make_shared<Exchange>(request, client);
    const ApiContext context{config_, models_, nullptr, metrics_, *documents_, use_, *glossaries_, cache_, true};
    // As Server::State::work_on, but any other exception ends the program.
    const auto fail = [&](int status, std::string_view message) {
      exchange->respond(
          {.status = status, .body = to_text({{request.path.starts_with("/v") ? "message" : "error", message}})});
    };
    try {
      ApiCall call(exchange, context);
      route->answer(call);
    } catch (const ApiError& error) {
      fail(error.status, error.what());
    } catch (const Error& error) {
      expect(error.exit_code() == ExitCode::kUsage || error.exit_code() == ExitCode::kData);
      fail(400, error.what());
    }
    exchange.reset();
    return client->wait();
  }

  /// Forgets the requests before: documents now and then, since they have threads of their own.
  void begin() {
    glossaries_.emplace();
    if (inputs_++ % 1000 == 0) documents_.emplace(DocumentJobs::Settings{.folder = {}, .quota_bytes = 1 << 20});
  }
  /// Waits for documents that no request waits for.
  void end() const {
    while (documents_->count(DocumentState::kQueued) + documents_->count(DocumentState::kTranslating) > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  ServeConfig config_;
  std::shared_ptr<ServedModels> models_;
  Metrics metrics_;
  CharacterUse use_;
  std::optional<GlossaryStore> glossaries_;
  std::optional<DocumentJobs> documents_;
  SentenceCache cache_{0};
  std::size_t inputs_ = 0;
};

void replace(std::string& text, std::string_view name, const std::string& value) {
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto& service = *new Service;  // kept: its threads end with the process
  constexpr std::string_view kBorder = "\n----\n";
  service.begin();
  std::string id, key;
  for (auto rest = input_text(data, size); !rest.empty();) {
    const auto end = std::min(rest.find(kBorder), rest.size());
    std::string text(rest.substr(0, end));
    rest.remove_prefix(std::min(end + kBorder.size(), rest.size()));
    replace(text, "{id}", id);
    replace(text, "{key}", key);
    const auto answer = service.answer(read_request_input(text));
    for (const auto* const name : {"glossary_id", "document_id", "document_key"})
      if (answer && answer->is_object() && answer->contains(name))
        (std::string_view(name) == "document_key" ? key : id) = answer->at(name);
  }
  service.end();
  return 0;
}

}  // namespace gloss
