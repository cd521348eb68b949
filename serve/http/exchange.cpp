#include "serve/http/exchange.h"

namespace gloss {

Exchange::~Exchange() {
  if (state_ == State::kWaiting) respond({.status = 500, .body = R"({"error":"no answer"})"});
  if (state_ == State::kStreams) connection_->cut();
}

void Exchange::respond(HttpResponse response) {
  auto wanted = State::kWaiting;
  if (state_.compare_exchange_strong(wanted, State::kDone)) connection_->send(std::move(response), false);
}

void Exchange::begin_stream(HttpResponse head) {
  auto wanted = State::kWaiting;
  if (state_.compare_exchange_strong(wanted, State::kStreams)) connection_->send(std::move(head), true);
}

void Exchange::send_part(std::string part) {
  if (state_ == State::kStreams && !part.empty()) connection_->send_part(std::move(part), false);
}

void Exchange::end_stream() {
  auto wanted = State::kStreams;
  if (state_.compare_exchange_strong(wanted, State::kDone)) connection_->send_part({}, true);
}

}  // namespace gloss
