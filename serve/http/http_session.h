#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "common/error.h"
#include "common/log/log.h"
#include "serve/http/exchange.h"
#include "serve/http/http_server.h"
#include "serve/http/http_syntax.h"

namespace gloss {

namespace asio = boost::asio;
namespace beast = boost::beast;

using TlsStream = beast::ssl_stream<beast::tcp_stream>;

/// Handlers and limits of all sessions.
struct SessionContext {
  HttpHandlers handlers;
  HttpLimits limits;
  bool drains = false;
  std::uint64_t body_bytes = 0;  ///< of bodies that are read or answered
};

/// A connection, for the server.
class HttpSession {
 public:
  virtual ~HttpSession() = default;
  /// Closes the connection, after the answer of a request that it has.
  virtual void drain() = 0;
  virtual void close() = 0;
};

/// A connection over a stream: plain TCP, or TLS. All its work is done on the thread of the network, its end, too.
template <typename Stream>
class StreamSession final : public HttpSession,
                            public Exchange::Connection,
                            public std::enable_shared_from_this<StreamSession<Stream>> {
 public:
  /// `on_closed` is called when the connection has ended.
  StreamSession(Stream stream, SessionContext& context, std::function<void(HttpSession&)> on_closed)
      : stream_(std::move(stream)),
        context_(context),
        on_closed_(std::move(on_closed)),
        timer_(stream_.get_executor()),
        buffer_(context.limits.header_bytes + kMaxRead) {
    boost::system::error_code error;
    const auto peer = socket().remote_endpoint(error).address();
    peer_ = error ? "" : peer.to_string();
    socket().set_option(asio::ip::tcp::no_delay(true), error);
  }
  ~StreamSession() override {
    hold(0);
    on_closed_(*this);
  }

  /// With `is_refused` it answers 503 without reading anything.
  void start(bool is_refused) {
    if (is_refused) {
      begin_request();
      return refuse(503, "too many connections", {{"Retry-After", "1"}});
    }
    if constexpr (kIsTls) {
      limit_time(context_.limits.request);
      stream_.async_handshake(asio::ssl::stream_base::server, then([](auto& self, auto error, auto) {
                                if (error) return self.close();
                                self.read_request();
                              }));
    } else {
      read_request();
    }
  }

  void drain() override {
    // Bytes of a request that were read already come first; nothing is lost between them and a check.
    if (step_ == Step::kIdle) beast::get_lowest_layer(stream_).cancel();
  }

  void close() override { close(499); }

  void send(HttpResponse response, bool is_stream) override {
    post([response = std::move(response), is_stream](auto& self, auto, auto) mutable {
      self.begin_answer(std::move(response), is_stream);
    });
  }

  void send_part(std::string part, bool is_last) override {
    post(
        [part = std::move(part), is_last](auto& self, auto, auto) mutable { self.add_part(std::move(part), is_last); });
  }

  void cut() override {
    post([](auto& self, auto, auto) {
      boost::system::error_code error;  // HTTP/1.0 ends an answer by the end of the connection: reset it
      self.socket().set_option(asio::socket_base::linger(true, 0), error);
      self.close(500);
    });
  }

 private:
  static constexpr bool kIsTls = !std::is_same_v<Stream, beast::tcp_stream>;
  static constexpr std::size_t kMaxRead = 64 << 10;  ///< beyond a header; Beast limits no extension of a chunk
  static constexpr std::size_t kMaxDiscarded = 16 << 20;
  using Parser = beast::http::request_parser<beast::http::string_body>;
  enum class Step { kIdle, kReads, kAnswers, kEnds, kClosed };

  asio::ip::tcp::socket& socket() { return beast::get_lowest_layer(stream_).socket(); }
  void limit_time(std::chrono::seconds time) { beast::get_lowest_layer(stream_).expires_after(time); }
  /// A handler that keeps the session alive and does nothing once it is closed. If it throws, the session is closed.
  template <typename Work>
  auto then(Work work) {
    return [self = this->shared_from_this(), work = std::move(work)](boost::system::error_code error = {},
                                                                     std::size_t count = 0) mutable {
      if (self->step_ == Step::kClosed) return;
      try {
        work(*self, error, count);
      } catch (...) {
        self->close(500);
        throw;
      }
    };
  }
  template <typename Work>
  void post(Work work) {
    asio::post(stream_.get_executor(), then(std::move(work)));
  }

  /// Closes the connection. A request that has no answer ends with a status.
  void close(int status) {
    step_ = Step::kClosed;
    if (const auto exchange = exchange_.lock()) exchange->set_left();
    boost::system::error_code error;
    socket().close(error);
    timer_.cancel();
    finish(status);
  }

  void read_request() {
    step_ = Step::kIdle;
    keeps_alive_ = is_http_1_0_ = is_head_ = is_late_ = false;
    received_ = sent_ = head_ = 0;
    parser_.emplace();
    parser_->header_limit(context_.limits.header_bytes);
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // on_header sets it; Boost 1.74 takes none for 0
    if (buffer_.size() > 0) return read_header();
    if (context_.drains) {
      boost::system::error_code error;
      if (socket().available(error) == 0) return close();
    }
    limit_time(context_.limits.idle);
    stream_.async_read_some(buffer_.prepare(4096), then([](auto& self, auto error, std::size_t count) {
                              if (error == asio::error::operation_aborted && self.context_.drains)
                                return self.read_request();
                              if (error) return self.close();
                              self.buffer_.commit(count);
                              self.read_header();
                            }));
  }

  void read_header() {
    step_ = Step::kReads;
    limit_reading(context_.limits.request);
    beast::http::async_read_header(stream_, buffer_, *parser_, then([](auto& self, auto error, std::size_t) {
                                     if (error) return self.end_unread(error);
                                     self.on_header();
                                   }));
  }

  /// Ends reading after a time, but leaves the connection open for an answer.
  void limit_reading(std::chrono::seconds time) {
    beast::get_lowest_layer(stream_).expires_never();
    timer_.expires_after(time);
    timer_.async_wait(then([](auto& self, auto error, auto) {
      if (error || self.step_ != Step::kReads || self.timer_.expiry() > std::chrono::steady_clock::now()) return;
      self.is_late_ = true;
      self.socket().cancel();
    }));
  }

  void on_header() {
    constexpr std::ptrdiff_t kMaxHeaderFields = 100;
    auto& message = parser_->get();
    keeps_alive_ = message.keep_alive();
    is_http_1_0_ = message.version() < 11;
    is_head_ = message.method() == beast::http::verb::head;
    begin_request();
    if (std::distance(message.begin(), message.end()) > kMaxHeaderFields)
      return refuse(431, "the header has too many fields");
    if (const auto fault = read_head(message, request_)) return refuse(400, *fault);
    request_.id = request_id(request_.header("x-request-id"));
    if (auto refusal = context_.handlers.refusal(request_)) return refuse(std::move(*refusal));
    const auto limit = context_.handlers.body_limit(request_);
    const auto length = parser_->content_length();
    if (length && *length > limit) return refuse_length();
    if (length && !has_space(*length)) return refuse_space();
    parser_->body_limit(limit);
    limit_reading(context_.limits.body);
    if (!is_http_1_0_ && beast::iequals(message[beast::http::field::expect], "100-continue")) {
      asio::async_write(stream_, asio::buffer(kContinue), then([](auto& self, auto error, std::size_t) {
                          if (error) return self.close();
                          self.read_body();
                        }));
    } else {
      read_body();
    }
  }

  void begin_request() {
    request_ = {};
    request_.peer = peer_;
    request_.id = request_id({});
    begin_ = std::chrono::steady_clock::now();
    is_finished_ = false;
  }

  void read_body() {
    if (parser_->is_done()) return dispatch();
    beast::http::async_read_some(stream_, buffer_, *parser_, then([](auto& self, auto error, std::size_t) {
                                   if (error == beast::http::error::body_limit) return self.refuse_length();
                                   if (error) return self.end_unread(error);
                                   const auto size = self.parser_->get().body().size();
                                   if (!self.has_space(size)) return self.refuse_space();
                                   self.hold(size);
                                   self.read_body();
                                 }));
  }

  bool has_space(std::uint64_t body_size) const {
    const auto others = context_.body_bytes - held_;
    return others == 0 || others + body_size <= context_.limits.body_bytes;
  }
  /// Counts the bytes of the body among those of all.
  void hold(std::uint64_t body_size) {
    context_.body_bytes += body_size - held_;
    held_ = body_size;
  }

  void dispatch() {
    step_ = Step::kAnswers;
    timer_.cancel();
    keeps_alive_ = parser_->keep_alive() && keeps_alive_;
    auto request = request_;  // whose head stays here
    request.body = std::move(parser_->get().body());
    received_ = request.body.size();
    const auto exchange = std::make_shared<Exchange>(std::move(request), this->shared_from_this());
    exchange_ = exchange;
    watch();
    context_.handlers.answer(exchange);
  }

  /// Notices that the client leaves while its request is answered. Bytes of a next request, or of the end of TLS, hide
  /// the end of the connection from the wait: then it looks again and again.
  void watch() {
    if (std::exchange(watches_, true)) return;
    socket().async_wait(asio::ip::tcp::socket::wait_read, then([](auto& self, auto error, auto) {
                          self.watches_ = false;
                          if (error || self.step_ != Step::kAnswers) return;
                          if (has_left(self.socket().native_handle())) return self.close();
                          self.timer_.expires_after(std::chrono::milliseconds(200));
                          self.timer_.async_wait(self.then([](auto& session, auto timer_error, auto) {
                            if (!timer_error && session.step_ == Step::kAnswers) session.watch();
                          }));
                        }));
  }

  void begin_answer(HttpResponse response, bool is_stream) {
    keeps_alive_ = keeps_alive_ && !context_.drains && !(is_stream && is_http_1_0_);
    status_ = response.status;
    is_chunked_ = is_stream && !is_http_1_0_;
    has_all_ = !is_stream;
    sends_body_ = !is_head_;
    response.headers.emplace_back("X-Request-Id", request_.id);
    if (context_.handlers.fields)
      std::ranges::move(context_.handlers.fields(request_), std::back_inserter(response.headers));
    const auto length = is_stream ? std::nullopt : std::optional(response.body.size());
    try {
      output_.push_back(head_text(response, length, keeps_alive_, is_chunked_));
    } catch (const Error& fault) {
      log_error("request " + request_.id + " failed: " + fault.what());
      response = error_response(500, "The request failed; see the log of the server");
      status_ = response.status;
      has_all_ = true;
      keeps_alive_ = is_stream = false;
      output_.push_back(head_text(response, response.body.size(), false, false));
    }
    head_ = output_.back().size();
    if (!is_stream && sends_body_ && !response.body.empty()) output_.push_back(std::move(response.body));
    write_next();
  }

  void add_part(std::string part, bool is_last) {
    if (step_ != Step::kAnswers || has_all_) return;
    has_all_ = is_last;
    if (sends_body_ && !part.empty()) output_.push_back(is_chunked_ ? chunk(part) : std::move(part));
    if (sends_body_ && is_last && is_chunked_) output_.push_back(std::string(kLastChunk));
    write_next();
  }

  void write_next() {
    if (writes_) return;
    if (output_.empty()) {
      if (has_all_) end_answer();
      return;
    }
    writes_ = true;
    limit_time(context_.limits.write);
    stream_.async_write_some(asio::buffer(std::string_view(output_.front()).substr(written_)),
                             then([](auto& self, auto error, std::size_t count) {
                               self.writes_ = false;
                               if (error) return self.close();
                               beast::get_lowest_layer(self.stream_).expires_never();
                               self.sent_ += count;
                               self.written_ += count;
                               if (self.written_ == self.output_.front().size()) {
                                 self.output_.pop_front();
                                 self.written_ = 0;
                               }
                               self.write_next();
                             }));
  }

  void end_answer() {
    has_all_ = false;
    finish(status_);
    exchange_.reset();
    hold(0);
    if (!keeps_alive_ || !parser_->is_done()) return linger();
    read_request();
  }

  void finish(int status) {
    if (std::exchange(is_finished_, true)) return;
    const auto sent = sent_ - std::min(sent_, head_);
    context_.handlers.done(request_, {status, received_, sent, std::chrono::steady_clock::now() - begin_});
  }

  /// Answers a request without its body, and closes the connection if it has one.
  void refuse(HttpResponse response) {
    step_ = Step::kAnswers;
    timer_.cancel();
    keeps_alive_ = keeps_alive_ && parser_->is_done();
    begin_answer(std::move(response), false);
  }
  void refuse(int status, std::string_view message, const HeaderFields& fields = {}) {
    auto response = error_response(status, message);
    response.headers.insert(response.headers.end(), fields.begin(), fields.end());
    refuse(std::move(response));
  }
  void refuse_length() {
    const auto kib = context_.handlers.body_limit(request_) >> 10;
    refuse(413, "the body is too long: wanted at most " + std::to_string(kib) + " KiB");
  }
  void refuse_space() { refuse(503, "too many requests are read", {{"Retry-After", "1"}}); }
  HttpResponse error_response(int status, std::string_view message) const {
    const auto& error = context_.handlers.error;
    return error ? error(request_, status, message) : HttpResponse{.status = status, .body = json_error(message)};
  }

  void end_unread(boost::system::error_code error) {
    namespace http = beast::http;
    if (!is_late_ && (error == http::error::end_of_stream || error == http::error::partial_message ||
                      error.category() != http::make_error_code(http::error::bad_value).category()))
      return close();
    if (is_finished_) {
      begin_request();
      const auto target = parser_->get().target();
      read_target({target.data(), target.size()}, request_);
    }
    if (is_late_) return refuse(408, "the request did not end in time");
    if (error == http::error::header_limit) return refuse(431, "the header is too long");
    refuse(400, "not a request of HTTP");
  }

  /// Ends the answer, and reads what the client still sends, so that it can read the answer before the connection is
  /// reset.
  void linger() {
    step_ = Step::kEnds;
    parser_.reset();
    limit_time(std::chrono::seconds(2));
    if constexpr (kIsTls)
      stream_.async_shutdown(then([](auto& self, auto, auto) { self.discard(); }));  // fails where a client goes on
    else
      discard();
  }
  void discard() {
    boost::system::error_code ended;
    socket().shutdown(asio::ip::tcp::socket::shutdown_send, ended);
    beast::get_lowest_layer(stream_).async_read_some(asio::buffer(rest_),
                                                     then([](auto& self, auto error, std::size_t count) {
                                                       self.discarded_ += count;
                                                       if (error || self.discarded_ > kMaxDiscarded)
                                                         return self.close();
                                                       self.discard();
                                                     }));
  }

  Stream stream_;
  SessionContext& context_;
  std::function<void(HttpSession&)> on_closed_;
  asio::steady_timer timer_;
  std::string peer_;
  Step step_ = Step::kIdle;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;

  // Of the request that is read or answered.
  HttpRequest request_;
  std::weak_ptr<Exchange> exchange_;
  std::chrono::steady_clock::time_point begin_;
  bool keeps_alive_ = false, is_http_1_0_ = false, is_head_ = false, is_late_ = false;
  bool is_finished_ = true;  ///< its outcome is noted, or there is none
  bool watches_ = false;
  int status_ = 0;
  bool is_chunked_ = false, sends_body_ = true;
  bool has_all_ = false;            ///< no part of the answer follows
  std::deque<std::string> output_;  ///< to be written
  std::size_t written_ = 0;         ///< bytes of the first
  bool writes_ = false;
  std::uint64_t received_ = 0, sent_ = 0, head_ = 0, held_ = 0;  ///< bytes; `head_` is a part of `sent_`
  std::size_t discarded_ = 0;
  std::array<char, 4096> rest_;
};

}  // namespace gloss
