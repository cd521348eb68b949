#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include <gmock/gmock.h>

#include "common/files/sha256.h"
#include "documents/model_sentence_translator.h"
#include "serve/api/api_routes.h"
#include "serve/service/language_detector.h"
#include "serve/service/served_models.h"
#include "serve/service/text_service.h"
#include "tests/serve/api/test_server.h"
#include "tests/serve/server_fixture.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;

Json body_of(const Answer& answer) { return Json::parse(answer.body, nullptr, false); }

class LibreTranslateTest : public ServerTest {
 protected:
  Json request(const Json& q) const { return {{"q", q}, {"source", "xx"}, {"target", "yy"}}; }
  /// Returns the translation by documents/ alone.
  std::string translated(const std::string& text, const std::string& format = "txt") const {
    const ServedModels models({{"xx", "yy", kServedModel}}, {});
    return translate_texts(models.route("xx", "yy").value(), {.texts = {text}, .format = format}).front().text;
  }
  /// Expects that the sentences of a stream, with what stands between and after them, are the translation.
  void expect_stream(const std::string& text) {
    const auto answer =
        client().post("/translate", to_text(request(text)), "application/json", "Accept: text/event-stream\r\n");
    EXPECT_EQ(answer.header("content-type"), "text/event-stream");
    EXPECT_EQ(answer.header("x-accel-buffering"), "no");
    std::string joined, done;
    int index = 0;
    for (std::size_t at = 0; at < answer.body.size();) {
      const auto end = answer.body.find("\n\n", at);
      const auto event = answer.body.substr(at, end - at);
      at = end + 2;
      const auto data = Json::parse(event.substr(event.find("data: ") + 6));
      if (event.starts_with("event: done")) {
        joined += data["after"].get<std::string>();
        done = data["translatedText"];
        continue;
      }
      EXPECT_EQ(data["index"], index++);
      joined += data["before"].get<std::string>() + data["text"].get<std::string>();
    }
    EXPECT_EQ(done, translated(text));
    EXPECT_EQ(joined, done);
    EXPECT_EQ(index, sentence_spans(text, SentenceMode::kParagraph, *rule_splitter("xx")).size()) << text;
  }
};

TEST_F(LibreTranslateTest, TranslatesTextsAndListsAndForms) {
  start();
  const auto one = post("/translate", request("ana baka. dalo emi"));
  EXPECT_EQ(one.status, 200);
  EXPECT_EQ(body_of(one), Json({{"translatedText", translated("ana baka. dalo emi")}}));
  EXPECT_EQ(one.header("gloss-model"), sha256_of_file(kServedModel));
  const auto list = body_of(post("/translate", request(Json::array({"ana", "baka dalo"}))));
  EXPECT_EQ(list["translatedText"], Json::array({translated("ana"), translated("baka dalo")}));
  const auto form =
      client().post("/translate", "q=ana+baka.+dalo+emi&source=xx&target=yy", "application/x-www-form-urlencoded");
  EXPECT_EQ(form.body, one.body);
}

TEST_F(LibreTranslateTest, EachTextOfAListIsTranslatedFromItsOwnLanguage) {
  if (!has_language_detector()) GTEST_SKIP() << "needs CLD2";
  const std::vector<ModelSource> sources{{"en", "fr", kServedModel}, {"de", "fr", kServedModel}};
  const TestServer server([&](auto& config) {
    config.models = sources;
    config.settings.default_language = "de";
  });
  const Json texts{"The weather is very fine today, is it not", "Das Wetter ist heute wirklich sehr sch\u00f6n",
                   "12 34"};
  const auto body =
      server.send("POST", "/translate", to_text({{"q", texts}, {"source", "auto"}, {"target", "fr"}})).json();
  ASSERT_EQ(body["detectedLanguage"].size(), 3u) << body;
  EXPECT_EQ(body["detectedLanguage"][0]["language"], "en");
  EXPECT_EQ(body["detectedLanguage"][1]["language"], "de");
  EXPECT_EQ(body["detectedLanguage"][2], Json({{"language", "de"}, {"confidence", 0}}));
  const ServedModels models(sources, {});
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(body["translatedText"][i],
              translate_texts(models.route(i == 0 ? "en" : "de", "fr").value(), {.texts = {texts[i]}}).front().text);
}

TEST_F(LibreTranslateTest, TextsInTheTargetLanguageStayAsTheyAre) {
  const TestServer server;
  const std::string german = "Das Wetter ist heute wirklich sehr sch\u00f6n, nicht wahr";
  const auto translate = [&](const std::string& source, const std::string& target, const HeaderFields& headers = {}) {
    return server.send("POST", "/translate", to_text({{"q", german}, {"source", source}, {"target", target}}), headers);
  };
  const HeaderFields stream{{"Accept", "text/event-stream"}};
  for (const auto* const target : {"de", "de-CH"})
    EXPECT_EQ(translate("de", target).json()["translatedText"], german) << target;
  EXPECT_EQ(translate("fr", "fr").status, 400) << "not served";
  EXPECT_THAT(translate("de", "en").body, HasSubstr("no model from de to en, not even through a third language"));
  EXPECT_THAT(translate("de", "de", stream).body, HasSubstr("\"translatedText\":\"" + german));
  if (!has_language_detector()) return;
  const auto detected = translate("auto", "de").json();
  EXPECT_EQ(detected["translatedText"], german);
  EXPECT_EQ(detected["detectedLanguage"]["language"], "de");
  EXPECT_THAT(translate("auto", "de", stream).body, HasSubstr("\"detectedLanguage\":{"));
  EXPECT_EQ(server.send("POST", "/detect", to_text({{"q", german}})).json()[0]["language"], "de");
  const auto nowhere = server.send("POST", "/translate", R"({"q":"12 34","source":"auto","target":"de"})").json();
  EXPECT_EQ(nowhere["detectedLanguage"], Json({{"language", "en"}, {"confidence", 0}}));
}

TEST_F(LibreTranslateTest, AModelBetweenVariantsTranslates) {
  const std::vector<ModelSource> sources{{"pt-PT", "pt-BR", kServedModel}};
  const TestServer server([&](auto& config) { config.models = sources; });
  const ServedModels models(sources, {});
  EXPECT_EQ(server.send("POST", "/translate", "q=ana+baka&source=pt-PT&target=pt-BR").json()["translatedText"],
            translate_texts(models.route("pt-PT", "pt-BR").value(), {.texts = {"ana baka"}}).front().text);
  EXPECT_EQ(server.send("POST", "/translate", "q=ana+baka&source=pt-BR&target=pt-PT").json()["translatedText"],
            "ana baka");
}

TEST_F(LibreTranslateTest, TranslatesHtml) {
  start();
  auto html = request("<p>ana <b>baka</b> dalo</p>");
  html["format"] = "html";
  EXPECT_EQ(body_of(post("/translate", html))["translatedText"], translated("<p>ana <b>baka</b> dalo</p>", "html"));
}

TEST_F(LibreTranslateTest, AlternativesDifferFromTheTranslationAndEachOther) {
  start();
  auto wanted = request("ana baka dalo emi");
  wanted["alternatives"] = 3;
  wanted["confidence"] = true;
  const auto body = body_of(post("/translate", wanted));
  std::vector<std::string> all = body["alternatives"];
  EXPECT_EQ(all.size(), 3u);
  all.push_back(body["translatedText"]);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 4u);
  EXPECT_EQ(body["translatedText"], translated("ana baka dalo emi")) << "the search for others does not change it";
  EXPECT_GT(body["confidence"], 0);
  wanted["alternatives"] = -1;
  EXPECT_FALSE(body_of(post("/translate", wanted)).contains("alternatives")) << "as 0";
}

TEST_F(LibreTranslateTest, AGlossaryForcesPhrases) {
  start();
  auto wanted = request("ana baka dalo");
  wanted["glossary"] = {{"baka", "joka"}};
  EXPECT_THAT(body_of(post("/translate", wanted))["translatedText"].get<std::string>(), HasSubstr("joka"));
  const auto form = client().post("/translate", R"(q=ana baka dalo&source=xx&target=yy&glossary={"baka":"joka"})",
                                  "application/x-www-form-urlencoded");
  EXPECT_THAT(form.body, HasSubstr("joka"));
  wanted["glossary"] = {{"baka", "\u6f22"}};
  EXPECT_THAT(post("/translate", wanted).body, HasSubstr("Invalid request: glossary: entry 1: "));
}

TEST_F(LibreTranslateTest, StreamsSentencesWhoseTextsAreTheTranslation) {
  start();
  for (const std::string text :
       {"ana baka. dalo emi.\n\nfugo hina\nana. joka lemu\nmo nipa\nsive\n",
        " Ana baka. DALO EMI JOKA. Lemu 5,000 mo! (Nipa sive. Ana) baka? 1. Dalo https://a.example/x emi. Ana  \n\n",
        "Ana baka dalo.\r\n\r\n", "Ana {x} baka. Emi 12.", "\n"})
    expect_stream(text);
}

TEST_F(LibreTranslateTest, AStreamIsOfSentencesNotOfLines) {
  const ServedModels models({{"xx", "yy", kServedModel}}, {});
  std::string text;
  for (std::size_t i = 1; i < 50; ++i) text += "Ana baka " + std::string(i, 'o') + ". ";
  std::stop_source client;
  int sentences = 0;
  EXPECT_THROW(stream_text(models.route("xx", "yy").value(), {.texts = {text}, .stop = client.get_token()},
                           [&](const auto&) { client.request_stop(), ++sentences; }),
               ClientLeft);
  EXPECT_EQ(sentences, 1) << "the first one is sent before others are translated";
}

TEST_F(LibreTranslateTest, AStreamThatFailsCostsNothing) {
  TemporaryFolder folder;
  std::ofstream(folder / "keys") << sha256("one") << " anna\n";
  start({.api_keys = (folder / "keys").string()});
  std::string text = "Ana baka. ";
  while (text.size() < 90'000) text += "Dalo emi " + std::to_string(text.size()) + " joka. ";
  const std::string key = "Authorization: Bearer one\r\n", accept = "Accept: text/event-stream\r\n";
  const auto failed = client().post("/translate", to_text(request(text)), "application/json",
                                    key + accept + "Gloss-Deadline-Ms: 400\r\n");
  EXPECT_THAT(failed.body, HasSubstr("deadline"));
  const auto used = [&] { return body_of(client().get("/v2/usage", key))["character_count"]; };
  for (int i = 0; i < 1000 && used() != 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(used(), 0);
  client().post("/translate", to_text(request("ana")), "application/json", key + accept);
  for (int i = 0; i < 1000 && used() == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(used(), 3);
}

TEST_F(LibreTranslateTest, FaultyRequestsAreRefused) {
  start({.max_texts = 2, .max_characters = 50, .max_alternatives = 2});
  const auto expect = [&](const Json& body, int status, const std::string& message) {
    const auto answer = post("/translate", body);
    EXPECT_EQ(answer.status, status) << body;
    EXPECT_THAT(body_of(answer)["error"].get<std::string>(), HasSubstr(message)) << body;
  };
  expect(Json::object(), 400, "missing q parameter");
  expect({{"q", "ana"}}, 400, "missing source parameter");
  expect({{"q", "ana"}, {"source", "xx"}}, 400, "missing target parameter");
  expect({{"q", 5}, {"source", "xx"}, {"target", "yy"}}, 400, "q: wanted a text");
  expect({{"q", {1}}, {"source", "xx"}, {"target", "yy"}}, 400, "q: wanted");
  expect({{"q", "ana"}, {"source", "zz"}, {"target", "yy"}}, 400, "source language is not supported");
  expect({{"q", "ana"}, {"source", "xx"}, {"target", "zz"}}, 400, "target language is not supported");
  expect({{"q", "ana"}, {"source", "yy"}, {"target", "xx"}}, 400, "no model from yy to xx");
  expect({{"q", "ana"}, {"source", "xx"}, {"target", "yy"}, {"format", "pdf"}}, 400, "format");
  expect({{"q", "ana"}, {"source", "xx"}, {"target", "yy"}, {"alternatives", 3}}, 400, "0 to 2 (--max-alternatives)");
  for (const auto& glossary : {Json(3), Json("x"), Json("[]")})
    expect({{"q", "ana"}, {"source", "xx"}, {"target", "yy"}, {"glossary", glossary}}, 400,
           "glossary: wanted an object");
  expect({{"q", "ana"}, {"source", "xx"}, {"target", "yy-\nX: y"}}, 400, "target language is not supported");
  expect({{"q", "ana"}, {"source", "xx"}, {"target", "yy-x\"; y=\"z"}}, 400, "target language is not supported");
  expect(request(""), 400, "missing q parameter");
  expect(request(Json::array()), 400, "missing q parameter");
  expect({{"q", Json::array()}, {"source", "auto"}, {"target", "yy"}}, 400, "missing q parameter");
  // LibreTranslate's own words.
  expect(request(Json::array({"a", "b", "c"})), 400, "Invalid request: request (3) exceeds text limit (2)");
  expect(request(std::string(51, 'a')), 400, "Invalid request: request (51) exceeds text limit (50)");
  for (const std::string body : {"", "{", "[]", "{\"q\":\"a\",\"q\":\"b\"}", "{\"q\":\"\\u0000\"}", "\xff", "nul"})
    EXPECT_EQ(client().post("/translate", body).status, 400) << body;
  EXPECT_EQ(client().post("/translate", "a", "text/xml").status, 415);
  EXPECT_EQ(client().post("/translate", "a=%g", "application/x-www-form-urlencoded").status, 400);
  EXPECT_EQ(client().get("/translate").status, 405);
  EXPECT_EQ(client().get("/translate").header("allow"), "POST");
  EXPECT_THAT(client().get("/translate").body, HasSubstr("wanted POST"));
  EXPECT_THAT(client().post("/translate", std::string(2 << 20, ' ')).body, HasSubstr("1024 KiB (--max-body-kib)"));
  const std::string stream = "Accept: text/event-stream\r\n";
  EXPECT_THAT(post("/translate", request({"ana", "emi"}), stream).body, HasSubstr("q: wanted one text in a stream"));
  auto html = request("ana");
  html["format"] = "html";
  EXPECT_THAT(post("/translate", html, stream).body, HasSubstr("format: wanted text in a stream"));
  EXPECT_EQ(client().get("/nowhere").status, 404);
  EXPECT_EQ(client().post("/suggest", "q=a", "application/x-www-form-urlencoded").status, 403);
}

TEST_F(LibreTranslateTest, ADeadlineThatPassesIsAnError) {
  start();
  const auto answer = post("/translate", request(std::string(20'000, 'a')), "Gloss-Deadline-Ms: 1\r\n");
  EXPECT_EQ(answer.status, 504);
  EXPECT_EQ(post("/translate", request("ana"), "Gloss-Deadline-Ms: x\r\n").status, 400);
  EXPECT_THAT(client().get("/metrics").body, HasSubstr("gloss_deadline_exceeded_total 1"));
}

TEST_F(LibreTranslateTest, ADeadlineIsAReasonableNumber) {
  start({.deadline_ms = 0});
  EXPECT_EQ(post("/translate", request("ana"), "Gloss-Deadline-Ms: 60000\r\n").status, 200);
  for (const char* wrong : {"0", "-1", "x", "1000000001", "9223372036854775807"})
    EXPECT_EQ(post("/translate", request("ana"), "Gloss-Deadline-Ms: " + std::string(wrong) + "\r\n").status, 400);
}

TEST_F(LibreTranslateTest, NamesLanguagesModelsAndSettings) {
  start();
  EXPECT_EQ(body_of(client().get("/languages")), Json::parse(R"([{"code":"xx","name":"xx","targets":["yy"]},
                                                               {"code":"yy","name":"yy","targets":[]}])"));
  EXPECT_EQ(body_of(client().get("/health")), Json({{"status", "ok"}}));
  EXPECT_EQ(body_of(client().get("/v1/models"))[0]["sha256"], sha256_of_file(kServedModel));
  EXPECT_EQ(body_of(client().get("/frontend/settings"))["keyRequired"], false);
  EXPECT_EQ(body_of(client().get("/frontend/settings"))["maxAlternatives"], 8);
  const TestServer two([](auto& config) { config.models = {{"en", "fr", kServedModel}, {"en", "de", kServedModel}}; });
  EXPECT_EQ(two.send("GET", "/frontend/settings").json()["language"]["target"]["code"], "fr") << "of the first model";
}

TEST_F(LibreTranslateTest, DemandsKeys) {
  TemporaryFolder folder;
  std::ofstream(folder / "keys") << sha256("secret") << " anna requests=3\n";
  start({.api_keys = (folder / "keys").string()});
  EXPECT_EQ(post("/translate", request("ana")).status, 403);
  EXPECT_EQ(post("/translate", request("ana"), "Authorization: Bearer wrong\r\n").status, 403);
  auto with_key = request("ana");
  with_key["api_key"] = "secret";
  EXPECT_EQ(post("/translate", with_key).status, 200);
  EXPECT_EQ(post("/translate", request("ana"), "Authorization: Bearer secret\r\n").status, 200);
  EXPECT_EQ(post("/translate", request("ana"), "Authorization: deepl-auth-key  secret:fx\r\n").status, 200);
  const auto slow = post("/translate", with_key);
  EXPECT_EQ(slow.status, 429);
  EXPECT_NE(slow.header("retry-after"), "");
  EXPECT_EQ(client().get("/metrics").status, 403);
  EXPECT_EQ(client().get("/metrics", "Authorization: Bearer secret\r\n").status, 200);
  EXPECT_EQ(client().get("/health").status, 200);
}

TEST_F(LibreTranslateTest, MetricsHaveNoTextOfClients) {
  start();
  post("/translate", request("ana baka"));
  client().get("/nowhere-secret");
  const auto text = client().get("/metrics").body;
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(http_server_request_duration_seconds_count{http_request_method="POST",http_route="/translate",http_response_status_code="200"} 1)"));
  EXPECT_THAT(text, testing::Not(HasSubstr("ana")));
  EXPECT_THAT(text, testing::Not(HasSubstr("secret")));
}

TEST_F(LibreTranslateTest, CountsTheBytesOfBodiesOnly) {
  start();
  const auto sent = request("ana baka").dump();
  const auto answer = post("/translate", request("ana baka"));
  const auto text = client().get("/metrics").body;
  const std::string labels = R"({http_request_method="POST",http_route="/translate",http_response_status_code="200"} )";
  EXPECT_THAT(text,
              HasSubstr("\nhttp_server_request_body_size_bytes_sum" + labels + std::to_string(sent.size()) + '\n'));
  EXPECT_THAT(text, HasSubstr("\nhttp_server_response_body_size_bytes_sum" + labels +
                              std::to_string(answer.body.size()) + '\n'));
}

TEST_F(LibreTranslateTest, CountsCharactersOfAnswersOnly) {
  start();
  post("/translate", request("ana baka"));
  post("/translate", {{"q", "ana"}, {"source", "xx"}, {"target", "zz"}});
  const auto text = client().get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("\ngloss_source_characters_total 8\n"));
  EXPECT_THAT(text, HasSubstr("\ngloss_queue_wait_seconds_count 1\n"));
  EXPECT_THAT(text, HasSubstr("\ngloss_model_info{name=\"tiny_model.safetensors\",sha256=\"" +
                              sha256_of_file(kServedModel) + "\",source=\"xx\",target=\"yy\"} 1\n"));
}

TEST_F(LibreTranslateTest, TheCacheGivesWhatTheModelGave) {
  start({.cache_mib = 1});
  const auto first = post("/translate", request("ana baka")), again = post("/translate", request("ana baka"));
  EXPECT_EQ(body_of(first)["translatedText"], translated("ana baka"));
  EXPECT_EQ(again.body, first.body);
  EXPECT_THAT(client().get("/metrics").body, HasSubstr("\ngloss_cache_hits_total 1\n"));
  auto with_glossary = request("ana baka");
  with_glossary["glossary"] = {{"ana", "do"}};
  EXPECT_NE(post("/translate", with_glossary).body, first.body);
}

TEST_F(LibreTranslateTest, PagesThatAreNamedReadAnswersAndErrors) {
  start({.allow_origin = "https://a.example"});
  const std::string origin = "Origin: https://a.example\r\n";
  EXPECT_EQ(client().get("/languages", origin).header("access-control-allow-origin"), "https://a.example");
  EXPECT_EQ(client().get("/nowhere", origin).header("access-control-allow-origin"), "https://a.example");
  EXPECT_EQ(client().get("/languages").header("access-control-allow-origin"), "");
}

TEST_F(LibreTranslateTest, ManyClientsGetTheAnswersOfOne) {
  start();
  std::vector<std::thread> threads;
  std::array<std::string, 16> answers;
  for (std::size_t i = 0; i < answers.size(); ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round)
        answers.at(i) = post("/translate", request("ana baka dalo " + std::string(i % 4, 'e'))).body;
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_EQ(Json::parse(answers.at(i))["translatedText"], translated("ana baka dalo " + std::string(i % 4, 'e')));
}

TEST_F(LibreTranslateTest, ReloadsKeysWhileItRuns) {
  TemporaryFolder folder;
  std::ofstream(folder / "keys") << sha256("old") << " anna\n";
  start({.api_keys = (folder / "keys").string()});
  std::ofstream(folder / "keys") << sha256("new") << " anna\n";
  server_->reload();
  EXPECT_EQ(post("/translate", request("ana"), "Authorization: Bearer old\r\n").status, 403);
  EXPECT_EQ(post("/translate", request("ana"), "Authorization: Bearer new\r\n").status, 200);
  std::ofstream(folder / "keys") << "nonsense\n";
  server_->reload();
  EXPECT_EQ(post("/translate", request("ana"), "Authorization: Bearer new\r\n").status, 200)
      << "faulty files change nothing";
}

TEST_F(LibreTranslateTest, OtherMachinesNeedKeys) {
  for (const auto* address : {"0.0.0.0:0", "127.0.0.1:0, 0.0.0.0:0"})
    EXPECT_THROW(start({.listen = address}), UsageError) << address;
  start({.listen = "0.0.0.0:0", .no_auth = true});
  EXPECT_EQ(client().get("/health", "X: y\r\n").status, 200);
}

TEST(ParseModelSource, ReadsLanguages) {
  const auto expect = [](const std::string& text, const std::string& source, const std::string& target) {
    const auto parsed = parse_model_source(text);
    EXPECT_EQ(parsed.source, source) << text;
    EXPECT_EQ(parsed.target, target) << text;
    EXPECT_EQ(parsed.path, source.empty() ? text : "a=b/c") << text;
  };
  expect("en-de=a=b/c", "en", "de");
  expect("pt-BR-de=a=b/c", "pt-BR", "de");
  expect("zh-Hans-en=a=b/c", "zh-Hans", "en");
  expect("en-zh-Hans=a=b/c", "en", "zh-Hans");
  expect("runs/en-de", "", "");
  EXPECT_THROW(parse_model_source("english=runs/x"), UsageError);
  EXPECT_THROW(parse_model_source("en-de="), UsageError);
}

}  // namespace
}  // namespace gloss
