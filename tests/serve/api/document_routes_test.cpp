#include <chrono>
#include <fstream>
#include <optional>
#include <vector>

#include <gmock/gmock.h>

#include "common/files/sha256.h"
#include "documents/document.h"
#include "serve/api/api_routes.h"
#include "serve/service/language_detector.h"
#include "serve/service/text_service.h"
#include "tests/serve/server_fixture.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

const std::string kBoundary = "x7f3", kType = "multipart/form-data; boundary=" + kBoundary;

struct Part {
  std::string name, value;
  std::optional<std::string> filename = {};
};

std::string form(const std::vector<Part>& parts) {
  std::string body;
  for (const auto& [name, value, filename] : parts) {
    body += "--" + kBoundary + "\r\nContent-Disposition: form-data; name=\"" + name + '"';
    if (filename) body += "; filename=\"" + *filename + '"';
    body += "\r\n\r\n" + value + "\r\n";
  }
  return body + "--" + kBoundary + "--\r\n";
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "ana baka dalo emi " + std::to_string(i) + ".\n";
  return text;
}

class DocumentRoutesTest : public ServerTest {
 protected:
  void SetUp() override { settings_.document_folder = folder_.path(); }
  void TearDown() override {
    stop();
    server_.reset();  // before its folder
  }
  void begin() { start(settings_); }
  void begin_with_keys() {
    std::ofstream(folder_ / "keys") << sha256("one") << " anna\n" << sha256("two") << " bob\n";
    settings_.api_keys = folder_ / "keys";
    begin();
  }
  static std::string with_key(const std::string& key) { return "Authorization: DeepL-Auth-Key " + key + "\r\n"; }

  Answer upload(const std::string& name, const std::string& bytes, const std::string& headers = {},
                std::vector<Part> parts = {{"source", "xx"}, {"target", "yy"}}) {
    parts.push_back({"file", bytes, name});
    return client().post("/translate_file", form(parts), kType, headers);
  }
  /// Returns the path of a link, without the server.
  static std::string path_of(const Answer& answer) {
    const auto link = Json::parse(answer.body).value("translatedFileUrl", "");
    EXPECT_TRUE(link.starts_with("http://localhost/download_file/")) << answer.body;
    return link.substr(std::min(link.size(), std::string("http://localhost").size()));
  }
  static std::string error_of(const Answer& answer) {
    return Json::parse(answer.body)
        .value(answer.body.find("\"message\"") == answer.body.npos ? "error" : "message", "");
  }

  Answer deepl_upload(const std::string& name, const std::string& bytes, const std::string& headers = {},
                      std::vector<Part> parts = {{"source_lang", "XX"}, {"target_lang", "YY"}}) {
    parts.push_back({"file", bytes, name});
    return client().post("/v2/document", form(parts), kType, headers);
  }
  struct Handle {
    std::string path, key;
  };
  static Handle handle_of(const Answer& answer) {
    const auto body = Json::parse(answer.body);
    return {"/v2/document/" + body.value("document_id", ""), body.value("document_key", "")};
  }
  Answer ask(const Handle& handle, const std::string& tail = {}, const std::string& headers = {}) {
    return post(handle.path + tail, {{"document_key", handle.key}}, headers);
  }
  std::string wait(const Handle& handle, const std::string& headers = {}) {
    Json body;
    do {
      std::this_thread::sleep_for(2ms);
      body = Json::parse(ask(handle, {}, headers).body);
    } while (body.value("status", "") == "queued" || body.value("status", "") == "translating");
    return body.value("status", "none");
  }
  Answer remove(const std::string& target, const std::string& headers = {}) {
    auto one = client();
    one.request("DELETE", target, {}, headers);
    return one.answer().value_or(Answer{});
  }
  /// Waits until the metrics contain a text.
  bool metrics_have(const std::string& text) {
    for (int i = 0; i < 2000; ++i) {
      if (client().get("/metrics").body.find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  static std::string translated(const std::string& text, const std::string& format = "txt") {
    const ServedModels models({{"xx", "yy", kServedModel}}, {});
    return translate_texts(models.route("xx", "yy").value(), {.texts = {text}, .format = format}).front().text;
  }

  TemporaryFolder folder_;
  ServeSettings settings_;
};

TEST_F(DocumentRoutesTest, LibreTranslateGivesALink) {
  begin();
  const std::string page = "<!doctype html>\n<p>ana <b>baka</b> dalo</p>\n";
  const auto answer = upload("my page.html", page);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.header("gloss-model"), sha256_of_file(kServedModel));
  const auto path = path_of(answer);
  EXPECT_THAT(path, MatchesRegex("/download_file/[0-9a-f]{32}\\.html"));
  for (int i = 0; i < 2; ++i) {
    const auto file = client().get(path);
    EXPECT_EQ(file.status, 200);
    EXPECT_EQ(file.body, translated(page, "html"));
    EXPECT_EQ(file.header("content-disposition"),
              "attachment; filename=\"my page_yy.html\"; filename*=UTF-8''my%20page_yy.html");
    EXPECT_EQ(file.header("content-type"), "text/html");
    EXPECT_EQ(file.header("x-content-type-options"), "nosniff");
  }
}

TEST_F(DocumentRoutesTest, TheLinkIsOfTheClientsWayToTheServer) {
  begin();
  const auto link = [&](const std::string& headers) {
    return Json::parse(upload("a.txt", "ana\n", headers).body).value("translatedFileUrl", "");
  };
  EXPECT_THAT(link("X-Forwarded-Proto: https\r\n"), MatchesRegex("https://localhost/download_file/.*"));
}

TEST_F(DocumentRoutesTest, NamesOfFilesNeverBecomePathsOrFields) {
  begin();
  const std::vector<std::pair<std::string, std::string>> names{
      {"../../etc/passwd.txt", "passwd_yy.txt"},
      {"C:\\dir\\..\\a.TXT", "a_yy.txt"},
      {"/.txt", "document_yy.txt"},
      {"...txt", "document_yy.txt"},
      {".hidden.txt", "_hidden_yy.txt"},
      {"a\\\"b;c=%41.txt", "a_b_c=_41_yy.txt"},
      {"a\x7f\x01\xff\xE2\x80\xAE.txt", "a_____yy.txt"},
      {"\xC3\xA4.txt", "__yy.txt"},
  };
  for (const auto& [name, expected] : names) {
    const auto answer = upload(name, "ana baka.\n");
    ASSERT_EQ(answer.status, 200) << name << answer.body;
    const auto disposition = client().get(path_of(answer)).header("content-disposition");
    EXPECT_THAT(disposition, HasSubstr('"' + expected + '"')) << name;
  }
  EXPECT_THAT(client().get(path_of(upload("\xC3\xA4.txt", "ana\n"))).header("content-disposition"),
              HasSubstr("filename*=UTF-8''%C3%A4_yy.txt"));
  const auto longest = client().get(path_of(upload(std::string(5000, 'a') + ".txt", "ana\n")));
  EXPECT_LT(longest.header("content-disposition").size(), 400u);

  // A line end within quotes ends the field of the part; in a field of its own it is text.
  EXPECT_EQ(upload("a\r\nX-Evil: 1\".txt", "ana\n").status, 400);
  const auto handle = handle_of(
      deepl_upload("x", "ana baka.\n", {},
                   {{"source_lang", "XX"}, {"target_lang", "yy\r\nX-Evil: 1"}, {"filename", "a\r\nX-Evil: 1\".txt"}}));
  EXPECT_EQ(handle.key, "") << "no such language";
  for (const auto* const target : {"yy-\nX-Evil: 1", "yy-x\"; filename=\"evil.exe", "yy_\x01"}) {
    EXPECT_EQ(upload("a.txt", "ana\n", {}, {{"source", "xx"}, {"target", target}}).status, 400) << target;
    EXPECT_EQ(deepl_upload("a.txt", "ana\n", {}, {{"source_lang", "XX"}, {"target_lang", target}}).status, 400)
        << target;
  }
  const auto variant = upload("a.txt", "ana\n", {}, {{"source", "xx"}, {"target", "yy-x-evil"}});
  EXPECT_THAT(client().get(path_of(variant)).header("content-disposition"), HasSubstr("\"a_yy.txt\"")) << "the model's";
  const auto other = handle_of(deepl_upload(
      "x", "ana baka.\n", {}, {{"source_lang", "XX"}, {"target_lang", "YY"}, {"filename", "a\r\nX-Evil: 1\".txt"}}));
  EXPECT_EQ(wait(other), "done");
  const auto result = ask(other, "/result");
  EXPECT_EQ(result.header("x-evil"), "");
  EXPECT_THAT(result.header("content-disposition"), HasSubstr("\"a__X-Evil_ 1__yy.txt\""));
}

TEST_F(DocumentRoutesTest, RefusesBadUploads) {
  settings_.max_file_kib = 64;
  begin();
  const auto refuse = [&](const std::vector<Part>& parts) {
    const auto answer = client().post("/translate_file", form(parts), kType);
    EXPECT_EQ(answer.status, 400) << answer.body;
    return error_of(answer);
  };
  const Part source{"source", "xx"}, target{"target", "yy"}, file{"file", "ana\n", "a.txt"};
  EXPECT_EQ(refuse({source, target}), "Invalid request: missing file parameter");
  EXPECT_EQ(refuse({source, target, {"file", "", ""}}), "Invalid request: missing file parameter");
  EXPECT_EQ(refuse({source, target, {"file", "ana\n"}}), "Invalid request: missing file parameter") << "a text";
  EXPECT_EQ(refuse({source, file}), "Invalid request: missing target parameter");
  EXPECT_EQ(refuse({target, file}), "Invalid request: missing source parameter");
  EXPECT_THAT(refuse({source, target, {"file", "", "a.txt"}}), HasSubstr("got no bytes"));
  EXPECT_THAT(refuse({source, target, {"file", "ana\n", "a.pdf"}}), HasSubstr("a PDF holds places of glyphs"));
  for (const auto* const name : {"a", "a.exe", ".docx/", "txt", "a.txt.", "a.t\xC3\xA4t"})
    EXPECT_THAT(refuse({source, target, {"file", "ana\n", name}}), HasSubstr("wanted a name that ends in")) << name;
  EXPECT_THAT(refuse({source, target, {"file", "ana\n", "a.docx"}}), HasSubstr("wanted a document in a ZIP archive"));
  EXPECT_THAT(refuse({source, {"target", "qq"}, file}), HasSubstr("The target language is not supported"));
  EXPECT_EQ(client().post("/translate_file", "no form", kType).status, 400);
  EXPECT_EQ(client().post("/translate_file", "{}", "application/json").status, 400);
  EXPECT_EQ(upload("a.txt", std::string(65 << 10, 'a')).status, 413);
  EXPECT_TRUE(metrics_have("gloss_documents{state=\"error\"} 0\n"));
  EXPECT_TRUE(metrics_have("gloss_document_bytes 0\n"));
}

TEST_F(DocumentRoutesTest, DetectsTheLanguage) {
  begin();
  const auto answer = upload("a.txt", "ana baka.\n", {}, {{"source", "auto"}, {"target", "yy"}});
  EXPECT_EQ(answer.status, has_language_detector() ? 200 : 400);
  if (!has_language_detector()) return;
  EXPECT_EQ(answer.header("gloss-model"), sha256_of_file(kServedModel));
  EXPECT_EQ(client().get(path_of(answer)).body, translated("ana baka.\n"));
  EXPECT_EQ(client().get(path_of(answer)).header("content-type"), "text/plain; charset=utf-8");
  const auto same = upload("a.txt", "ana baka.\n", {}, {{"source", "yy"}, {"target", "yy"}});
  EXPECT_EQ(client().get(path_of(same)).body, "ana baka.\n") << "in the target language";
  EXPECT_THAT(client().get(path_of(same)).header("content-disposition"), HasSubstr("a_yy.txt"));
  EXPECT_EQ(upload("a.txt", "ana\n", {}, {{"source", "auto"}, {"target", "qq"}}).status, 400);
  const auto faulty = upload("a.docx", "ana\n", {}, {{"source", "auto"}, {"target", "yy"}});
  EXPECT_EQ(faulty.status, 400);
  EXPECT_THAT(error_of(faulty), HasSubstr("ZIP archive"));
  const auto handle = handle_of(deepl_upload("a.txt", "ana baka.\n", {}, {{"target_lang", "YY"}}));
  EXPECT_EQ(wait(handle), "done");
  EXPECT_EQ(ask(handle, "/result").body, translated("ana baka.\n"));
}

TEST_F(DocumentRoutesTest, ForeignNamesAreNotFound) {
  begin();
  const auto path = path_of(upload("a.txt", "ana\n"));
  const auto handle = handle_of(deepl_upload("a.txt", "ana\n"));
  EXPECT_EQ(wait(handle), "done");
  const auto id = handle.path.substr(handle.path.rfind('/') + 1);
  for (const auto& name : {std::string("0123456789abcdef0123456789abcdef.txt"), std::string("../keys"),
                           std::string("..%2F..%2Fetc/passwd"), id, id + ".txt", path.substr(15, 32),
                           path.substr(15) + "x", path.substr(15) + "/", std::string("%00")})
    EXPECT_THAT(client().get("/download_file/" + name).status, testing::AnyOf(404, 400)) << name;
  EXPECT_EQ(client().get("/download_file/").status, 404);
  EXPECT_EQ(client().post("/download_file/x", "").status, 405);
  EXPECT_EQ(ask({"/v2/document/" + path.substr(15, 32), handle.key}).status, 404) << "a link is no document of DeepL's";
  EXPECT_EQ(ask({handle.path, std::string(32, '0')}).status, 404);
  EXPECT_EQ(ask({handle.path, ""}).status, 400);
  EXPECT_EQ(ask({handle.path + "/x", handle.key}).status, 404);
  EXPECT_EQ(client().get(path).status, 200);
}

TEST_F(DocumentRoutesTest, AnotherKeysJobIsNotFound) {
  begin_with_keys();
  EXPECT_EQ(upload("a.txt", "ana\n").status, 403);
  const auto path = path_of(upload("a.txt", "ana\n", {}, {{"source", "xx"}, {"target", "yy"}, {"api_key", "one"}}));
  EXPECT_EQ(client().get(path).status, 200) << "a browser shows no key";
  EXPECT_EQ(client().get(path, with_key("one")).status, 200);
  EXPECT_EQ(client().get(path, with_key("two")).status, 404);

  const auto handle = handle_of(deepl_upload("a.txt", "ana\n", with_key("one:fx")));
  EXPECT_EQ(wait(handle, with_key("one")), "done");
  EXPECT_EQ(ask(handle).status, 403);
  for (const auto* const tail : {"", "/result"}) EXPECT_EQ(ask(handle, tail, with_key("two")).status, 404);
  EXPECT_EQ(remove(handle.path + "?document_key=" + handle.key, with_key("two")).status, 404);
  EXPECT_EQ(ask(handle, "/result", with_key("one")).status, 200);
}

TEST_F(DocumentRoutesTest, DeepLGivesTheResultOnce) {
  begin();
  const std::string text = "1\n00:00:01,000 --> 00:00:02,000\nana baka.\n\n";
  const auto handle = handle_of(deepl_upload("a.srt", text));
  EXPECT_EQ(wait(handle), "done");
  const auto status = Json::parse(client().get(handle.path + "?document_key=" + handle.key).body);
  EXPECT_EQ(status["billed_characters"], 9);
  EXPECT_EQ(status["progress"], 1);
  auto one = client();
  one.request("HEAD", handle.path + "/result?document_key=" + handle.key);
  EXPECT_EQ(one.answer(false)->status, 200) << "which does not take it";
  const auto result = ask(handle, "/result");
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body, translated(text, "srt"));
  EXPECT_THAT(result.header("content-disposition"), HasSubstr("a_yy.srt"));
  const auto again = ask(handle, "/result");
  EXPECT_EQ(again.status, 404);
  EXPECT_EQ(error_of(again), "Document not found");
  EXPECT_EQ(ask(handle).status, 404);
}

TEST_F(DocumentRoutesTest, DeepLsFieldsAreCheckedAndErrorsAreMessages) {
  begin();
  const std::vector<Part> languages{{"source_lang", "XX"}, {"target_lang", "YY"}};
  const auto with = [&](const Part& part) {
    auto all = languages;
    all.push_back(part);
    return deepl_upload("a.txt", "ana\n", {}, all);
  };
  for (const auto& part : {Part{"style_id", "x"}, Part{"formality", "more"}, Part{"output_format", "pdf"}}) {
    const auto answer = with(part);
    EXPECT_EQ(answer.status, 400) << part.name;
    EXPECT_THAT(answer.body, HasSubstr("\"message\":\"Invalid request: " + part.name)) << part.name;
  }
  EXPECT_THAT(with({"output_format", "pdf"}).body, HasSubstr("wanted txt, that of the document"));
  EXPECT_EQ(with({"glossary_id", "x"}).status, 404);
  auto parts = languages;
  for (const auto& part : {Part{"formality", "prefer_less"}, Part{"output_format", "txt"}}) parts.push_back(part);
  EXPECT_EQ(deepl_upload("a.txt", "ana\n", {}, parts).status, 200);
  EXPECT_THAT(deepl_upload("a.txt", "ana\n", {}, {{"source_lang", "XX"}}).body, HasSubstr("missing target_lang"));
  const auto faulty = handle_of(deepl_upload("a.docx", "ana\n"));
  EXPECT_EQ(wait(faulty), "error");
  EXPECT_THAT(Json::parse(ask(faulty).body)["error_message"].get<std::string>(), HasSubstr("ZIP archive"));
  EXPECT_EQ(ask(faulty, "/result").status, 404);
}

TEST_F(DocumentRoutesTest, AGlossaryOfTheClientForcesPhrases) {
  begin();
  const auto glossary = Json::parse(post("/v2/glossaries", {{"name", "one"},
                                                            {"source_lang", "xx"},
                                                            {"target_lang", "yy"},
                                                            {"entries_format", "tsv"},
                                                            {"entries", "baka\tjoka"}})
                                        .body);
  const auto handle = handle_of(
      deepl_upload("a.txt", "ana baka dalo\n", {},
                   {{"source_lang", "XX"}, {"target_lang", "YY"}, {"glossary_id", glossary.value("glossary_id", "")}}));
  EXPECT_EQ(wait(handle), "done");
  EXPECT_THAT(ask(handle, "/result").body, HasSubstr("joka"));
}

TEST_F(DocumentRoutesTest, CharactersCountForTheKey) {
  std::ofstream(folder_ / "keys") << sha256("one") << " anna characters=10\n";
  settings_.api_keys = folder_ / "keys";
  begin();
  const auto handle = handle_of(deepl_upload("a.txt", "ana baka dalo\n", with_key("one")));
  EXPECT_EQ(wait(handle, with_key("one")), "done");
  EXPECT_EQ(Json::parse(client().get("/v2/usage", with_key("one")).body)["character_count"], 13);
  const auto next = deepl_upload("a.txt", "ana\n", with_key("one"));
  EXPECT_EQ(next.status, 456);
}

TEST_F(DocumentRoutesTest, DeletingADocumentStopsIt) {
  begin();
  const auto handle = handle_of(deepl_upload("a.txt", long_text()));
  EXPECT_EQ(ask(handle, "/result").status, 503);
  EXPECT_TRUE(metrics_have("gloss_documents{state=\"translating\"} 1\n"));
  EXPECT_EQ(remove(handle.path + "?document_key=" + handle.key).status, 204);
  EXPECT_EQ(ask(handle).status, 404);
  EXPECT_TRUE(metrics_have("gloss_document_bytes 0\n"));
}

TEST_F(DocumentRoutesTest, ADeadlineOrALeavingClientEndsAJob) {
  begin();
  const auto late = upload("a.txt", long_text(), "Gloss-Deadline-Ms: 100\r\n");
  EXPECT_EQ(late.status, 504);
  EXPECT_EQ(error_of(late), "The deadline of the request has passed");
  {
    auto leaving = client();
    const auto body = form({{"source", "xx"}, {"target", "yy"}, {"file", long_text(), "a.txt"}});
    leaving.request("POST", "/translate_file", body, "Content-Type: " + kType + "\r\n");
    EXPECT_TRUE(metrics_have("gloss_documents{state=\"translating\"} 1\n"));
    EXPECT_TRUE(metrics_have("http_server_active_requests 2\n")) << "it, and that for the metrics";
  }
  EXPECT_TRUE(metrics_have("http_server_active_requests 1\n"));
  EXPECT_TRUE(metrics_have("gloss_document_bytes 0\n"));
  EXPECT_TRUE(metrics_have("gloss_deadline_exceeded_total 1\n"));
}

TEST_F(DocumentRoutesTest, ManyThatWaitForDocumentsLeaveThreadsForTexts) {
  settings_.max_running = 2;
  begin();
  std::vector<HttpClient> waiting;
  const auto body = form({{"source", "xx"}, {"target", "yy"}, {"file", long_text(), "a.txt"}});
  for (int i = 0; i < 6; ++i) {
    waiting.push_back(client());
    waiting.back().request("POST", "/translate_file", body, "Content-Type: " + kType + "\r\n");
  }
  EXPECT_TRUE(metrics_have("gloss_documents{state=\"queued\"} 4\n"));
  EXPECT_EQ(post("/translate", {{"q", "ana"}, {"source", "xx"}, {"target", "yy"}}).status, 200);
}

TEST_F(DocumentRoutesTest, SurvivesAReloadAndIsAnsweredWhileTheServerDrains) {
  begin();
  std::string text;
  for (int i = 0; i < 60; ++i) text += "ana baka dalo emi " + std::to_string(i) + ".\n";
  const auto handle = handle_of(deepl_upload("a.txt", text));
  server_->reload();
  EXPECT_EQ(wait(handle), "done");
  EXPECT_EQ(ask(handle, "/result").body, translated(text));

  auto waiting = client();
  const auto body = form({{"source", "xx"}, {"target", "yy"}, {"file", text, "a.txt"}});
  waiting.request("POST", "/translate_file", body, "Content-Type: " + kType + "\r\n");
  EXPECT_TRUE(metrics_have("gloss_documents{state=\"translating\"} 1\n"));
  stop();
  const auto answer = waiting.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  server_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(DocumentRoutesTest, IsGivenUpAfterTheTimeToDrain) {
  settings_.drain_seconds = 0;
  begin();
  auto waiting = client();
  const auto body = form({{"source", "xx"}, {"target", "yy"}, {"file", long_text(), "a.txt"}});
  waiting.request("POST", "/translate_file", body, "Content-Type: " + kType + "\r\n");
  EXPECT_TRUE(metrics_have("gloss_documents{state=\"translating\"} 1\n"));
  stop();
  server_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(DocumentRoutesTest, TheQuotaIsClear) {
  settings_.document_quota_mib = 1;
  begin();
  const auto first = deepl_upload("a.txt", std::string(400'000, 'a'));
  EXPECT_EQ(first.status, 200);
  const auto second = deepl_upload("a.txt", std::string(400'000, 'a'));
  EXPECT_EQ(second.status, 503);
  EXPECT_EQ(error_of(second), "The space for documents is taken; try again later");
  EXPECT_EQ(second.header("retry-after"), "60");
  EXPECT_EQ(upload("a.txt", std::string(600'000, 'a')).status, 413);
}

TEST_F(DocumentRoutesTest, SettingsNameTheFormats) {
  begin();
  auto settings = Json::parse(client().get("/frontend/settings").body);
  EXPECT_EQ(settings["filesTranslation"], true);
  const auto endings = settings["supportedFilesFormat"].get<std::vector<std::string>>();
  EXPECT_THAT(endings, testing::IsSupersetOf({".txt", ".docx", ".odt", ".html", ".srt", ".xml"}));
  for (const auto& ending : endings) EXPECT_EQ(why_refused(ending), "") << ending;
  stop();
  settings_.document_quota_mib = 0;
  begin();
  settings = Json::parse(client().get("/frontend/settings").body);
  EXPECT_EQ(settings["filesTranslation"], false);
  EXPECT_EQ(upload("a.txt", "ana\n").status, 403);
}

}  // namespace
}  // namespace gloss
