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
#include "tests/serve/http_client.h"

namespace gloss {
namespace {

using testing::HasSubstr;

/// A server that answers each request with its method, path and body, but /wait only when it is told, /stream in three
/// parts, and /secret not at all.
class HttpServerTest : public testing::Test {
 protected:
  void start(HttpLimits limits = {}) {
    server_.emplace(HttpServerSettings{.listen = {"127.0.0.1:0"}, .limits = limits},
                    HttpHandlers{.refusal = [](const HttpRequest& head) -> std::optional<HttpResponse> {
                                   if (head.path != "/secret") return std::nullopt;
                                   return HttpResponse{.status = 403, .body = "no"};
                                 },
                                 .body_limit = [](const HttpRequest&) { return 1000; },
                                 .answer = [this](auto exchange) { answer(exchange); },
                                 .done =
                                     [this](const auto& request, const auto& outcome) {
                                       const std::lock_guard lock(mutex_);
                                       outcomes_.push_back(request.path + ' ' + std::to_string(outcome.status));
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
  one.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  one.send("fg");
  EXPECT_EQ(one.answer()->body, "POST /a  fg");
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
    EXPECT_TRUE(!answer || answer->status == 400 || answer->status == 413) << fields << answer->status << answer->body;
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
    EXPECT_TRUE(!answer || answer->status == 400) << bytes;
  }
  EXPECT_EQ(client().get("/a").status, 200);
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
}

TEST_F(HttpServerTest, AnExchangeWithoutAnAnswerIsAnError) {
  start();
  EXPECT_EQ(client().get("/nothing").status, 500);
}

TEST_F(HttpServerTest, ClosesConnectionsThatSendTooSlowly) {
  start({.request = std::chrono::seconds(1), .body = std::chrono::seconds(1), .idle = std::chrono::seconds(1)});
  auto idle = client(), in_header = client(), in_body = client();
  in_header.send("GET /a HT");
  in_body.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  for (auto* one : {&idle, &in_header, &in_body}) EXPECT_TRUE(one->is_closed());
}

TEST_F(HttpServerTest, RefusesMoreConnectionsThanItsLimit) {
  start({.connections = 2});
  auto one = client(), two = client();
  EXPECT_EQ(one.get("/a").status, 200);
  EXPECT_EQ(two.get("/a").status, 200);
  EXPECT_EQ(client().answer()->status, 503);
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
  for (const auto* address : {"", "localhost", ":5000", "1.2.3.4:99999", "127.0.0.1:", "127.0.0.1:x", "a b:1"})
    EXPECT_THROW(HttpServer({.listen = {address}}, {}), UsageError) << address;
  const HttpServer first({.listen = {"127.0.0.1:0"}}, {});
  EXPECT_THROW(HttpServer({.listen = first.addresses()}, {}), IoError);
}

}  // namespace
}  // namespace gloss
