#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/api/api_routes.h"
#include "serve/http/api_error.h"
#include "serve/service/glossary_store.h"
#include "serve/service/language_detector.h"
#include "tests/serve/api/test_server.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;

HeaderFields key(const std::string& name) { return {{"Authorization", "DeepL-Auth-Key " + name}}; }

void serve_as(ServeConfig& config, const std::vector<std::pair<std::string, std::string>>& directions) {
  const auto path = config.models.front().path;
  config.models.clear();
  for (const auto& [source, target] : directions) config.models.push_back({source, target, path});
}

std::string text_of(const TestServer::Answer& answer) {
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer.status == 200 ? answer.json()["translations"][0]["text"].get<std::string>() : "";
}

/// Returns the codes of a list of languages.
std::string codes(const TestServer::Answer& answer, const char* name = "language") {
  std::string text;
  const auto list = answer.json();
  for (const auto& each : list) text += (text.empty() ? "" : " ") + each[name].get<std::string>();
  return text;
}

TEST(DeepL, TakesJsonAndForms) {
  const TestServer server;
  const auto wanted = text_of(
      server.send("POST", "/v2/translate", R"({"text":["lemu ana","ana"],"source_lang":"EN","target_lang":"DE"})"));
  EXPECT_FALSE(wanted.empty());
  for (const auto* const body :
       {R"({"text":"lemu ana","source_lang":"en","target_lang":"de","split_sentences":1,"context":"x","any":{}})",
        "text=lemu+ana&text=ana&source_lang=EN&target_lang=DE&formality=prefer_less",
        "text%5B%5D=lemu%20ana&source_lang=EN&target_lang=DE"})
    EXPECT_EQ(text_of(server.send("POST", "/v2/translate", body)), wanted) << body;
  EXPECT_EQ(text_of(server.send("GET", "/v2/translate?text=lemu%20ana&source_lang=EN&target_lang=DE")), wanted);
  const auto answer = server.send("POST", "/v2/translate", "text=a&text=b&source_lang=EN&target_lang=DE").json();
  EXPECT_EQ(answer["translations"].size(), 2);
  EXPECT_EQ(answer["translations"][1]["detected_source_language"], "EN");
  EXPECT_FALSE(answer["translations"][1].contains("billed_characters"));
  EXPECT_FALSE(answer["translations"][1].contains("tag_handling_version"));
  const auto version = [&](const std::string& fields) {
    const auto body = "text=a&source_lang=EN&target_lang=DE&tag_handling=xml" + fields;
    return server.send("POST", "/v2/translate", body).json()["translations"][0]["tag_handling_version"];
  };
  EXPECT_EQ(version(""), "v1");
  EXPECT_EQ(version("&tag_handling_version=v2"), "v2");
}

TEST(DeepL, RefusesWhatItCannotDo) {
  const TestServer server;
  const std::string start = "text=ana&source_lang=EN&target_lang=DE&";
  for (const auto& body : std::vector<std::string>{"",
                                                   "text=ana",
                                                   "target_lang=DE",
                                                   "text=ana&source_lang=EN&target_lang=FR",
                                                   "text=%FF&target_lang=DE",
                                                   "text=ana&source_lang=XX&target_lang=DE",
                                                   start + "formality=more",
                                                   start + "formality=x",
                                                   start + "tag_handling=x",
                                                   start + "split_sentences=x",
                                                   start + "model_type=x",
                                                   start + "style_id=x",
                                                   start + "translation_memory_id=x",
                                                   start + "custom_instructions=x",
                                                   start + "outline_detection=x&tag_handling=xml",
                                                   start + "preserve_formatting=x",
                                                   "text=ana&target_lang=DE&glossary_id=x",
                                                   R"({"text":1,"target_lang":"DE"})",
                                                   R"({"text":[["a"]],"target_lang":"DE"})",
                                                   R"({"text":"a")"}) {
    const auto answer = server.send("POST", "/v2/translate", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_TRUE(answer.json().contains("message")) << body << answer.body;
  }
  const auto message = [&](const TestServer::Answer& answer) {
    return std::to_string(answer.status) + " " + answer.json().value("message", "no message: " + answer.body);
  };
  const auto expect = [&](const std::string& body, const std::string& text) {
    EXPECT_THAT(message(server.send("POST", "/v2/translate", body)), HasSubstr(text)) << body;
  };
  expect("text=ana&source_lang=EN&target_lang=FR", "supported: FR; see /v2/languages?type=target");
  expect("target_lang=DE", "missing text");
  expect(R"({"text":[],"target_lang":"DE"})", "at least one");
  expect(R"({"target_lang":"DE","text":)" + to_text(Json(std::vector<std::string>(51, "a"))) + "}", "got 51");
  EXPECT_EQ(text_of(server.send("POST", "/v2/translate", "text=ana&source_lang=EN&target_lang=EN-US")), "ana");
  EXPECT_THAT(message(server.send("POST", "/v2/translate", start + "glossary_id=x")), HasSubstr("404 Gloss"));
  EXPECT_THAT(message(server.send("POST", "/v2/translate", std::string(2 << 20, ' '))), HasSubstr("413 "));
  EXPECT_THAT(message(server.send("POST", "/v2/translate", "text=" + std::string(200'000, 'a') + "&target_lang=DE")),
              HasSubstr("413 "));
  EXPECT_THAT(message(server.send("DELETE", "/v2/translate")), HasSubstr("405 "));
  for (const auto* const path : {"/v2/write/rephrase", "/v3/glossaries/", "/v2/glossaries/a/b", "/v3/glossaries/a"})
    EXPECT_THAT(message(server.send("GET", path)), HasSubstr("404 ")) << path;
}

TEST(DeepL, NamesLanguagesAsItDoes) {
  const TestServer server([](auto& config) {
    serve_as(config, {{"de", "en"}, {"en-US", "zh-CN"}, {"en", "pt-BR"}, {"en", "no"}, {"de", "pt"}});
  });
  EXPECT_EQ(codes(server.send("GET", "/v2/languages")), "DE EN");
  EXPECT_EQ(codes(server.send("POST", "/v2/languages", "type=target")), "EN-GB EN-US NB PT-BR PT-PT ZH-HANS");
  EXPECT_EQ(codes(server.send("GET", "/v3/languages?resource=translate_text"), "lang"),
            "de en en-GB en-US nb pt-BR pt-PT zh-Hans");
  EXPECT_EQ(codes(server.send("GET", "/v3/languages?resource=glossary"), "lang"), "de en nb pt zh");
  const auto status = [&](const std::string& source, const std::string& target) {
    return server.send("GET", "/v2/translate?text=ana&source_lang=" + source + "&target_lang=" + target).status;
  };
  EXPECT_EQ(status("DE", "EN-US"), 200);
  EXPECT_EQ(status("DE", "EN"), 200);
  EXPECT_EQ(status("EN", "ZH-HANS"), 200);
  EXPECT_EQ(status("EN", "zh"), 200);
  EXPECT_EQ(status("EN", "ZH-HANT"), 400);
  EXPECT_EQ(status("EN", "PT-BR"), 200);
  EXPECT_EQ(status("EN", "PT-PT"), 400);
  EXPECT_EQ(status("DE", "PT-PT"), 200);
  EXPECT_EQ(status("EN", "NB"), 200);
  EXPECT_EQ(server.send("GET", "/v2/glossary-language-pairs").json()["supported_languages"].size(), 5);
}

TEST(DeepL, DetectsTheLanguageOfEachText) {
  if (!has_language_detector()) GTEST_SKIP() << "needs CLD2";
  const TestServer server([](auto& config) { serve_as(config, {{"en", "fr"}, {"de", "fr"}}); });
  const auto answer = server.send("POST", "/v2/translate",
                                  "target_lang=FR&text=The weather is very fine today, is it not&text="
                                  "Das Wetter ist heute wirklich sehr schön, nicht wahr&text=This is my own house");
  ASSERT_EQ(answer.status, 200) << answer.body;
  std::string found;
  const auto json = answer.json();
  for (const auto& each : json["translations"]) found += each["detected_source_language"].get<std::string>();
  EXPECT_EQ(found, "ENDEEN");
}

TEST(DeepL, CountsCharactersOfEachKey) {
  const TemporaryFolder folder;
  const auto keys = folder / "keys";
  std::ofstream(keys) << key_line("large") << key_line("small", "characters=10") << key_line("slow", "requests=1");
  const TestServer server([&](auto& config) { config.settings.api_keys = keys.string(); });
  const auto translate = [&](const std::string& name, const std::string& text) {
    return server.send("POST", "/v2/translate", "source_lang=EN&target_lang=DE&" + text, key(name)).status;
  };
  const auto usage = [&](const std::string& name) { return server.send("GET", "/v2/usage", "", key(name)).json(); };
  EXPECT_EQ(translate("small:fx", "text=h%C3%A4h%C3%A4&text=a"), 200);
  EXPECT_EQ(usage("small"), Json::parse(R"({"character_count":5,"character_limit":10})"));
  EXPECT_EQ(translate("small", "text=<a&tag_handling=xml"), 400) << "costs nothing";
  EXPECT_EQ(translate("small", "text=123456"), 456);
  EXPECT_EQ(usage("small")["character_count"], 5);
  EXPECT_EQ(server.send("POST", "/translate", "q=12345&source=en&target=de&api_key=small").status, 200);
  EXPECT_EQ(usage("small")["character_count"], 10);
  EXPECT_EQ(server.send("POST", "/translate", "q=1&source=en&target=de&api_key=small").status, 456);
  EXPECT_EQ(usage("large"), Json::parse(R"({"character_count":0,"character_limit":1000000000000})"));
  EXPECT_EQ(translate("slow", "text=a"), 200);
  EXPECT_EQ(translate("slow", "text=a"), 429);
  EXPECT_EQ(translate("none", "text=a"), 403);
  EXPECT_EQ(server.send("GET", "/v2/usage").status, 403);
}

TEST(DeepLGlossaries, BelongToTheirKeys) {
  const TemporaryFolder folder;
  const auto keys = folder / "keys";
  std::ofstream(keys) << key_line("one") << key_line("two");
  const TestServer server([&](auto& config) { config.settings.api_keys = keys.string(); });
  const auto made = server.send("POST", "/v2/glossaries",
                                R"({"name":"a","source_lang":"EN","target_lang":"DE","entries":"ana\temi",)"
                                R"("entries_format":"tsv"})",
                                key("one"));
  ASSERT_EQ(made.status, 201) << made.body;
  const auto id = made.json()["glossary_id"].get<std::string>();
  EXPECT_EQ(server.send("GET", "/v2/glossaries/" + id + "/entries", "", key("one")).body, "ana\temi");
  EXPECT_EQ(server.send("HEAD", "/v2/glossaries/" + id, "", key("one")).status, 200);
  const auto text = "text=ana&source_lang=EN&target_lang=DE&glossary_id=" + id;
  EXPECT_THAT(text_of(server.send("POST", "/v2/translate", text, key("one"))), HasSubstr("emi"));
  EXPECT_EQ(server.send("POST", "/v2/translate", text, key("two")).status, 404);
  EXPECT_EQ(server.send("POST", "/v2/translate", "text=ana&target_lang=DE&glossary_id=" + id, key("one")).status, 400);
  EXPECT_EQ(server.send("GET", "/v2/glossaries", "", key("two")).json()["glossaries"].size(), 0);
  for (const auto* const path : {"/v2/glossaries/", "/v3/glossaries/"}) {
    EXPECT_EQ(server.send("GET", path + id, "", key("two")).status, 404);
    EXPECT_EQ(server.send("DELETE", path + id, "", key("two")).status, 404);
  }
  EXPECT_EQ(server.send("DELETE", "/v2/glossaries/" + id, "", key("one")).status, 204);
  EXPECT_EQ(server.send("DELETE", "/v2/glossaries/" + id, "", key("one")).status, 404);
}

TEST(DeepLGlossaries, RefuseFaultyEntries) {
  const TestServer server;
  const auto made = [&](const std::string& fields) {
    return server.send("POST", "/v2/glossaries", "name=a&source_lang=en&target_lang=de&" + fields).status;
  };
  EXPECT_EQ(made("entries_format=csv&entries=%22ana%22,emi%0D%0A%0D%0Anipa,dalo,EN,DE"), 201);
  for (const auto* const fields :
       {"", "entries=ana%09emi", "entries_format=tsv", "entries_format=tsv&entries=ana",
        "entries_format=tsv&entries=%09a", "entries_format=tsv&entries=a%09b%09c", "entries_format=csv&entries=a,b,c",
        "entries_format=xls&entries=a%09b", "entries_format=tsv&entries=a%09b%0Aa%09c",
        "entries_format=tsv&entries=a%09b%01", "entries_format=tsv&entries=a%09%E6%BC%A2",
        "entries_format=tsv&entries=a%09b&target_lang=fr", "entries_format=tsv&entries=a%09b&target_lang=en",
        "entries_format=tsv&entries=a%09b&name="})
    EXPECT_EQ(made(fields), 400) << fields;
  const auto expect = [&](const std::string& entries, const std::string& text) {
    const auto answer = server.send("POST", "/v2/glossaries",
                                    "name=a&source_lang=en&target_lang=de&entries_format=tsv&entries=" + entries);
    EXPECT_THAT(answer.json()["message"].get<std::string>(), HasSubstr(text)) << entries;
  };
  expect("ana%09emi%0Aana", "row 2: wanted a phrase, a tab and its translation");
  expect("ana%09emi%0Aana%09a", "row 2: wanted a phrase that no row before has");
  std::string many = "entries_format=tsv&entries=";
  for (int i = 0; i <= 10'000; ++i) many += std::to_string(i) + "%09emi%0A";
  EXPECT_EQ(made(many), 413);
  for (const auto* const body :
       {R"({"name":"a","dictionaries":1})", R"({"name":"a","dictionaries":[1]})", R"({"name":"a","dictionaries":[{}]})",
        R"({"name":"a","dictionaries":[{"source_lang":1,"target_lang":"de"}]})", R"({"dictionaries":[]})"})
    EXPECT_EQ(server.send("POST", "/v3/glossaries", body).status, 400) << body;
}

TEST(DeepLGlossaries, AtMostFiveAreOfARequest) {
  const TestServer server;
  const auto id = server
                      .send("POST", "/v2/glossaries",
                            R"({"name":"a","source_lang":"EN","target_lang":"DE","entries":"ana\temi",)"
                            R"("entries_format":"tsv"})")
                      .json()["glossary_id"]
                      .get<std::string>();
  const auto status = [&](int count, const std::string& fields = {}) {
    std::string body = "text=ana&source_lang=EN&target_lang=DE" + fields;
    for (int i = 0; i < count; ++i) body += "&glossary_ids=" + id;
    return server.send("POST", "/v2/translate", body).status;
  };
  EXPECT_EQ(status(5), 200);
  EXPECT_EQ(status(6), 400);
  EXPECT_EQ(status(0, "&glossary_id=" + id), 200);
  EXPECT_EQ(status(1, "&glossary_id=" + id), 400);
}

TEST(DeepLGlossaries, ChangesAreNotLost) {
  GlossaryStore store;
  const StoredGlossary glossary{.name = "a", .dictionaries = {{"en", "de", {}}}};
  store.add("a", glossary);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i)
        store.change("a", glossary.id, [&](StoredGlossary& changed) {
          changed.dictionaries.front().entries[std::to_string(t) + ' ' + std::to_string(i)] = "b";
        });
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(store.find("a", glossary.id)->dictionaries.front().entries.size(), 200u);
  EXPECT_TRUE(store.remove("a", glossary.id));
  EXPECT_THROW(store.change("a", glossary.id, [](auto&) {}), ApiError);
  EXPECT_EQ(store.find("a", glossary.id), nullptr) << "a change does not bring it back";
}

TEST(DeepLGlossaries, HaveSeveralDirections) {
  const TestServer server([](auto& config) { serve_as(config, {{"en", "de"}, {"de", "en"}}); });
  const auto dictionary = [](const char* source, const char* target, const char* entries) {
    return Json{{"source_lang", source}, {"target_lang", target}, {"entries", entries}, {"entries_format", "tsv"}};
  };
  const auto path =
      "/v3/glossaries/" + server
                              .send("POST", "/v3/glossaries",
                                    to_text({{"name", "a"}, {"dictionaries", {dictionary("en", "de", "ana\temi")}}}))
                              .json()["glossary_id"]
                              .get<std::string>();
  const auto entries = [&](const std::string& languages) {
    const auto answer = server.send("GET", path + "/entries?" + languages);
    return answer.status == 200 ? answer.json()["dictionaries"][0]["entries"].get<std::string>() : "none";
  };
  const std::string forth = "source_lang=en&target_lang=de", back = "source_lang=de&target_lang=en";
  const Json patch{{"name", "b"},
                   {"dictionaries", {dictionary("en", "de", "nipa\tdalo"), dictionary("de", "en", "emi\tana")}}};
  EXPECT_EQ(server.send("PATCH", path, to_text(patch)).json()["name"], "b");
  EXPECT_EQ(entries(forth), "ana\temi\nnipa\tdalo");
  EXPECT_EQ(entries(back), "emi\tana");
  EXPECT_EQ(server.send("PUT", path + "/dictionaries", to_text(dictionary("en", "de", "lemu\tana"))).status, 200);
  EXPECT_EQ(entries(forth), "lemu\tana");
  EXPECT_EQ(server.send("DELETE", path + "/dictionaries?" + back).status, 204);
  EXPECT_EQ(server.send("DELETE", path + "/dictionaries?" + back).status, 404);
  EXPECT_EQ(entries(back), "none");
  EXPECT_EQ(server.send("GET", path).json()["dictionaries"].size(), 1u);
}

TEST(DeepLGlossaries, AreLimited) {
  GlossaryStore store;
  StoredGlossary glossary;
  for (std::size_t i = 0; i < GlossaryStore::kMaxGlossaries; ++i) store.add("a", StoredGlossary());
  EXPECT_THROW(store.add("a", glossary), ApiError);
  store.add("b", glossary);
  const auto lengthen = [](StoredGlossary& changed) {
    changed.dictionaries = {{"en", "de", {{"a", std::string(GlossaryStore::kMaxBytes, 'b')}}}};
  };
  EXPECT_THROW(store.change("b", glossary.id, lengthen), ApiError);
  EXPECT_TRUE(store.find("b", glossary.id)->dictionaries.empty());
  EXPECT_TRUE(store.remove("a", store.list("a").front()->id));
  EXPECT_FALSE(store.remove("c", glossary.id));
  EXPECT_EQ(store.list("c").size(), 0);
}

}  // namespace
}  // namespace gloss
