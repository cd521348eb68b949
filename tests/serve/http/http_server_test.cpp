#include "serve/http/http_server.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "serve/http/http_syntax.h"
#include "serve/http/listen_address.h"
#include "tests/serve/http_client.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A server that answers each request with its method, path and body, but /wait only when it is told, /stream in three
/// parts, and /secret not at all. /throw and others are defects of a handler.
class HttpServerTest : public testing::Test {
 protected:
  void start(HttpLimits limits = {}) {
    server_.emplace(HttpServerSettings{.listen = {"127.0.0.1:0"}, .limits = limits},
                    HttpHandlers{.refusal = [](const HttpRequest& head) -> std::optional<HttpResponse> {
                                   if (head.path != "/secret") return std::nullopt;
                                   return HttpResponse{.status = 403, .body = "no"};
                                 },
                                 .body_limit = [](const HttpRequest&) { return 1000; },
                                 .error =
                                     [](const HttpRequest& head, int status, std::string_view message) {
                                       return HttpResponse{.status = status,
                                                           .body = head.path + ": " + std::string(message)};
                                     },
                                 .answer = [this](auto exchange) { answer(exchange); },
                                 .done =
                                     [this](const auto& request, const auto& outcome) {
                                       const std::lock_guard lock(mutex_);
                                       outcomes_.push_back(request.path + ' ' + std::to_string(outcome.status));
                                       received_ = outcome.bytes_received;
                                       changed_.notify_all();
                                     }});
    thread_ = std::thread([this] { server_->run(); });
  }
  void TearDown() override { stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    waiting_.reset();
    server_->drain();
    thread_.join();
  }

  void answer(const std::shared_ptr<Exchange>& exchange) {
    const auto& request = exchange->request();
    if (request.path == "/wait") {
      const std::lock_guard lock(mutex_);
      waiting_ = exchange;
      changed_.notify_all();
    } else if (request.path == "/stream") {
      exchange->begin_stream({.content_type = "text/plain"});
      for (const auto* part : {"one ", "two ", "three"}) exchange->send_part(part);
      exchange->end_stream();
    } else if (request.path == "/broken_stream") {
      exchange->begin_stream({.content_type = "text/plain"});
      exchange->send_part("one ");
    } else if (request.path == "/throw") {
      throw std::bad_alloc();
    } else if (request.path == "/faulty_field") {
      exchange->respond({.headers = {{"X", "a\nb"}}});
    } else if (request.path == "/host") {
      exchange->respond({.body = std::string(request.header("host")) + ' ' + request.path + ' ' + request.query});
    } else if (request.path != "/nothing") {
      exchange->respond({.body = request.method + ' ' + request.path + ' ' + request.query + ' ' + request.body,
                         .content_type = "text/plain"});
    }
  }
  std::shared_ptr<Exchange> waiting_exchange() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ != nullptr; });
    return waiting_;
  }
  void expect_outcome(const std::string& outcome) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(10), [&] {
      return std::ranges::find(outcomes_, outcome) != outcomes_.end();
    })) << outcome;
  }
  HttpClient client() { return HttpClient(server_->addresses().front()); }

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::shared_ptr<Exchange> waiting_;
  std::vector<std::string> outcomes_;
  std::uint64_t received_ = 0;
  std::optional<HttpServer> server_;
  std::thread thread_;
};

TEST_F(HttpServerTest, AnswersSeveralRequestsOfAConnection) {
  start();
  auto one = client();
  EXPECT_EQ(one.get("/a%20b?c=d").body, "GET /a b c=d ");
  EXPECT_EQ(one.post("/e", "body").body, "POST /e  body");
  EXPECT_EQ(one.get("/f").header("connection"), "keep-alive");
  expect_outcome("/f 200");
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  auto one = client();
  one.send(
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
      "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(one.answer()->body, "GET /1  ");
  EXPECT_EQ(one.answer()->body, "POST /2  hi");
  EXPECT_EQ(one.answer()->body, "GET /3  ");
  EXPECT_TRUE(one.is_closed());
}

TEST_F(HttpServerTest, ReadsBodiesInChunks) {
  start();
  auto one = client();
  one.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(one.answer()->body, "POST /a  abcde");
  one.send("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(one.answer()->status, 100);
  one.send("fg");
  EXPECT_EQ(one.answer()->body, "POST /b  fg");
  expect_outcome("/b 200");
  EXPECT_EQ(received_, 2U);
  one.send("POST /a HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi");
  EXPECT_EQ(one.answer()->body, "POST /a  hi") << "HTTP/1.0 knows no 100";
}

TEST_F(HttpServerTest, StreamsParts) {
  start();
  auto one = client();
  const auto answer = one.get("/stream");
  EXPECT_EQ(answer.body, "one two three");
  EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
  EXPECT_EQ(one.get("/a").status, 200);
  one.send("GET /stream HTTP/1.0\r\n\r\n");
  const auto old = one.answer();
  EXPECT_EQ(old->body, "one two three") << "HTTP/1.0 knows no chunks: the end of the connection ends the answer";
  EXPECT_EQ(old->header("transfer-encoding"), "");
}

TEST_F(HttpServerTest, HeadHasNoBody) {
  start();
  auto one = client();
  one.request("HEAD", "/a");
  const auto answer = one.answer(/*has_body=*/false);
  EXPECT_EQ(answer->header("content-length"), "9");
  EXPECT_EQ(one.get("/b").body, "GET /b  ") << "the body of HEAD was sent";
  one.request("HEAD", "/a");
  one.answer(/*has_body=*/false);
  one.send("nonsense\r\n\r\n");
  EXPECT_EQ(one.answer()->body, ": not a request of HTTP");
  EXPECT_TRUE(one.is_closed());
}

TEST_F(HttpServerTest, RefusesByTheHeaderBeforeItReadsTheBody) {
  start();
  auto one = client();
  one.send("POST /secret HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n");
  EXPECT_EQ(one.answer()->status, 403);
  auto other = client();
  EXPECT_EQ(other.get("/secret").status, 403);
  EXPECT_EQ(other.get("/a").status, 200) << "a request without a body leaves the connection open";
  expect_outcome("/secret 403");
}

TEST_F(HttpServerTest, LimitsHeadersAndBodies) {
  start({.header_bytes = 2000});
  EXPECT_EQ(client().get("/a", "X: " + std::string(3000, 'x') + "\r\n").status, 431);
  std::string fields;
  for (int i = 0; i < 100; ++i) fields += "a" + std::to_string(i) + ":\r\n";
  EXPECT_EQ(client().get("/a", fields).status, 431);
  EXPECT_EQ(client().get("/a", fields.substr(fields.find('\n') + 1)).status, 200) << "100 fields with Host";
  EXPECT_EQ(client().post("/a", std::string(1001, 'x')).status, 413);
  EXPECT_EQ(client().post("/a", std::string(1000, 'x')).status, 200);
  auto chunked = client();
  chunked.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + std::string(2000, 'x'));
  EXPECT_EQ(chunked.answer()->status, 413);
  auto huge = client();
  huge.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\n");
  EXPECT_THAT(huge.answer()->status, testing::AnyOf(400, 413));
}

TEST_F(HttpServerTest, RefusesRequestsThatTwoReadersEndDifferently) {
  start();
  for (const std::string fields :
       {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        "Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: 3, 4\r\n", "Content-Length: +3\r\n",
        "Content-Length: 0x3\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Content-Length : 3\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding:\x0b"
        "chunked\r\n"}) {
    auto one = client();
    one.send("POST /a HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto answer = one.answer();
    ASSERT_TRUE(answer) << fields;
    EXPECT_THAT(answer->status, testing::AnyOf(400, 413)) << fields << answer->body;
    const auto next = one.answer();
    EXPECT_THAT(next ? next->body : "", testing::Not(HasSubstr("smuggled"))) << fields;
  }
}

TEST_F(HttpServerTest, RefusesWhatIsNoRequest) {
  start();
  for (const std::string bytes :
       {"nonsense\r\n\r\n", "GET /a\r\n\r\n", "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a%00 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a HTTP/1.1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /a HTTP/9.9\r\nHost: a\r\n\r\n",
        "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"}) {
    auto one = client();
    one.send(bytes);
    const auto answer = one.answer();
    ASSERT_TRUE(answer) << bytes;
    EXPECT_EQ(answer->status, 400) << bytes;
    const std::string path = bytes.starts_with("GET /a HTTP/1.1") ? "/a" : "";
    EXPECT_THAT(answer->body, StartsWith(path)) << "an error knows its path: " << bytes;
  }
  EXPECT_EQ(client().get("/a").status, 200);
}

TEST_F(HttpServerTest, TakesTargetsInAbsoluteForm) {
  start();
  EXPECT_EQ(client().get("http://b:80/host?c").body, "b:80 /host c") << "the target's host counts, not the field's";
  EXPECT_EQ(client().get("HTTP://b?c").body, "GET / c ");
  EXPECT_EQ(client().get("ftp://b/a").status, 400);
  auto one = client();
  one.request("OPTIONS", "*");
  EXPECT_EQ(one.answer()->body, "OPTIONS *  ");
  EXPECT_EQ(client().get("*").status, 400);
}

TEST_F(HttpServerTest, AnswersHaveTheIdOfTheirRequest) {
  start();
  EXPECT_EQ(client().get("/a", "X-Request-Id: 7f-a\r\n").header("x-request-id"), "7f-a");
  EXPECT_EQ(client().get("/secret", "X-Request-Id: 7f-a\r\n").header("x-request-id"), "7f-a");
  const auto made = client().get("/a").header("x-request-id");
  EXPECT_EQ(made.size(), 16U);
  EXPECT_NE(client().get("/a").header("x-request-id"), made);
  EXPECT_EQ(client().get("/a", "X-Request-Id: " + std::string(129, 'a') + "\r\n").header("x-request-id").size(), 16U);
}

TEST(TraceId, IsThatOfAValidField) {
  const std::string id = "4bf92f3577b34da6a3ce929d0e0e4736", parent = "00f067aa0ba902b7";
  EXPECT_EQ(trace_id("00-" + id + "-" + parent + "-01"), id);
  EXPECT_EQ(trace_id("cc-" + id + "-" + parent + "-01-what-the-future-will-be-like"), id);
  for (const auto& wrong : {std::string(), id, "00-" + id + "-" + parent, "00-" + id + "-" + parent + "-01-more",
                            "ff-" + id + "-" + parent + "-01", "00-" + std::string(32, '0') + "-" + parent + "-01",
                            "00-" + id + "-" + std::string(16, '0') + "-01", "00-" + id + "-" + parent + "-1",
                            "00-" + id.substr(1) + "G-" + parent + "-01"})
    EXPECT_EQ(trace_id(wrong), "") << wrong;
}

TEST_F(HttpServerTest, AFieldOfAnAnswerHasNoLineEnd) {
  EXPECT_THROW(head_text({.headers = {{"X", "a\r\nY: b"}}}, 0, true, false), Error);
}

TEST_F(HttpServerTest, NoticesThatTheClientLeaves) {
  start();
  auto one = client();
  one.request("GET", "/wait");
  const auto exchange = waiting_exchange();
  EXPECT_FALSE(exchange->left().stop_requested());
  one.close();
  expect_outcome("/wait 499");
  EXPECT_TRUE(exchange->left().stop_requested());
  waiting_.reset();
  auto next = client();
  next.send("GET /wait?2 HTTP/1.1\r\nHost: a\r\n\r\nG");  // bytes of another request wait
  const auto other = waiting_exchange();
  next.close();
  for (int i = 0; i < 500 && !other->left().stop_requested(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(other->left().stop_requested());
}

TEST_F(HttpServerTest, AnExchangeWithoutAnAnswerIsAnError) {
  start();
  EXPECT_EQ(client().get("/nothing").status, 500);
}

TEST_F(HttpServerTest, AStreamThatFailsHasNoLastChunk) {
  start();
  auto one = client();
  one.request("GET", "/broken_stream");
  EXPECT_FALSE(one.answer());
  expect_outcome("/broken_stream 500");
}

TEST_F(HttpServerTest, OutlivesDefectsOfItsHandlers) {
  start();
  auto one = client();
  one.request("GET", "/throw");
  EXPECT_FALSE(one.answer());
  expect_outcome("/throw 500");
  EXPECT_EQ(client().get("/faulty_field").status, 500);
  EXPECT_EQ(client().get("/a").status, 200);
}

TEST_F(HttpServerTest, LimitsTheBodiesOfAllRequests) {
  start({.body_bytes = 500});
  auto one = client(), chunked = client();
  one.request("POST", "/wait", std::string(600, 'x'));
  auto exchange = waiting_exchange();  // a body alone is taken
  const auto refused = client().post("/a", "x");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("retry-after"), "1");
  chunked.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
  EXPECT_EQ(chunked.answer().value_or(Answer{}).status, 503);
  EXPECT_EQ(client().get("/a").status, 200);
  waiting_.reset();
  exchange->respond({});
  EXPECT_EQ(one.answer()->status, 200);
  EXPECT_EQ(client().post("/a", "x").status, 200);
}

TEST_F(HttpServerTest, NotesRequestsThatAStopCuts) {
  start();
  auto one = client();
  one.request("GET", "/wait");
  waiting_exchange();
  server_->stop();
  expect_outcome("/wait 499");
}

TEST_F(HttpServerTest, ClosesConnectionsThatSendTooSlowly) {
  start({.request = std::chrono::seconds(1), .body = std::chrono::seconds(1), .idle = std::chrono::seconds(1)});
  auto idle = client(), in_header = client(), in_body = client();
  in_header.send("GET /a HT");
  in_body.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  for (auto* one : {&in_header, &in_body}) EXPECT_EQ(one->answer().value_or(Answer{}).status, 408);
  for (auto* one : {&idle, &in_header, &in_body}) EXPECT_TRUE(one->is_closed());
  expect_outcome("/a 408");
}

TEST_F(HttpServerTest, RefusesMoreConnectionsThanItsLimit) {
  start({.connections = 2});
  auto one = client(), two = client();
  EXPECT_EQ(one.get("/a").status, 200);
  EXPECT_EQ(two.get("/a").status, 200);
  EXPECT_EQ(client().get("/a").status, 503) << "although it sends a request after the answer";
  one.close();
  for (int i = 0; i < 100 && server_->connections() > 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(client().get("/a").status, 200);
}

TEST_F(HttpServerTest, DrainingAnswersWhatRuns) {
  start();
  auto one = client(), idle = client();
  EXPECT_EQ(idle.get("/a").status, 200);
  one.request("GET", "/wait");
  auto exchange = waiting_exchange();
  server_->drain();
  EXPECT_TRUE(idle.is_closed());
  exchange->respond({.body = "late"});
  exchange.reset();
  const auto answer = one.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "late");
  EXPECT_EQ(answer->header("connection"), "close");
  waiting_.reset();
  thread_.join();
}

TEST(HttpServer, RefusesFaultyAddresses) {
  for (const auto* address : {"", ":5000", "1.2.3.4:99999", "99999", "127.0.0.1:", "127.0.0.1:x", "a b:1", "a b"})
    EXPECT_THROW(HttpServer({.listen = {address}}, {}), UsageError) << address;
  const HttpServer first({.listen = {"127.0.0.1:0"}}, {});
  EXPECT_THROW(HttpServer({.listen = first.addresses()}, {}), IoError);
}

TEST(HttpServer, AnAddressOrAPortIsEnough) {
  const auto expect = [](const std::string& text, const std::string& address) {
    EXPECT_EQ(text_of(resolve_listen_address(text).front()), address) << text;
  };
  expect("5101", "127.0.0.1:5101");
  expect("127.0.0.2", "127.0.0.2:5000");
  expect("[::1]", "[::1]:5000");
  expect("[::1]:5101", "[::1]:5101");
}

}  // namespace
}  // namespace gloss
