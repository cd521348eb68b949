#include <chrono>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/sha256.h"
#include "serve/access/api_keys.h"
#include "serve/access/origin_check.h"
#include "serve/access/rate_limit.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ApiKeysTest : public testing::Test {
 protected:
  ApiKeys read(const std::string& text) {
    std::ofstream(folder_ / "keys") << text;
    return ApiKeys::read(folder_ / "keys");
  }
  TemporaryFolder folder_;
};

TEST_F(ApiKeysTest, FindsKeysByTheirHashes) {
  const auto keys =
      read("# people\n\n" + sha256("one") + " anna\r\n" + sha256("two") + "  bob  requests=60 characters=500\n");
  ASSERT_NE(keys.find("one"), nullptr);
  EXPECT_EQ(keys.find("one")->name, "anna");
  EXPECT_EQ(keys.find("one")->requests_per_minute, 0);
  EXPECT_EQ(keys.find("two")->requests_per_minute, 60);
  EXPECT_EQ(keys.find("two")->characters, 500);
  for (const auto* key : {"", "On", "one ", "three"}) EXPECT_EQ(keys.find(key), nullptr) << key;
  EXPECT_EQ(keys.find(sha256("one")), nullptr) << "the hash is no key";
}

TEST_F(ApiKeysTest, RefusesLinesThatAreNoKeys) {
  const auto hash = sha256("one");
  for (const std::string& line : {std::string("one anna"), hash, hash + " anna limit=3", hash + " anna requests=0",
                                  hash + " anna requests=x", hash + " requests=3", hash.substr(1) + " anna"})
    EXPECT_THAT([&] { read("#\n" + line + "\n"); }, ThrowsMessage<DataError>(HasSubstr("line 2: wanted"))) << line;
  EXPECT_THROW(read(hash + " anna\n" + hash + " bob\n"), DataError);
  EXPECT_THROW(read(hash + " anna\n" + sha256("two") + " anna\n"), DataError);
  EXPECT_THROW(read("# nobody\n"), DataError);
}

TEST(RateLimitTest, AllowsSoManyAMinuteOfEachClient) {
  RateLimit limit;
  auto now = RateLimit::Clock::now();
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(limit.take("a", 6, now));
  EXPECT_EQ(limit.take("a", 6, now), 10);
  EXPECT_FALSE(limit.take("b", 6, now));
  EXPECT_EQ(limit.take("a", 6, now + seconds(9)), 1);
  EXPECT_FALSE(limit.take("a", 6, now + seconds(10)));
  EXPECT_TRUE(limit.take("a", 6, now + seconds(10)));
  now += seconds(1000);
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(limit.take("a", 6, now)) << "a rest counts for a minute at most";
  EXPECT_TRUE(limit.take("a", 6, now));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(limit.take("a", 0, now)) << "0 is no limit";
}

HttpRequest request(const std::string& host, const std::string& origin = {}) {
  HttpRequest made;
  made.headers = {{"host", host}};
  if (!origin.empty()) made.headers.emplace_back("origin", origin);
  return made;
}

TEST(OriginPolicyTest, ALoopbackServerAnswersItsOwnNamesAndPages) {
  const OriginPolicy policy{.checks_host = true, .hosts = {"box"}, .origins = {}};
  for (const auto* host : {"localhost", "LocalHost:5000", "127.0.0.1:5000", "[::1]:5000", "127.0.0.2", "box", "box:1"})
    EXPECT_EQ(policy.refusal(request(host)), "") << host;
  for (const auto* host : {"", "evil.com", "localhost.evil.com", "127.0.0.1.evil.com:5000", "[::2]", "boxer"})
    EXPECT_NE(policy.refusal(request(host)), "") << host;
  EXPECT_EQ(policy.refusal(request("localhost:5000", "http://localhost:5000")), "");
  for (const auto* origin : {"http://localhost:6000", "http://evil.com", "null", "localhost:5000"})
    EXPECT_NE(policy.refusal(request("localhost:5000", origin)), "") << origin;
  EXPECT_TRUE(policy.cors_fields(request("localhost", "http://evil.com")).empty());
}

TEST(OriginPolicyTest, PicturesOfOtherPagesAreNoRequests) {
  const OriginPolicy policy{.checks_host = true, .hosts = {}, .origins = {}};
  auto picture = request("localhost");
  picture.headers.emplace_back("sec-fetch-site", "cross-site");
  picture.headers.emplace_back("sec-fetch-dest", "image");
  EXPECT_NE(policy.refusal(picture), "");
  picture.headers.back().second = "document";  // a link
  EXPECT_EQ(policy.refusal(picture), "");
}

TEST(OriginPolicyTest, PagesThatAreNamedMayUseIt) {
  const OriginPolicy policy{.checks_host = true, .hosts = {}, .origins = {"https://a.org"}};
  EXPECT_EQ(policy.refusal(request("localhost", "https://a.org")), "");
  EXPECT_NE(policy.refusal(request("localhost", "https://a.org.evil.com")), "");
  EXPECT_EQ(policy.cors_fields(request("localhost", "https://a.org")).front().second, "https://a.org");
  const OriginPolicy all{.checks_host = false, .hosts = {}, .origins = {"*"}};
  EXPECT_EQ(all.refusal(request("any", "https://b.org")), "");
  EXPECT_EQ(all.cors_fields(request("any", "https://b.org")).front().second, "*");
}

}  // namespace
}  // namespace gloss
