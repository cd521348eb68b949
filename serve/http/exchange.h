#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "serve/http/http_message.h"

namespace gloss {

/// A request and the way to answer it, once: by a response, or by a stream of parts. Any thread may call its functions.
/// If it ends without an answer, the client gets status 500; within a stream, the connection is cut.
class Exchange {
 public:
  /// Where answers go to. Its functions are called on any thread.
  class Connection {
   public:
    virtual ~Connection() = default;
    /// Sends a response. With `is_stream` only its head; parts follow.
    virtual void send(HttpResponse response, bool is_stream) = 0;
    /// Sends a part of a stream.
    virtual void send_part(std::string part, bool is_last) = 0;
    /// Closes the connection, so that the client sees that the stream is incomplete.
    virtual void cut() = 0;
  };

  Exchange(HttpRequest request, std::shared_ptr<Connection> connection)
      : request_(std::move(request)), connection_(std::move(connection)) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  const HttpRequest& request() const { return request_; }
  /// Returns when the request was read.
  std::chrono::steady_clock::time_point begin() const { return begin_; }
  /// A stop is requested when the client has left.
  std::stop_token left() const { return left_.get_token(); }
  void set_left() { left_.request_stop(); }

  void respond(HttpResponse response);
  /// Begins a stream: `head` has no body.
  void begin_stream(HttpResponse head);
  void send_part(std::string part);
  void end_stream();
  /// Returns whether an answer was begun.
  bool has_answer() const { return state_ != State::kWaiting; }

 private:
  enum class State { kWaiting, kStreams, kDone };

  const HttpRequest request_;
  const std::shared_ptr<Connection> connection_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::stop_source left_;
  std::atomic<State> state_ = State::kWaiting;
};

}  // namespace gloss
