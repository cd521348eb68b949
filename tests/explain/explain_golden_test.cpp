// Every number of the document against those that PyTorch computed (tests/golden/explanation.py).
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "explain/explain.h"
#include "explain/heads_report.h"

namespace gloss {
namespace {

constexpr double kTolerance = 1e-5;

Json read_golden() {
  std::ifstream file(std::string(GLOSS_GOLDEN_FOLDER) + "/explanation.json");
  return Json::parse(file);
}

ExplainedModel load(const std::string& name) {
  auto model = load_translation_model(std::string(GLOSS_GOLDEN_FOLDER) + "/" + name, at::kCPU);
  const auto decoding = model.config.decoding;
  return {name, std::move(model), decoding};
}

/// Compares what the golden document has with gloss's, and counts the numbers.
class Comparison {
 public:
  void compare(const Json& golden, const Json& own, const std::string& path) {
    if (golden.is_object() && golden.contains("shape")) return compare_array(golden, own, path);
    if (golden.is_object()) {
      for (const auto& [key, value] : golden.items()) {
        ASSERT_TRUE(own.is_object() && own.contains(key)) << path << " has no " << key;
        compare(value, own.at(key), path + "." + key);
      }
    } else if (golden.is_array()) {
      ASSERT_EQ(golden.size(), own.size()) << path;
      for (std::size_t i = 0; i < golden.size(); ++i) compare(golden[i], own[i], path + "[" + std::to_string(i) + "]");
    } else if (golden.is_number()) {
      compare_number(golden, own, path);
    } else {
      EXPECT_EQ(golden, own) << path;
    }
  }

  std::int64_t numbers() const { return numbers_; }

 private:
  void compare_array(const Json& golden, const Json& own, const std::string& path) {
    // A list of numbers may stand in place of an array.
    const auto& values = own.is_object() ? own.at("values") : own;
    if (own.is_object()) {
      ASSERT_EQ(golden.at("shape"), own.at("shape")) << path;
    }
    const auto every = golden.value("every", std::size_t{1});
    const auto& wanted = golden.at("values");
    ASSERT_EQ(wanted.size(), (values.size() + every - 1) / every) << path;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      compare_number(wanted[i], values[i * every], path + "[" + std::to_string(i * every) + "]");
  }

  void compare_number(const Json& golden, const Json& own, const std::string& path) {
    if (golden.is_null()) {
      EXPECT_TRUE(own.is_null()) << path;
      return;
    }
    ASSERT_TRUE(own.is_number()) << path << ": " << own;
    const auto wanted = golden.get<double>();
    EXPECT_NEAR(own.get<double>(), wanted, kTolerance * std::max(1.0, std::abs(wanted))) << path;
    ++numbers_;
  }

  std::int64_t numbers_ = 0;
};

/// The removals of a golden item by the names of the command line.
std::vector<std::string> without_of(const Json& item) {
  auto without = item.at("without").get<std::vector<std::string>>();
  for (const auto& word : item.at("hidden")) without.push_back("source." + std::to_string(word.get<int>()));
  return without;
}

TEST(ExplainGoldenTest, TheNumbersOfTheNetworkWithAndWithoutPartsArePyTorchs) {
  const auto golden = read_golden();
  const std::vector models{load(golden.at("models")[0].at("name")), load(golden.at("models")[1].at("name"))};
  Comparison comparison;
  for (const auto& item : golden.at("items")) {
    const auto without = without_of(item);
    const auto& model = models[item.at("model").get<std::size_t>()];
    const auto document = explain(std::span(&model, 1), {.sentences = {item.at("text")},
                                                         .target = item.at("target").at("text"),
                                                         .without = without,
                                                         .quick = !item.contains("interventions")});
    auto wanted = item;
    for (const auto* given : {"model", "without", "hidden"}) wanted.erase(given);
    const auto& own = document.at("items").back();
    EXPECT_EQ(own.at("without"), without);
    comparison.compare(wanted, own, to_text(item.at("without")) + to_text(item.at("hidden")));
  }
  EXPECT_GT(comparison.numbers(), 10'000);
}

TEST(ExplainGoldenTest, ASearchWithoutAPartScoresItsTokensAsThePassDoes) {
  const auto golden = read_golden();
  for (const auto& wanted : golden.at("models")) {
    for (const auto* part : {"decoder.0.cross.0", "decoder.1", "encoder.0.self", "positions", "source.0"}) {
      const std::vector models{load(wanted.at("name"))};
      const auto document = explain(models, {.sentences = {"lemu ana ratu"}, .without = {part}, .quick = true});
      const auto& target = document.at("items").at(1).at("target");
      double sum = 0;
      for (const auto& piece : target.at("pieces")) sum += piece.at("log_probability").get<double>();
      EXPECT_NEAR(sum, target.at("log_probability").get<double>(), 1e-3) << part;
    }
  }
}

TEST(ExplainGoldenTest, PositionsAreThoseOfPyTorch) {
  const auto golden = read_golden();
  for (const auto& wanted : golden.at("models")) {
    const std::vector models{load(wanted.at("name"))};
    const auto document = explain(models, {.sentences = {"ana"}, .quick = true});
    Comparison comparison;
    comparison.compare(wanted.at("positions"), document.at("models")[0].at("positions"), wanted.at("name"));
    EXPECT_GT(comparison.numbers(), 500);
  }
}

TEST(ExplainGoldenTest, HeadsAreRankedByTheLossThatPyTorchFindsWithoutThem) {
  const auto golden = read_golden();
  for (std::size_t m = 0; m < golden.at("models").size(); ++m) {
    const auto& wanted = golden.at("models")[m].at("heads_report");
    std::vector<std::string> sources, references;
    for (const auto& item : golden.at("items")) {
      if (item.at("model") != m || !without_of(item).empty()) continue;
      sources.push_back(item.at("text"));
      references.push_back(item.at("target").at("text"));
    }
    const auto report = heads_report(load(golden.at("models")[m].at("name")).model, sources, references);
    EXPECT_NEAR(report.loss, wanted.at("loss").get<double>(), kTolerance);
    const auto& names = wanted.at("parts").at("names");
    ASSERT_EQ(report.parts.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto found = std::ranges::find(report.parts, names[i].get<std::string>(), &PartLoss::part);
      ASSERT_NE(found, report.parts.end()) << names[i];
      EXPECT_NEAR(found->loss, wanted.at("parts").at("loss").at("values")[i].get<double>(), kTolerance) << names[i];
    }
    EXPECT_TRUE(std::ranges::is_sorted(report.parts, [](const auto& a, const auto& b) { return a.loss > b.loss; }));
  }
}

}  // namespace
}  // namespace gloss
