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
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

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
};

/// A connection, for the server.
class HttpSession {
 public:
  virtual ~HttpSession() = default;
  /// Closes the connection, after the answer of a request that it has.
  virtual void drain() = 0;
  virtual void close() = 0;
};

/// A connection over a stream: plain TCP, or TLS. All its work is done on the thread of the network.
template <typename Stream>
class StreamSession final : public HttpSession,
                            public Exchange::Connection,
                            public std::enable_shared_from_this<StreamSession<Stream>> {
 public:
  /// `on_closed` is called when the connection has ended.
  StreamSession(Stream stream, const SessionContext& context, std::function<void(HttpSession&)> on_closed)
      : stream_(std::move(stream)),
        context_(context),
        on_closed_(std::move(on_closed)),
        buffer_(context.limits.header_bytes + kMaxRead) {
    boost::system::error_code error;
    const auto peer = socket().remote_endpoint(error).address();
    peer_ = error ? "" : peer.to_string();
    socket().set_option(asio::ip::tcp::no_delay(true), error);
  }
  ~StreamSession() override { on_closed_(*this); }

  void start() {
    if constexpr (kIsTls) {
      limit_time(context_.limits.request);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = this->shared_from_this()](auto error) {
        if (!error) self->read_request();
      });
    } else {
      read_request();
    }
  }

  void drain() override {
    // Bytes of a request that were read already come first; nothing is lost between them and a check.
    if (step_ == Step::kIdle) beast::get_lowest_layer(stream_).cancel();
  }

  void close() override {
    step_ = Step::kClosed;
    if (const auto exchange = exchange_.lock()) exchange->set_left();
    boost::system::error_code error;
    socket().close(error);
  }

  void send(HttpResponse response, bool is_stream) override {
    asio::post(stream_.get_executor(), [self = this->shared_from_this(), response = std::move(response),
                                        is_stream]() mutable { self->begin_answer(std::move(response), is_stream); });
  }

  void send_part(std::string part, bool is_last) override {
    asio::post(stream_.get_executor(), [self = this->shared_from_this(), part = std::move(part), is_last]() mutable {
      self->add_part(std::move(part), is_last);
    });
  }

 private:
  static constexpr bool kIsTls = !std::is_same_v<Stream, beast::tcp_stream>;
  static constexpr std::size_t kMaxRead = 64 << 10;  ///< beyond a header; Beast limits no extension of a chunk
  static constexpr std::size_t kMaxDiscarded = 16 << 20;
  static constexpr std::string_view kTooLong = "the body is too long";
  using Parser = beast::http::request_parser<beast::http::string_body>;
  enum class Step { kIdle, kReads, kAnswers, kEnds, kClosed };

  asio::ip::tcp::socket& socket() { return beast::get_lowest_layer(stream_).socket(); }
  void limit_time(std::chrono::seconds time) { beast::get_lowest_layer(stream_).expires_after(time); }
  /// A handler that keeps the session alive and does nothing once it is closed.
  template <typename Work>
  auto then(Work work) {
    return [self = this->shared_from_this(), work](boost::system::error_code error, std::size_t count = 0) {
      if (self->step_ != Step::kClosed) work(*self, error, count);
    };
  }

  void read_request() {
    step_ = Step::kIdle;
    is_head_ = is_finished_ = false;
    sent_ = 0;
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
    limit_time(context_.limits.request);
    beast::http::async_read_header(stream_, buffer_, *parser_, then([](auto& self, auto error, std::size_t) {
                                     self.begin_ = std::chrono::steady_clock::now();
                                     if (error) return self.end_unread(error);
                                     self.on_header();
                                   }));
  }

  void on_header() {
    auto& message = parser_->get();
    keeps_alive_ = message.keep_alive();
    is_http_1_0_ = message.version() < 11;
    is_head_ = message.method() == beast::http::verb::head;
    begin_request();
    if (const auto fault = read_head(message, request_)) return refuse(400, *fault);
    request_.id = request_id(request_.header("x-request-id"));
    if (auto refusal = context_.handlers.refusal(request_)) return refuse(std::move(*refusal));
    const auto limit = context_.handlers.body_limit(request_);
    if (const auto length = parser_->content_length(); length && *length > limit) return refuse(413, kTooLong);
    parser_->body_limit(limit);
    if (beast::iequals(message[beast::http::field::expect], "100-continue")) {
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
  }

  void read_body() {
    limit_time(context_.limits.body);
    beast::http::async_read(stream_, buffer_, *parser_, then([](auto& self, auto error, std::size_t) {
                              if (error == beast::http::error::body_limit) return self.refuse(413, kTooLong);
                              if (error) return self.end_unread(error);
                              self.dispatch();
                            }));
  }

  void dispatch() {
    step_ = Step::kAnswers;
    beast::get_lowest_layer(stream_).expires_never();
    request_.body = std::move(parser_->get().body());
    keeps_alive_ = parser_->keep_alive() && keeps_alive_;
    const auto exchange = std::make_shared<Exchange>(request_, this->shared_from_this());
    request_.body.clear();
    exchange_ = exchange;
    watch();
    context_.handlers.answer(exchange);
  }

  /// Notices that the client leaves while its request is answered. Bytes of a next request end the watch.
  void watch() {
    if (std::exchange(watches_, true)) return;
    socket().async_wait(asio::ip::tcp::socket::wait_read, [self = this->shared_from_this()](auto error) {
      self->watches_ = false;
      if (error || self->step_ != Step::kAnswers || !has_left(self->socket().native_handle())) return;
      self->close();
      self->finish(499);
    });
  }

  void begin_answer(HttpResponse response, bool is_stream) {
    if (step_ == Step::kClosed) return;
    keeps_alive_ = keeps_alive_ && !context_.drains && !(is_stream && is_http_1_0_);
    status_ = response.status;
    is_chunked_ = is_stream && !is_http_1_0_;
    has_all_ = !is_stream;
    sends_body_ = !is_head_;
    response.headers.emplace_back("X-Request-Id", request_.id);
    if (context_.handlers.fields)
      std::ranges::move(context_.handlers.fields(request_), std::back_inserter(response.headers));
    const auto length = is_stream ? std::nullopt : std::optional(response.body.size());
    output_.push_back(head_text(response, length, keeps_alive_, is_chunked_));
    if (!is_stream && sends_body_ && !response.body.empty()) output_.push_back(std::move(response.body));
    write_next();
  }

  void add_part(std::string part, bool is_last) {
    if (step_ == Step::kClosed || has_all_) return;
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
                               if (error) {
                                 self.close();
                                 return self.finish(499);
                               }
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
    if (!keeps_alive_ || !parser_->is_done()) return linger();
    read_request();
  }

  void finish(int status) {
    if (is_finished_) return;
    is_finished_ = true;
    context_.handlers.done(request_, {status, sent_, std::chrono::steady_clock::now() - begin_});
  }

  /// Answers a request without its body, and closes the connection if it has one.
  void refuse(HttpResponse response) {
    step_ = Step::kAnswers;
    keeps_alive_ = keeps_alive_ && parser_->is_done();
    begin_answer(std::move(response), false);
  }
  void refuse(int status, std::string_view message) {
    const auto& error = context_.handlers.error;
    refuse(error ? error(request_, status, message) : HttpResponse{.status = status, .body = json_error(message)});
  }

  void end_unread(boost::system::error_code error) {
    namespace http = beast::http;
    if (error == http::error::end_of_stream ||
        error.category() != http::make_error_code(http::error::bad_value).category())
      return close();
    if (error == http::error::partial_message) return close();
    if (!parser_->is_header_done()) begin_request();
    if (error == http::error::header_limit) return refuse(431, "the header is too long");
    refuse(400, "not a request of HTTP");
  }

  /// Ends the answer, and reads what the client still sends, so that it can read the answer before the connection is
  /// reset.
  void linger() {
    step_ = Step::kEnds;
    limit_time(std::chrono::seconds(2));
    if constexpr (kIsTls)
      stream_.async_shutdown(then([](auto& self, auto, std::size_t) { self.end_sending(); }));
    else
      end_sending();
  }

  void end_sending() {
    boost::system::error_code error;
    socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
    discard();
  }

  void discard() {
    beast::get_lowest_layer(stream_).async_read_some(asio::buffer(rest_),
                                                     then([](auto& self, auto error, std::size_t count) {
                                                       self.discarded_ += count;
                                                       if (error || self.discarded_ > kMaxDiscarded)
                                                         return self.close();
                                                       self.discard();
                                                     }));
  }

  Stream stream_;
  const SessionContext& context_;
  std::function<void(HttpSession&)> on_closed_;
  std::string peer_;
  Step step_ = Step::kIdle;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;

  // Of the request that is read or answered.
  HttpRequest request_;
  std::weak_ptr<Exchange> exchange_;
  std::chrono::steady_clock::time_point begin_;
  bool keeps_alive_ = false, is_http_1_0_ = false, is_head_ = false, is_finished_ = false;
  bool watches_ = false;
  int status_ = 0;
  bool is_chunked_ = false, sends_body_ = true;
  bool has_all_ = false;            ///< no part of the answer follows
  std::deque<std::string> output_;  ///< to be written
  std::size_t written_ = 0;         ///< bytes of the first
  bool writes_ = false;
  std::uint64_t sent_ = 0;
  std::size_t discarded_ = 0;
  std::array<char, 4096> rest_;
};

}  // namespace gloss
