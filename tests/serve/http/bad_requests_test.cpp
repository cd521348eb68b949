// Requests that are wrong, as bytes. A server in this process answers them, or the one that the environment variable
// GLOSS_SERVE_ADDRESS names (scripts/check_serving.sh), which has the settings of bad_requests.json and en-de.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "serve/routes.h"
#include "serve/server.h"
#include "serve/settings/serve_settings.h"
#include "tests/serve/http_client.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

const std::string kHost = "Host: localhost\r\n";
const std::string kJson = "Content-Type: application/json\r\n";
const std::string kForm = "Content-Type: application/x-www-form-urlencoded\r\n";
const std::string kMultipart = "Content-Type: multipart/form-data; boundary=xyz\r\n";
const std::string kGood = R"({"q":"ana","source":"en","target":"de"})";

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

/// Returns a request with a body and its length.
std::string request(const std::string& line, const std::string& fields, const std::string& body) {
  return line + " HTTP/1.1\r\n" + kHost + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string translate(const std::string& body, const std::string& fields = kJson) {
  return request("POST /translate", fields, body);
}
/// Returns a request whose body has no length.
std::string in_chunks(const std::string& chunks) {
  return "POST /translate HTTP/1.1\r\n" + kHost + kJson + "Transfer-Encoding: chunked\r\n\r\n" + chunks;
}

class BadRequests : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (const auto* const given = std::getenv("GLOSS_SERVE_ADDRESS")) {
      address_ = given;
      return;
    }
    server_ = std::make_unique<Server>(ServeConfig{read_serve_settings(GLOSS_SERVE_FOLDER "/http/bad_requests.json"),
                                                   {{"en", "de", GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors"}},
                                                   {}});
    address_ = server_->addresses().front();
    thread_ = std::thread([] { server_->run(); });
  }
  static void TearDownTestSuite() {
    if (!thread_.joinable()) return;
    server_->drain();
    thread_.join();
    server_.reset();
  }

  static HttpClient client() { return HttpClient(address_); }
  /// The next client is served.
  static void expect_served() {
    const auto answer = client().post("/translate", kGood);
    EXPECT_EQ(answer.status, 200) << answer.body;
  }
  static void expect_explained(const Answer& answer) {
    EXPECT_THAT(answer.header("x-injected"), "");
    if (answer.status < 400) return;
    ASSERT_EQ(answer.header("content-type"), "application/json");
    Json body;
    ASSERT_NO_THROW(body = parse_json(answer.body)) << answer.body;
    EXPECT_TRUE(body.contains("error") || body.contains("message")) << answer.body;
  }
  /// Sends bytes on a connection of their own. Returns the first answer, which explains itself.
  static Answer sent(const std::string& bytes) {
    auto one = client();
    one.send(bytes);
    const auto answer = one.answer();
    EXPECT_TRUE(answer) << "no answer";
    if (!answer) return {};
    expect_explained(*answer);
    return *answer;
  }
  /// Returns the value of a metric; 0 if there is none of this name.
  static double metric(const std::string& name) {
    const auto text = client().get("/metrics").body;
    const auto place = text.find('\n' + name + ' ');
    return place == text.npos ? 0 : std::stod(text.substr(place + 1 + name.size()));
  }

  static std::string address_;
  static std::unique_ptr<Server> server_;
  static std::thread thread_;
};

std::string BadRequests::address_;
std::unique_ptr<Server> BadRequests::server_;
std::thread BadRequests::thread_;

struct BadRequest {
  std::string name, bytes;
  std::vector<int> statuses;
};

TEST_F(BadRequests, AreRefusedWithAReason) {
  const auto deep = [](const std::string& open, const std::string& close) {
    return repeated(open, 5000) + repeated(close, 5000);
  };
  const auto with = [](const char* name, const Json& value) {
    auto body = parse_json(kGood);
    body[name] = value;
    return translate(to_text(body));
  };
  const std::string chunk = "400\r\n" + std::string(1024, 'x') + "\r\n";
  const std::vector<BadRequest> requests{
      // Length
      {"a body of 128 KiB", translate(std::string(128 << 10, ' ')), {413}},
      {"the length of a huge body",
       "POST /translate HTTP/1.1\r\n" + kHost + "Content-Length: 9999999999\r\n\r\n",
       {413}},
      {"a client that waits for 100",
       "POST /translate HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 9999999\r\n\r\n",
       {413}},
      {"a length above 64 bits",
       "POST /translate HTTP/1.1\r\n" + kHost + "Content-Length: 99999999999999999999\r\n\r\n",
       {400}},
      {"a negative length", "POST /translate HTTP/1.1\r\n" + kHost + "Content-Length: -1\r\n\r\n", {400}},
      {"chunks without an end", in_chunks(repeated(chunk, 1000)), {413}},
      {"a negative chunk", in_chunks("-1\r\nx"), {400}},
      {"a chunk above 64 bits", in_chunks("10000000000000000\r\nx"), {400}},
      {"a chunk of 64 bits", in_chunks("FFFFFFFFFFFFFFFF\r\nx"), {400, 413}},
      {"a chunk that becomes negative", in_chunks("8000000000000000\r\nx"), {400, 413}},
      {"a chunk of hexadecimal C", in_chunks("0x10\r\nx\r\n\r\n"), {400}},
      {"a chunk without a size", in_chunks("\r\nx"), {400}},
      {"a chunk longer than its size", in_chunks("2\r\nxyz\r\n0\r\n\r\n"), {400}},
      {"a chunk's extension without an end", in_chunks("2;" + std::string(100'000, 'x')), {400, 431}},
      {"a trailer without an end", in_chunks("0\r\nX: " + std::string(100'000, 'x')), {400, 431}},
      // Bodies
      {"no JSON", translate("{"), {400}},
      {"JSON that goes on", translate(kGood + "}"), {400}},
      {"a comment", translate("{/**/}"), {400}},
      {"NaN", translate(R"({"q":NaN})"), {400}},
      {"a huge number", translate(R"({"q":1e999})"), {400}},
      {"a list", translate("[]"), {400}},
      {"a repeated key", translate(R"({"q":"a","q":"b"})"), {400}},
      {"invalid UTF-8 in JSON", translate("{\"q\":\"\xC3\x28\"}"), {400}},
      {"an overlong form", translate("{\"q\":\"\xC0\x80\"}"), {400}},
      {"half a surrogate pair", translate(R"({"q":"\ud800"})"), {400}},
      {"a NUL", translate(R"({"q":"\u0000","source":"en","target":"de"})"), {400}},
      {"invalid UTF-8 in a form", translate("q=%C3%28&source=en&target=de", kForm), {400}},
      {"invalid UTF-8 in a query", request("POST /translate?q=%FF", kJson, kGood), {400}},
      {"lists in lists", translate(deep("[", "]")), {400}},
      {"objects in objects", translate(deep("{\"a\":", "}")), {400}},
      {"lists in a field", translate("{\"q\":" + deep("[", "]") + "}"), {400}},
      {"elements in elements",
       request("POST /v2/translate", kForm,
               "source_lang=EN&target_lang=DE&tag_handling=xml&text=" + deep("<a>", "</a>")),
       {400}},
      {"a faulty escape", translate("q=%zz", kForm), {400}},
      {"more than 2000 fields", translate(repeated("a=b&", 2001), kForm), {400}},
      {"a form without a boundary", translate("--xyz--", "Content-Type: multipart/form-data\r\n"), {400}},
      {"a form without an end",
       translate("--xyz\r\nContent-Disposition: form-data; name=q\r\n\r\na", kMultipart),
       {400}},
      // Fields
      {"no text", translate(R"({"source":"en","target":"de"})"), {400}},
      {"no body", translate(""), {400}},
      {"a number for a text", with("q", 5), {400}},
      {"an object for a text", with("q", {{"a", "b"}}), {400}},
      {"a list with a number", with("q", {"a", 5}), {400}},
      {"a list for a language", with("source", Json::array()), {400}},
      {"an unknown language", with("target", "xx"), {400}},
      {"a long language", with("target", std::string(50'000, 'x')), {400}},
      {"an unknown format", with("format", "pdf"), {400}},
      {"too many alternatives", with("alternatives", 1000), {400}},
      {"fewer than no alternatives", with("alternatives", -1), {200}},
      {"half an alternative", with("alternatives", 0.5), {400}},
      {"alternatives above 64 bits", with("alternatives", 18446744073709551615u), {400}},
      {"a list as glossary", with("glossary", {"a", "b"}), {400}},
      {"a number in a glossary", with("glossary", {{"a", 5}}), {400}},
      {"a NUL in a glossary", with("glossary", {{"a", "b\0c"s}}), {400}},
      {"a text for a flag", with("confidence", "perhaps"), {400}},
      {"a deadline that is no number", translate(kGood, kJson + "Gloss-Deadline-Ms: soon\r\n"), {400}},
      {"a deadline in the past", translate(kGood, kJson + "Gloss-Deadline-Ms: -1\r\n"), {400}},
      {"too many texts of DeepL's",
       request("POST /v2/translate", kForm, "target_lang=DE&" + repeated("text=a&", 51)),
       {400}},
      {"too many texts", with("q", std::vector<std::string>(1001, "a")), {400}},
      {"too many pairs", request("POST /v1/score", kJson, R"({"pairs":[)" + repeated("{},", 64) + "{}]}"), {400}},
      // Method, path, type
      {"a wrong method", request("GET /translate", "", ""), {405}},
      {"another wrong method", request("PUT /health", "", ""), {405}},
      {"an unknown method", request("BREW /translate", kJson, kGood), {405}},
      {"TRACE", request("TRACE /translate", "", ""), {405}},
      {"an unknown path", request("GET /nothing", "", ""), {404}},
      {"a path upwards", request("GET /../../etc/passwd", "", ""), {404}},
      {"an escaped path upwards", request("GET /download_file/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "", ""), {404}},
      {"an unknown glossary", request("GET /v2/glossaries/x", "", ""), {404}},
      {"an unknown document", request("POST /v2/document/x", kForm, "document_key=x"), {404}},
      {"CONNECT", "CONNECT localhost:80 HTTP/1.1\r\n" + kHost + "\r\n", {400}},
      {"an absolute target", "GET http://localhost/health HTTP/1.1\r\n" + kHost + "\r\n", {200}},
      {"plain text", translate(kGood, "Content-Type: text/plain\r\n"), {415}},
      {"XML", translate("<q/>", "Content-Type: application/xml\r\n"), {415}},
      {"no type", translate(kGood, ""), {415}},
      {"gzip", translate("\x1F\x8B\x08\0\0\0\0\0"s, kJson + "Content-Encoding: gzip\r\n"), {415}},
      {"brotli", translate(kGood, kJson + "Content-Encoding: br\r\n"), {415}},
      {"an unknown ending of a file",
       request("POST /translate_file", kMultipart,
               "--xyz\r\nContent-Disposition: form-data; name=file; filename=a.exe\r\n\r\nx\r\n--xyz\r\n"
               "Content-Disposition: form-data; name=source\r\n\r\nen\r\n--xyz\r\n"
               "Content-Disposition: form-data; name=target\r\n\r\nde\r\n--xyz--"),
       {400}},
      {"no file", request("POST /translate_file", kForm, "source=en&target=de"), {400}},
      // Header
      {"10,000 fields", "GET /health HTTP/1.1\r\n" + kHost + repeated("a: b\r\n", 10'000) + "\r\n", {431}},
      {"one long field", "GET /health HTTP/1.1\r\n" + kHost + "a: " + std::string(1 << 20, 'b') + "\r\n\r\n", {431}},
      {"a long name", "GET /health HTTP/1.1\r\n" + kHost + std::string(1 << 20, 'a') + ": b\r\n\r\n", {431}},
      {"a long target", "GET /" + std::string(1 << 20, 'a') + " HTTP/1.1\r\n" + kHost + "\r\n", {431, 414}},
      {"a long method", std::string(1 << 20, 'A') + " / HTTP/1.1\r\n" + kHost + "\r\n", {431, 400}},
      {"another host", "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n", {403}},
      {"another origin", request("POST /translate", kJson + "Origin: http://evil.example\r\n", kGood), {403}},
      {"no host", "GET /health HTTP/1.1\r\n\r\n", {400}},
      {"two hosts", "GET /health HTTP/1.1\r\n" + kHost + "Host: other\r\n\r\n", {400}},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400}},
      {"TLS", "\x16\x03\x01\x02\0\x01\0\x01\xFC\x03\x03"s + std::string(600, '\x07'), {400}},
      {"a NUL in a target", "GET /hea\0lth HTTP/1.1\r\n"s + kHost + "\r\n", {400}},
      {"a control character in a field", "GET /health HTTP/1.1\r\n" + kHost + "X: a\x01z\r\n\r\n", {400}},
  };
  for (const auto& [name, bytes, statuses] : requests) {
    SCOPED_TRACE(name);
    EXPECT_THAT(statuses, testing::Contains(sent(bytes).status));
    expect_served();
  }
}

TEST_F(BadRequests, WrongBodiesAreRefusedByEveryRoute) {
  Json wrong_types;
  for (const auto* const name :
       {"q", "text", "source", "target", "source_lang", "target_lang", "type", "name", "pairs", "document_key"})
    wrong_types[name] = 5;
  const std::pair<const char*, std::pair<std::string, std::string>> bodies[] = {
      {"half an object", {kJson, "{\"q\":"}},
      {"a list", {kJson, "[{}]"}},
      {"null", {kJson, "null"}},
      {"numbers for texts", {kJson, to_text(wrong_types)}},
      {"invalid UTF-8", {kJson, "{\"q\":\"\xFF\"}"}},
      {"a huge number", {kJson, R"({"q":1e999})"}},
      {"a byte order mark", {kJson, "\xEF\xBB\xBF{}"}},
      {"nested lists", {kJson, "{\"q\":" + repeated("[", 10'000)}},
      {"plain text", {"Content-Type: text/plain\r\n", "q=a"}},
      {"gzip", {kJson + "Content-Encoding: gzip\r\n", "\x1F\x8B\x08"}},
      {"no type", {"", "{}"}},
      {"a faulty escape", {kForm, "q=%"}},
      {"invalid UTF-8 in a form", {kForm, "q=%FF"}},
      {"2001 fields", {kForm, repeated("a&", 2001)}},
      {"a form without an end", {kMultipart, "--xyz\r\nContent-Disposition: form-data; name=q\r\n\r\na"}},
      {"a form without names", {kMultipart, "--xyz\r\n\r\na\r\n--xyz--"}},
      {"a body of 256 KiB", {kJson, std::string(256 << 10, ' ')}},
  };
  int count = 0;
  for (const auto& route : routes()) {
    const auto methods = comma_list(route.methods);
    const auto with_body = std::ranges::find_if(methods, [](const auto& one) { return one[0] == 'P'; });
    if (with_body == methods.end() || route.path == "/v2/usage") continue;
    auto line = *with_body + ' ' + std::string(route.path);
    if (line.ends_with('*')) line.back() = 'x';
    for (const auto& [name, body] : bodies) {
      SCOPED_TRACE(line + " with " + name);
      const auto answer = sent(request(line, body.first, body.second));
      EXPECT_TRUE(answer.status >= 400 && answer.status < 500) << answer.status << answer.body;
      EXPECT_EQ(client().get("/health").status, 200);
      ++count;
    }
    expect_served();
  }
  EXPECT_GE(count, 200);
}

TEST_F(BadRequests, WrongMethodsAreRefusedByEveryRoute) {
  for (const auto& route : routes()) {
    auto path = std::string(route.path);
    if (path.ends_with('*')) path.back() = 'x';
    SCOPED_TRACE(path);
    const auto answer = sent(request("LINK " + path, kJson, kGood));
    EXPECT_EQ(answer.status, 405);
    EXPECT_THAT(answer.header("allow"), HasSubstr(std::string(route.methods)));
  }
}

TEST_F(BadRequests, AreNotSmuggled) {
  // Each is one request to a reader, and two to another.
  const std::string smuggled = "GET /smuggled HTTP/1.1\r\n" + kHost + "\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n", length = "Content-Length: 5\r\n";
  const std::string fields[] = {
      // CL.TE and TE.CL
      length + chunked,
      chunked + length,
      "Content-Length: 0\r\n" + chunked,
      length + "Transfer-Encoding: Chunked\r\n",
      length + "Transfer-Encoding: xchunked\r\n",
      length + "Transfer-Encoding:  chunked\r\n",
      length + "Transfer-Encoding:\tchunked\r\n",
      length + "Transfer-Encoding:chunked \r\n",
      length + "Transfer-Encoding:\r\n chunked\r\n",
      length + "Transfer-Encoding\r\n : chunked\r\n",
      length + "Transfer-Encoding : chunked\r\n",
      length + " Transfer-Encoding: chunked\r\n",
      length + "Transfer-Encoding: chunked, identity\r\n",
      length + "Transfer-Encoding: identity, chunked\r\n",
      length + "Transfer-Encoding: identity\r\n" + chunked,
      length + "Transfer-Encoding: \"chunked\"\r\n",
      length + "Transfer-Encoding: chunked;a=b\r\n",
      length + "Transfer-Encoding: \x0b" + "chunked\r\n",
      length + "Transfer-Encoding: \0chunked\r\n"s,
      length + "X: a\nTransfer-Encoding: chunked\r\n",
      length + "X: a\rTransfer-Encoding: chunked\r\n",
      length + "Transfer_Encoding: chunked\r\nTransfer-Encoding: \r\n" + chunked,
      // TE.TE
      chunked + chunked,
      chunked + "Transfer-Encoding: identity\r\n",
      chunked + "Transfer-Encoding: \r\n",
      length + "Transfer-Encoding: \r\n",
      length + "Transfer-Encoding:\r\n",
      "Transfer-Encoding: gzip, chunked\r\n",
      "Transfer-Encoding: chunked, chunked\r\n",
      "Transfer-Encoding: gzip\r\n",
      // Lengths
      length + "Content-Length: 6\r\n",
      length + length,
      "Content-Length: 5, 5\r\n",
      "Content-Length: +5\r\n",
      "Content-Length: 0x5\r\n",
      "Content-Length: 5 5\r\n",
      "Content-Length: 5;\r\n",
      "Content-Length: \r\n",
      "Content-Length : 5\r\n",
      " Content-Length: 5\r\n",
      "Content-Length\x01: 5\r\n",
  };
  for (const auto& each : fields) {
    SCOPED_TRACE(testing::PrintToString(each));
    auto one = client();
    one.send("POST /translate HTTP/1.1\r\n" + kHost + kJson + each + "\r\n0\r\n\r\n" + smuggled);
    const auto first = one.answer();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->status, 400) << first->body;
    expect_explained(*first);
    // A folded line is one value (RFC 9112, section 5.2), so that what follows may be read, but not as a request.
    while (const auto next = one.answer()) EXPECT_EQ(next->status, 400) << next->body;
  }
  expect_served();
}

TEST_F(BadRequests, AreNotSmuggledInChunks) {
  const std::string smuggled = "GET /smuggled HTTP/1.1\r\n" + kHost + "\r\n";
  for (const std::string chunks :
       {"5\n{}   \r\n0\r\n\r\n", "2\r\n{}0\r\n\r\n", "2\r\n{}\n0\n\n", "2 \n{}\r\n0\r\n\r\n", "+2\r\n{}\r\n0\r\n\r\n",
        "2\r{}\r\n0\r\n\r\n", "2\r\n{}\rX0\r\n\r\n", "0\r\n: x\r\n\r\n", "0\r\nX\r\n\r\n", "0\n\r\n"}) {
    SCOPED_TRACE(testing::PrintToString(chunks));
    auto one = client();
    one.send(in_chunks(chunks) + smuggled);
    const auto first = one.answer();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->status, 400) << first->body;
    EXPECT_FALSE(one.answer()) << "the next request was read, too";
  }
  expect_served();
}

TEST_F(BadRequests, InjectNoFieldIntoAnAnswer) {
  const std::string ends[] = {"%0d%0aX-Injected: a", "%0aX-Injected: a", "%0dX-Injected: a",
                              "%E5%98%8A%E5%98%8DX-Injected:a"};
  for (const auto& end : ends) {
    SCOPED_TRACE(end);
    sent(request("GET /health?a=" + end, "", ""));
    sent(request("GET /languages" + end, "", ""));
    sent(request("GET /v3/glossaries/x" + end, "", ""));
    sent(request("POST /translate", kForm, "q=ana&source=en&target=de" + end));
    sent(request("POST /v2/translate", kForm, "text=ana&source_lang=en&target_lang=de&model_type=" + end));
  }
  for (const auto* const value : {"a\rX-Injected: a", "a\nX-Injected: a", "a\r\n X-Injected: a", "a\tX-Injected: a"})
    for (const auto* const name : {"X-Request-Id", "Traceparent", "Origin", "Host", "Accept", "X-Forwarded-Proto",
                                   "Access-Control-Request-Headers"}) {
      SCOPED_TRACE(name + testing::PrintToString(value));
      auto one = client();
      one.send("GET /health HTTP/1.1\r\n" + (name == "Host"s ? "" : kHost) + name + ": " + value + "\r\n\r\n");
      const auto answer = one.answer();
      ASSERT_TRUE(answer);
      expect_explained(*answer);
      EXPECT_LT(answer->status, 500);
    }
  const auto own = sent(request("GET /nothing", "Origin: http://page.example\r\n", ""));
  EXPECT_EQ(own.header("access-control-allow-origin"), "http://page.example");
}

TEST_F(BadRequests, TheNameOfAFileStaysInItsField) {
  const std::string names[] = {
      "a\rX-Injected: b.txt", "a%0d%0aX-Injected: b.txt",     "a\\\"; filename=\\\"c.exe.txt", "../../etc/a.txt",
      "\x7F\x01.txt",         "a\xC2\x85\xE2\x80\xA8\xFF.txt"};
  for (const auto& name : names) {
    SCOPED_TRACE(testing::PrintToString(name));
    const auto field = [](const std::string& parameters, const std::string& value) {
      return "--xyz\r\nContent-Disposition: form-data; " + parameters + "\r\n\r\n" + value + "\r\n";
    };
    const auto upload = sent(request("POST /translate_file", kMultipart,
                                     field("name=source", "en") + field("name=target", "de") +
                                         field("name=file; filename=\"" + name + '"', "ana") + "--xyz--"));
    if (upload.status == 400) continue;
    ASSERT_EQ(upload.status, 200) << upload.body;
    const auto link = parse_json(upload.body).at("translatedFileUrl").get<std::string>();
    const auto file = sent(request("GET " + link.substr(link.find("/download_file/")), "", ""));
    ASSERT_EQ(file.status, 200) << file.body;
    EXPECT_THAT(
        file.header("content-disposition"),
        testing::MatchesRegex("attachment; filename=\"[^\"/\\\\%;]*_de.txt\"; filename\\*=UTF-8''[-_.A-Za-z0-9%]*"));
  }
}

TEST_F(BadRequests, SlowClientsHarmNobody) {
  auto in_header = client(), by_bytes = client(), in_body = client();
  in_header.send("GET /health HT");
  in_body.send("POST /translate HTTP/1.1\r\n" + kHost + kJson + "Content-Length: 50\r\n\r\n{");
  // A byte now and then does not renew the time for the header.
  for (int i = 0; i < 5; ++i) {
    by_bytes.send(i == 0 ? "GET /health HTTP/1.1\r\nX: " : "x");
    expect_served();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  for (auto* one : {&in_header, &by_bytes, &in_body}) EXPECT_TRUE(one->is_closed());
}

TEST_F(BadRequests, OfAThousandConnectionsSomeAreRefused) {
  std::vector<HttpClient> accepted;
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    auto one = client();
    const auto answer = one.get("/health");
    EXPECT_THAT(answer.status, AnyOf(200, 503));
    expect_explained(answer);
    if (answer.status == 200) {
      accepted.push_back(std::move(one));
    } else {
      EXPECT_NE(answer.header("retry-after"), "");
      ++refused;
    }
  }
  EXPECT_LE(accepted.size(), 100u);
  EXPECT_GE(refused, 900);
  // All of them send a request at once; two are translated and four wait.
  Json body = parse_json(kGood);
  body["q"] = std::vector<std::string>(20, "ana nipa lemu ratu");
  for (auto& one : accepted) one.request("POST", "/translate", to_text(body), kJson);
  std::size_t translated = 0;
  for (auto& one : accepted) {
    const auto answer = one.answer();
    ASSERT_TRUE(answer);
    EXPECT_THAT(answer->status, AnyOf(200, 503));
    expect_explained(*answer);
    if (answer->status == 200)
      ++translated;
    else
      EXPECT_NE(answer->header("retry-after"), "");
  }
  EXPECT_GE(translated, 6u);
  accepted.clear();
  for (int i = 0; i < 500 && client().get("/health").status == 503; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  expect_served();
}

TEST_F(BadRequests, AClientThatLeavesEndsItsTranslation) {
  const std::string left =
      "http_server_request_duration_seconds_count{http_request_method=\"POST\",http_route=\"/translate\","
      "http_response_status_code=\"499\"}";
  const auto before = metric(left);
  const auto wait_until = [](const auto& condition) {
    for (int i = 0; i < 5000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  Json body = parse_json(kGood);
  body["q"] = std::vector<std::string>(900, "ana nipa lemu ratu emi dalo ana nipa lemu ratu emi dalo");
  body["alternatives"] = 8;
  auto one = client();
  one.request("POST", "/translate", to_text(body), kJson);
  wait_until([] { return metric("http_server_active_requests") > 0; });
  one.close();
  wait_until([] { return metric("http_server_active_requests") == 0; });
  EXPECT_EQ(metric(left), before + 1);
  expect_served();
}

}  // namespace
}  // namespace gloss
