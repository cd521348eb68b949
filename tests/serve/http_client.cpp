#include "tests/serve/http_client.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "common/text/letter_case.h"

namespace gloss {

std::string Answer::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &HeaderFields::value_type::first);
  return found == headers.end() ? "" : found->second;
}

HttpClient::HttpClient(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  ::inet_pton(AF_INET, "127.0.0.1", &place.sin_addr);
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place), 0) << address;
}

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server has closed the connection; the test looks at its answer
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void HttpClient::request(const std::string& method, const std::string& target, const std::string& body,
                         const std::string& headers) {
  auto text = method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
  if (!body.empty() || method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send(text + "\r\n" + body);
}

bool HttpClient::fill() {
  std::array<char, 4096> part;
  const auto count = ::recv(socket_.get(), part.data(), part.size(), 0);
  if (count <= 0) return false;
  buffer_.append(part.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> HttpClient::take_line() {
  while (buffer_.find("\r\n") == buffer_.npos)
    if (!fill()) return std::nullopt;
  const auto end = buffer_.find("\r\n");
  auto line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::optional<std::string> HttpClient::take(std::size_t count) {
  while (buffer_.size() < count)
    if (!fill()) return std::nullopt;
  auto bytes = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return bytes;
}

std::optional<Answer> HttpClient::answer(bool has_body) {
  Answer answer;
  auto line = take_line();
  if (!line) return std::nullopt;
  answer.status = std::stoi(line->substr(line->find(' ') + 1));
  while ((line = take_line()) && !line->empty())
    answer.headers.emplace_back(lower_ascii(line->substr(0, line->find(':'))), line->substr(line->find(':') + 2));
  if (!has_body || answer.status == 100) return answer;
  if (answer.header("transfer-encoding") == "chunked") {
    for (auto size = take_line(); size != "0"; size = take_line()) {
      if (!size) return std::nullopt;
      answer.body += take(std::stoul(*size, nullptr, 16)).value_or("");
      take_line();
    }
    take_line();
  } else if (const auto length = answer.header("content-length"); !length.empty()) {
    answer.body = take(std::stoul(length)).value_or("");
  } else if (answer.status != 204) {
    while (fill()) {
    }
    answer.body = std::exchange(buffer_, {});
  }
  return answer;
}

Answer HttpClient::get(const std::string& target, const std::string& headers) {
  request("GET", target, {}, headers);
  const auto found = answer();
  EXPECT_TRUE(found) << "no answer to GET " << target;
  return found.value_or(Answer{});
}

Answer HttpClient::post(const std::string& target, const std::string& body, const std::string& type,
                        const std::string& headers) {
  request("POST", target, body, "Content-Type: " + type + "\r\n" + headers);
  const auto found = answer();
  EXPECT_TRUE(found) << "no answer to POST " << target;
  return found.value_or(Answer{});
}

bool HttpClient::is_closed() {
  while (fill()) {
  }
  pollfd state{.fd = socket_.get(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP)) != 0;
}

}  // namespace gloss
