#include "serve/http/http_server.h"

#include <algorithm>
#include <atomic>
#include <list>
#include <set>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "serve/http/http_session.h"
#include "serve/http/listen_address.h"

namespace gloss {
namespace {

using asio::ip::tcp;
using TlsContext = std::shared_ptr<asio::ssl::context>;

TlsContext read_certificate(const HttpServerSettings& settings) {
  if (settings.certificate.empty()) return nullptr;
  constexpr std::size_t kMaxBytes = 1 << 20;
  const auto certificate = read_file(settings.certificate, kMaxBytes), key = read_file(settings.private_key, kMaxBytes);
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  boost::system::error_code error;
  context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                       asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
  context->use_certificate_chain(asio::buffer(certificate), error);
  if (error) throw IoError(printable(settings.certificate) + ": wanted a certificate in PEM: " + error.message());
  context->set_password_callback([](auto, auto) { return ""; });  // OpenSSL's own asks at the terminal
  context->use_private_key(asio::buffer(key), asio::ssl::context::pem, error);
  if (error || ::SSL_CTX_check_private_key(context->native_handle()) != 1)
    throw IoError(printable(settings.private_key) +
                  ": wanted the private key of the certificate, in PEM and without a passphrase" +
                  (error ? ": " + error.message() : ""));
  return context;
}

}  // namespace

class HttpServer::State {
 public:
  State(HttpServerSettings settings, HttpHandlers handlers)
      : settings_(std::move(settings)),
        context_{std::move(handlers), settings_.limits},
        tls_(read_certificate(settings_)) {
    for (const auto& address : settings_.listen) open(address);
    open_spare();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (spare_ >= 0) ::close(spare_);
  }

  std::vector<std::string> addresses() const {
    std::vector<std::string> texts;
    for (const auto& acceptor : acceptors_) texts.push_back(text_of(acceptor.local_endpoint()));
    return texts;
  }

  void run() {
    for (auto& acceptor : acceptors_) accept(acceptor);
    for (bool has_ended = false; !has_ended;) {
      try {
        network_.run();
        has_ended = true;
      } catch (const std::exception& error) {  // the others go on
        log_error(std::string("a connection was closed: ") + error.what());
      }
    }
    for (auto* const session : std::set(sessions_)) session->close();  // after stop
  }

  void drain() {
    asio::post(network_, [this] {
      if (std::exchange(context_.drains, true)) return;
      for (auto& acceptor : acceptors_) {
        boost::system::error_code error;
        acceptor.non_blocking(true, error);
        while (!error) {
          tcp::socket socket(network_);
          acceptor.accept(socket, error);
          if (!error) begin_session(std::move(socket));
        }
        acceptor.close(error);
      }
      for (auto* const session : std::set(sessions_)) session->drain();
    });
  }

  void stop() { network_.stop(); }

  void reload_certificate() {
    auto renewed = read_certificate(settings_);
    asio::post(network_, [this, renewed = std::move(renewed)] { tls_ = renewed; });
  }

  std::size_t connections() const { return count_; }

 private:
  void open(const std::string& text) {
    const auto endpoints = resolve_listen_address(text);
    boost::system::error_code error;
    for (const auto& endpoint : endpoints) {
      tcp::acceptor acceptor(network_);
      acceptor.open(endpoint.protocol(), error);
      if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
      if (!error && endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(true), error);
      if (!error) acceptor.bind(endpoint, error);
      if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
      if (error)
        throw IoError("--listen " + printable(text) + ": cannot listen" +
                      (text == text_of(endpoint) ? "" : " to " + text_of(endpoint)) + ": " + error.message() +
                      (error == asio::error::address_in_use ? "; another program uses it: choose another port" : ""));
      acceptors_.push_back(std::move(acceptor));
    }
  }

  void accept(tcp::acceptor& acceptor) {
    acceptor.async_accept([this, &acceptor](boost::system::error_code error, tcp::socket socket) {
      const bool is_last = error == asio::error::operation_aborted || context_.drains;
      if (error && !is_last) return accept_later(acceptor);
      if (!is_last) accept(acceptor);
      if (!error) begin_session(std::move(socket));
    });
  }

  void open_spare() {
    if (spare_ < 0) spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }

  /// Waits for descriptors or memory. A client need not wait with it: a spare descriptor takes its connection.
  void accept_later(tcp::acceptor& acceptor) {
    if (spare_ >= 0) {
      ::close(std::exchange(spare_, -1));
      boost::system::error_code error;
      tcp::socket socket(network_);
      acceptor.non_blocking(true, error);
      acceptor.accept(socket, error);
      if (!error) refuse(socket);
      socket.close(error);
    }
    open_spare();
    const auto timer = std::make_shared<asio::steady_timer>(network_, std::chrono::milliseconds(20));
    timer->async_wait([this, &acceptor, timer](auto) { accept(acceptor); });
  }

  /// Answers 503 without reading anything; over TLS the connection is closed only.
  void refuse(tcp::socket& socket) const {
    if (tls_) return;
    const HttpResponse response{
        .status = 503, .body = json_error("too many connections"), .headers = {{"Retry-After", "1"}}};
    const auto text = head_text(response, response.body.size(), false, false) + response.body;
    boost::system::error_code error;
    socket.non_blocking(true, error);
    socket.write_some(asio::buffer(text), error);
  }

  void begin_session(tcp::socket socket) {
    constexpr std::size_t kMaxRefused = 64;
    const bool is_refused = sessions_.size() >= settings_.limits.connections;
    if (is_refused && (tls_ || refused_.size() >= kMaxRefused)) return refuse(socket);
    if (tls_)
      begin_session(TlsStream(std::move(socket), *tls_), sessions_, false);
    else
      begin_session(beast::tcp_stream(std::move(socket)), is_refused ? refused_ : sessions_, is_refused);
  }

  template <typename Stream>
  void begin_session(Stream stream, std::set<HttpSession*>& sessions, bool is_refused) {
    using Session = StreamSession<Stream>;
    const auto on_closed = [this, &sessions](HttpSession& session) {
      sessions.erase(&session);
      count_ = sessions_.size();
    };
    // A request may end on any thread, its session ends on this one.
    const std::shared_ptr<Session> session(new Session(std::move(stream), context_, on_closed), [this](Session* ended) {
      asio::post(network_, [owned = std::unique_ptr<Session>(ended)] {});
    });
    sessions.insert(session.get());
    count_ = sessions_.size();
    session->start(is_refused);
  }

  const HttpServerSettings settings_;
  SessionContext context_;
  std::set<HttpSession*> sessions_;
  std::set<HttpSession*> refused_;      ///< beyond the limit: they get an answer at once
  std::atomic<std::size_t> count_ = 0;  ///< of sessions
  asio::io_context network_{1};         ///< its end ends sessions that requests still hold
  TlsContext tls_;
  std::list<tcp::acceptor> acceptors_;
  int spare_ = -1;  ///< a descriptor
};

HttpServer::HttpServer(const HttpServerSettings& settings, HttpHandlers handlers)
    : state_(std::make_unique<State>(settings, std::move(handlers))) {}
HttpServer::~HttpServer() = default;

std::vector<std::string> HttpServer::addresses() const { return state_->addresses(); }
void HttpServer::run() { state_->run(); }
void HttpServer::drain() { state_->drain(); }
void HttpServer::stop() { state_->stop(); }
void HttpServer::reload_certificate() { state_->reload_certificate(); }
std::size_t HttpServer::connections() const { return state_->connections(); }

}  // namespace gloss
