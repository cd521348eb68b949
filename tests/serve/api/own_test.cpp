#include <atomic>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "common/files/sha256.h"
#include "serve/api/api_routes.h"
#include "tests/serve/server_fixture.h"
#include "tests/support/temporary_folder.h"
#include "translation/models/score_pairs.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Json body_of(const Answer& answer) { return Json::parse(answer.body, nullptr, false); }

class OwnTest : public ServerTest {
 protected:
  static Json request() { return {{"source", "xx"}, {"target", "yy"}}; }
  Answer score(const Json& pairs) {
    auto body = request();
    body["pairs"] = pairs;
    return post("/v1/score", body);
  }
  Answer alternatives(const std::string& q, const std::string& prefix) {
    auto body = request();
    body.update({{"q", q}, {"prefix", prefix}});
    return post("/v1/alternatives", body);
  }
};

TEST_F(OwnTest, ScoresAreThoseOfForcedDecoding) {
  start();
  const auto answer =
      score({{{"source", "ana baka dalo"}, {"target", "emi  ratu."}}, {{"source", "ana"}, {"target", "mo"}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const std::vector<std::filesystem::path> files{kServedModel};
  const PairScorer scorer(load_translation_ensemble(files, at::kCPU), {});
  const auto expected = scorer.score({.sources = {"ana baka dalo", "ana"}, .references = {"emi  ratu.", "mo"}});
  const auto pairs = body_of(answer)["pairs"];
  ASSERT_EQ(pairs.size(), 2U);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& tokens = expected[i].forced.tokens;  // and the end of the sentence
    double sum = 0, words = 0;
    for (std::size_t t = 0; t + 1 < tokens.size(); ++t) sum += tokens[t];
    for (const auto& word : pairs[i]["words"]) words += std::log(word["confidence"].get<double>());
    EXPECT_NEAR(words, sum, 1e-4);
    EXPECT_NEAR(pairs[i]["confidence"].get<double>(), std::exp(sum / static_cast<double>(tokens.size() - 1)), 1e-6);
  }
  EXPECT_EQ(pairs[0]["source_words"], Json({"ana", "baka", "dalo"}));
  EXPECT_EQ(pairs[0]["words"][1]["text"], "ratu.");
  for (const auto& link : pairs[0]["alignment"]) {
    EXPECT_LT(link[0].get<int>(), 3);
    EXPECT_LT(link[1].get<int>(), 2);
  }
  EXPECT_FALSE(pairs[0]["alignment"].empty());
}

TEST_F(OwnTest, ScoresOfEmptyTargetsAreEmpty) {
  start();
  const auto pairs =
      body_of(score({{{"source", "ana"}, {"target", " "}}, {{"source", "ana"}, {"target", "mo"}}}))["pairs"];
  EXPECT_EQ(pairs[0]["words"], Json::array());
  EXPECT_EQ(pairs[1]["words"][0]["text"], "mo");
  EXPECT_EQ(body_of(score(Json::array()))["pairs"], Json::array());
}

TEST_F(OwnTest, FaultyPairsAreRefused) {
  start();
  EXPECT_EQ(score("ana").status, 400);
  EXPECT_EQ(score({{{"source", "ana"}}}).status, 400);
  EXPECT_EQ(score({{{"source", "ana"}, {"target", 1}}}).status, 400);
  EXPECT_EQ(score({{{"source", "ana"}, {"target", std::string("a\0", 2)}}}).status, 400);
  EXPECT_EQ(score(Json::array_t(65, {{"source", "ana"}, {"target", "mo"}})).status, 400);
  for (const auto* const target : {"zz", "xx"})
    EXPECT_EQ(post("/v1/score", {{"source", "xx"}, {"target", target}, {"pairs", Json::array()}}).status, 400);
}

TEST_F(OwnTest, TargetsAreNotLongerThanTranslations) {
  start();
  const std::string text(99'000, 'a');
  for (const auto& answer : {score({{{"source", "ana"}, {"target", text}}}), alternatives("ana", text),
                             alternatives("ana", text.substr(0, 3000))})
    EXPECT_EQ(answer.status, 413) << answer.body;
  EXPECT_THAT(score({{{"source", "ana"}, {"target", text}}}).body,
              HasSubstr("pairs: target: wanted at most 384 bytes"));
  EXPECT_THAT(alternatives("ana", text.substr(0, 300)).body, HasSubstr("prefix: wanted fewer than 24 tokens"));
  const auto answer = score({{{"source", "ana"}, {"target", "mo ba " + text.substr(0, 300)}}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  const auto words = body_of(answer)["pairs"][0]["words"];
  EXPECT_EQ(words[0]["text"], "mo");
  EXPECT_LT(words.back()["text"].get<std::string>().size(), 300);
}

TEST_F(OwnTest, CharactersCountForTheKey) {
  TemporaryFolder folder;
  std::ofstream(folder / "keys") << sha256("one") << " anna characters=20\n";
  start({.api_keys = (folder / "keys").string()});
  const std::string key = "Authorization: Bearer one\r\n";
  const auto ask = [&](const std::string& path, Json body) {
    body.update(request());
    return post(path, body, key).status;
  };
  EXPECT_EQ(ask("/v1/score", {{"pairs", {{{"source", "ana"}, {"target", "mo ana baka"}}}}}), 200);
  EXPECT_EQ(ask("/v1/alternatives", {{"q", "ana baka"}, {"prefix", "mo"}}), 200);
  EXPECT_EQ(ask("/v1/explanation", {{"q", "baka"}}), 200);
  EXPECT_EQ(body_of(client().get("/v2/usage", key))["character_count"], 15);
  for (const auto* const path : {"/v1/alternatives", "/v1/explanation", "/detect"})
    EXPECT_EQ(ask(path, {{"q", "123456"}}), 456) << path;
  EXPECT_EQ(ask("/v1/score", {{"pairs", {{{"source", "123456"}, {"target", "mo"}}}}}), 456);
  EXPECT_EQ(body_of(client().get("/v2/usage", key))["character_count"], 15);
}

TEST_F(OwnTest, AlternativesBeginAlikeAndDifferInTheNextWord) {
  start();
  for (const std::string prefix : {"", "ana", "ana  mo "}) {
    const auto answer = alternatives("ana baka dalo", prefix);
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto list = body_of(answer)["alternatives"];
    EXPECT_GT(list.size(), 1U);
    EXPECT_LE(list.size(), 8U);
    const auto begin = prefix.empty() ? "" : prefix == "ana" ? "ana " : "ana mo ";
    std::set<std::string> words;
    for (const auto& each : list) {
      EXPECT_THAT(each["text"].get<std::string>(), StartsWith(begin + each["word"].get<std::string>()));
      EXPECT_TRUE(words.insert(each["word"]).second);
    }
  }
  EXPECT_EQ(alternatives("", "").status, 400);
}

TEST_F(OwnTest, AnExplanationRunsItsOwnScriptOnly) {
  start();
  const auto answer = client().post("/v1/explanation", "q=ana+%3Cscript%3Ebaka&source=xx&target=yy",
                                    "application/x-www-form-urlencoded");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr("<title>ana &lt;script&gt;baka - gloss</title>"));
  EXPECT_THAT(answer.header("content-security-policy"), HasSubstr("script-src 'sha256-"));
  EXPECT_EQ(client().get("/v1/explanation?q=ana+%3Cscript%3Ebaka&source=xx&target=yy").body, answer.body);
  auto body = request();
  body["q"] = std::string(501, 'a');
  EXPECT_EQ(post("/v1/explanation", body).status, 413);
  body["q"] = std::string(500, 'a');
  std::atomic<int> refused = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      const auto one = post("/v1/explanation", body);
      if (one.status == 503 && one.header("retry-after") == "10") ++refused;
    });
  for (auto& thread : clients) thread.join();
  EXPECT_GT(refused, 0) << "none waits for another one";
}

TEST_F(OwnTest, ThePageIsServedWithAStrictPolicy) {
  start();
  const auto answer = client().get("/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.header("content-type"), StartsWith("text/html"));
  EXPECT_THAT(answer.body, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(answer.body, Not(HasSubstr("{{")));
  EXPECT_THAT(answer.header("content-security-policy"), HasSubstr("default-src 'none'"));
  EXPECT_THAT(answer.header("content-security-policy"), Not(HasSubstr("unsafe")));
  EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer.header("referrer-policy"), "same-origin");
}

}  // namespace
}  // namespace gloss
