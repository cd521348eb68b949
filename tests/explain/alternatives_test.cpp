// The document of every alternative of the network: its numbers agree with each other, and sections that a network
// lacks are null.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/text/split.h"
#include "decoding/forced_scores.h"
#include "decoding/scorers/plain_scorer.h"
#include "explain/explain.h"
#include "explain/heads_report.h"
#include "explain/lens_item.h"
#include "explain/recorded_pass.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"
#include "translation/alignment.h"

namespace gloss {
namespace {

using testing::HasSubstr;

constexpr double kFloatTolerance = 2e-5;
const std::string kSourceLine = "ana nipa";

std::vector<double> values_of(const Json& array) { return array.at("values").get<std::vector<double>>(); }

/// Reads array[i][t][k].
double element(const Json& array, std::size_t i, std::size_t t, std::size_t k) {
  const auto& shape = array.at("shape");
  return array.at("values").at((i * shape[1].get<std::size_t>() + t) * shape[2].get<std::size_t>() + k).get<double>();
}

class AlternativesTest : public testing::TestWithParam<ModelConfig> {
 protected:
  static std::vector<ExplainedModel> untrained(const ModelConfig& config) {
    auto model = load_translation_model(std::string(GLOSS_GOLDEN_FOLDER) + "/tiny_model.safetensors", at::kCPU);
    model.file.config = model.config.model = config;
    model.file.model = LazyModel(small_model(at::kCPU, config, model.file.vocabularies));
    auto decoding = model.config.decoding;
    decoding.max_length = 8;
    std::vector<ExplainedModel> models;
    models.push_back({"untrained", std::move(model), decoding});
    return models;
  }
  Json item(const ExplainRequest& request) const { return explain(models_, request).at("items").back(); }
  Json forced(const std::vector<std::string>& without = {}, bool quick = true) const {
    return item({.sentences = {kSourceLine}, .target = "dumo kapi", .without = without, .quick = quick});
  }
  EncoderDecoder network() const { return models_.front().model.file.model.network(); }
  ModelConfig config() const { return GetParam(); }

  std::vector<ExplainedModel> models_ = untrained(GetParam());
};

TEST_P(AlternativesTest, EveryAttentionIsADistributionOverTheKeys) {
  const auto whole = forced();
  const auto S = whole.at("source").at("pieces").size(), T = whole.at("target").at("pieces").size();
  ASSERT_GT(T, 1u);
  const auto parts = attention_sublayers(config());
  ASSERT_EQ(whole.at("maps").size(), parts.size());
  for (std::size_t m = 0; m < parts.size(); ++m) {
    const auto& map = whole.at("maps")[m];
    EXPECT_EQ(map.at("part"), parts[m].name());
    const bool cross = parts[m].sublayer == Part::Sublayer::kCross;
    const auto queries = parts[m].side == Part::Side::kEncoder ? S : T, keys = cross ? S : queries;
    EXPECT_EQ(map.at("weights").at("shape"), Json({4, queries, keys}));
    EXPECT_EQ(map.at("norms").at("shape"), map.at("weights").at("shape"));
    const auto weights = values_of(map.at("weights"));
    for (std::size_t row = 0; row < 4 * queries; ++row) {
      double sum = 0;
      for (std::size_t key = 0; key < keys; ++key) sum += weights[row * keys + key];
      EXPECT_NEAR(sum, 1, kFloatTolerance) << map.at("part");
    }
  }
}

TEST_P(AlternativesTest, StagesNameFilesThatExist) {
  const auto whole = forced();
  for (const auto& stage : whole.at("stages"))
    for (const auto file : split_text(stage.at("file").get_ref<const std::string&>(), ',')) {
      const auto name = file.substr(file.find_first_not_of(' '));
      EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::path(GLOSS_SOURCE_FOLDER) / name)) << name;
    }
}

TEST_P(AlternativesTest, MasksAreThoseThatTheAttentionHas) {
  const auto whole = forced({"source.0"});
  const auto& masks = whole.at("masks");
  // Without a norm by the vector itself a weight may be too small for a float.
  const bool large_scores = config().norm_type == NormType::kBatch || config().norm_type == NormType::kNone;
  const auto attends = [&](bool has) { return has ? 1u : 0u; };  // encoder, decoder and cross-attention
  EXPECT_EQ(masks.size(), attends(config().is_transformer()) + attends(config().has_decoder_self_attention()) +
                              attends(config().has_cross_attention()));
  for (const auto& mask : masks) {
    const auto visible = values_of(mask.at("visible"));
    for (const auto& map : whole.at("maps")) {
      if (mask.at("name") != map.at("side").get<std::string>() + "." + map.at("kind").get<std::string>()) continue;
      const auto weights = values_of(map.at("weights"));
      for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] == 0 && large_scores) continue;
        EXPECT_EQ(weights[i] > 0, visible[i % visible.size()] > 0) << map.at("part") << " " << i;
      }
    }
  }
}

TEST_P(AlternativesTest, ContributionsAddUpToTheLogits) {
  const auto whole = forced();
  const auto& contributions = whole.at("contributions");
  EXPECT_EQ(contributions.is_null(), !config().is_transformer() || !config().residual);
  if (contributions.is_null()) return;
  const auto logits = values_of(contributions.at("logits")), values = values_of(contributions.at("values"));
  for (std::size_t t = 0; t < logits.size(); ++t) {
    double sum = 0;
    for (std::size_t i = t; i < values.size(); i += logits.size()) sum += values[i];
    EXPECT_NEAR(sum, logits[t], 1e-4 * std::max(1.0, std::abs(logits[t])));
  }
}

TEST_P(AlternativesTest, TheLensEndsWithThePredictionOfTheNetwork) {
  const auto whole = forced();
  const auto& lens = whole.at("lens");
  EXPECT_EQ(lens.is_null(), !config().is_transformer());
  if (lens.is_null()) return;
  const auto chosen = values_of(lens.at("chosen"));
  const auto& pieces = whole.at("target").at("pieces");
  const auto last = chosen.size() - pieces.size();
  for (std::size_t t = 0; t < pieces.size(); ++t)
    EXPECT_NEAR(chosen[last + t], pieces[t].at("log_probability").get<double>(), kFloatTolerance);
}

TEST_P(AlternativesTest, PositionsHaveViewsIfTheyAreAdded) {
  const auto document = explain(models_, {.sentences = {kSourceLine}, .quick = true});
  EXPECT_EQ(document.at("models")[0].at("positions").is_null(), !config().adds_positions());
  const auto positions = values_of(document.at("items")[0].at("embedding").at("source").at("positions"));
  EXPECT_EQ(std::ranges::all_of(positions, [](double value) { return value == 0; }), !config().adds_positions());
}

TEST_P(AlternativesTest, ASearchScoresItsTokensAsThePassDoesAlsoWithoutAWordOrAPart) {
  std::vector<std::vector<std::string>> variants{{}, {"source.0"}, {"tokens"}};
  for (const auto& part : layers_and_heads(config())) variants.push_back({part.name()});
  for (const auto& without : variants) {
    const auto target = item({.sentences = {kSourceLine}, .without = without, .quick = true}).at("target");
    double sum = 0;
    for (const auto& piece : target.at("pieces")) sum += piece.at("log_probability").get<double>();
    EXPECT_NEAR(sum, target.at("log_probability").get<double>(), 1e-3) << Json(without);
  }
}

TEST_P(AlternativesTest, ALineWithoutLettersIsCopiedAsInTranslating) {
  const auto copied = item({.sentences = {"..."}, .quick = true});
  EXPECT_EQ(copied.at("target").at("text"), "...");
  EXPECT_TRUE(copied.at("target").at("pieces").empty());
  EXPECT_TRUE(copied.at("beam").is_null());
  EXPECT_FALSE(copied.contains("maps"));
  EXPECT_TRUE(item({.sentences = {"..."}, .target = "dumo", .quick = true}).contains("maps"));
}

// In the interventions each row of a batch lacks something else.
TEST_P(AlternativesTest, InterventionsAreThePassesWithoutAWordOrAPart) {
  const auto whole = forced({}, /*quick=*/false);
  const auto& interventions = whole.at("interventions");
  std::vector<std::string> names;
  for (const auto& part : layers_and_heads(config())) names.push_back(part.name());
  EXPECT_EQ(interventions.at("parts").at("names"), Json(names));
  EXPECT_EQ(interventions.at("parts").at("texts").size(), names.size());
  const auto compare = [&](const std::string& part, const Json& log_probabilities, std::size_t row) {
    const auto without = forced({part});
    const auto& pieces = without.at("target").at("pieces");
    for (std::size_t t = 0; t < pieces.size(); ++t) {
      const auto ids = whole.at("candidates").at("ids")[t].get<std::vector<Id>>();
      const auto k = std::ranges::find(ids, pieces[t].at("id").get<Id>()) - ids.begin();
      EXPECT_NEAR(element(log_probabilities, row, t, static_cast<std::size_t>(k)),
                  pieces[t].at("log_probability").get<double>(), kFloatTolerance)
          << part;
    }
  };
  for (std::size_t w = 0; w < whole.at("source").at("words").size(); ++w)
    compare("source." + std::to_string(w), interventions.at("words").at("log_probabilities"), w);
  for (std::size_t p = 0; p < names.size(); ++p)
    compare(names[p], interventions.at("parts").at("log_probabilities"), p);
}

TEST_P(AlternativesTest, AHiddenPieceHasNoInfluence) {
  const SentenceIds one{{5, 6, 7, kEos}, {8, 9, kEos}}, other{{5, 10, 7, kEos}, {8, 9, kEos}};
  const std::vector<Removal> hidden{{.part = {}, .first = 1, .last = 2}};
  EXPECT_THAT(record_pass(network(), one, hidden).logits, SameAs(record_pass(network(), other, hidden).logits));
  EXPECT_FALSE(record_pass(network(), one).logits.equal(record_pass(network(), other).logits));
}

TEST_P(AlternativesTest, AttentionsAreThoseOfAnAlignment) {
  if (!config().has_cross_attention()) return;
  const SentenceIds sentence{{5, 6, 7, kEos}, {8, 9, 10}};
  const auto pass = record_pass(network(), sentence);
  const auto site = default_attention_site(config());
  const Part part{.kind = Part::Kind::kSublayer,
                  .side = Part::Side::kDecoder,
                  .layer = site.layer.value(),
                  .sublayer = Part::Sublayer::kCross};
  int taken = 0;
  forced_attention(PlainScorer(network(), 100), site, std::span(&sentence.source, 1), std::span(&sentence.target, 1), 1,
                   [&](std::size_t, const at::Tensor& weights) {
                     ++taken;
                     EXPECT_THAT(weights, AllClose(pass.attention.at(part.site()).weights.mean(0), 1e-6));
                   });
  EXPECT_EQ(taken, 1);
}

TEST_P(AlternativesTest, TheLensOfATrainingHasTheSameMaps) {
  const auto& [name, model, decoding] = models_.front();
  const auto look = lens_item(network(), config(), model.translator(), *model.source_tokenizer, *model.target_tokenizer,
                              kSourceLine, decoding);
  const auto whole = item({.sentences = {kSourceLine}, .quick = true});
  ASSERT_EQ(look.at("maps").size(), whole.at("maps").size());
  EXPECT_EQ(look.at("steps").size(), look.at("target").at("pieces").size());
}

TEST_P(AlternativesTest, HeadsAreRankedIfThereAreAny) {
  const std::vector<std::string> sources{kSourceLine}, references{"dumo kapi"};
  const auto parts = layers_and_heads(config());
  if (parts.empty()) {
    EXPECT_THROW(heads_report(models_.front().model, sources, references), UsageError);
    return;
  }
  const auto report = heads_report(models_.front().model, sources, references);
  EXPECT_EQ(report.parts.size(), parts.size());
  for (const auto& [part, loss] : report.parts) EXPECT_TRUE(std::isfinite(loss)) << part;
}

TEST_P(AlternativesTest, PartsThatTheNetworkLacksAreRefused) {
  std::vector<std::string> lacking{"decoder.2"};
  if (!config().adds_positions()) lacking.emplace_back("positions");
  if (!config().is_transformer()) lacking.emplace_back("encoder.0");
  for (const auto& part : lacking) {
    try {
      forced({part});
      FAIL() << part;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("wanted a part as " + example_parts(config()) + ", or a word"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, AlternativesTest, testing::ValuesIn(all_alternatives()),
                         [](const auto& each) { return std::to_string(each.index); });

}  // namespace

void PrintTo(const ModelConfig& config, std::ostream* out) { *out << describe(config); }

}  // namespace gloss
