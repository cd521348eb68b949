// Requests that clients of LibreTranslate and DeepL have sent (scripts/check_serving_clients.py) are sent again.

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/service/language_detector.h"
#include "tests/serve/api/test_server.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

Json read_golden(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return parse_json(text.str());
}

/// Ids of this server for those of the recorded one: "ID1", "ID2", ...
class Ids {
 public:
  std::string in(std::string text) const {
    for (auto name = ids_.rbegin(); name != ids_.rend(); ++name)
      for (auto at = text.find(name->first); at != text.npos; at = text.find(name->first, at + 1))
        text.replace(at, name->first.size(), name->second);
    return text;
  }
  /// Learns the ids of an answer, and returns it with those that were recorded.
  Json recorded(const Json& answer, const Json& wanted) {
    if (answer.is_string() && wanted.is_string()) {
      static const std::regex id("ID[0-9]+"), uuid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
          time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
      const auto text = answer.get<std::string>(), other = wanted.get<std::string>();
      if (other == "TIME" && std::regex_match(text, time)) return wanted;
      if (std::regex_match(other, id) && std::regex_match(text, uuid) &&
          ids_.try_emplace(other, text).first->second == text)
        return wanted;
    }
    if (answer.type() != wanted.type() || answer.size() != wanted.size()) return answer;
    auto result = answer;
    if (answer.is_array())
      for (std::size_t i = 0; i < answer.size(); ++i) result[i] = recorded(answer[i], wanted[i]);
    if (answer.is_object())
      for (const auto& [name, value] : answer.items())
        if (wanted.contains(name)) result[name] = recorded(value, wanted[name]);
    return result;
  }

 private:
  std::map<std::string, std::string> ids_;
};

class GoldenRequests : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenRequests, AreAnsweredAsRecorded) {
  const auto golden = read_golden(std::string(GLOSS_SERVE_FOLDER "/golden/") + GetParam() + ".json");
  const TemporaryFolder folder;
  const auto keys = folder / "keys";
  std::ofstream(keys) << key_line("full-key") << key_line("small-key", "characters=20");
  const TestServer server([&](ServeConfig& config) { config.settings.api_keys = keys.string(); });
  Ids ids;
  for (const auto& exchange : golden.at("exchanges")) {
    const auto request = ids.in(exchange.at("request"));
    // The use of characters counts the requests before, those that are left out too.
    if (!has_language_detector() && (exchange.at("needs_detector").get<bool>() || request == "GET /v2/usage")) continue;
    SCOPED_TRACE(golden.at("client").get<std::string>() + ": " + request + "\n" +
                 exchange.at("body").get<std::string>());
    HeaderFields headers;
    for (const auto& [name, value] : exchange.at("headers").items()) headers.emplace_back(name, value);
    const auto space = request.find(' ');
    const auto answer =
        server.send(request.substr(0, space), request.substr(space + 1), ids.in(exchange.at("body")), headers);
    EXPECT_EQ(answer.status, exchange.at("status").get<int>());
    const auto& wanted = exchange.at("answer");
    const auto found = answer.type == "application/json" ? answer.json() : Json(answer.body);
    EXPECT_EQ(ids.recorded(found, wanted), wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(Clients, GoldenRequests,
                         ::testing::Values("libretranslatepy", "deepl", "deep-translator", "weblate"));

}  // namespace
}  // namespace gloss
