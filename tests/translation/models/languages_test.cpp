// Models of several languages: translating, scoring, explaining and training them.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/mapped_file.h"
#include "data/parallel_corpus.h"
#include "explain/explain.h"
#include "explain/heads_report.h"
#include "run/config/initial_weights.h"
#include "tests/run/small_job.h"
#include "tests/translation/multilingual_model.h"
#include "translation/models/score_pairs.h"
#include "translation/models/translation_ensemble.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr Id kDeu = 4, kEng = 5, kFra = 6;

class LanguagesTest : public testing::Test {
 protected:
  TranslationEnsemble load(const MultilingualModel& model = {}) const {
    model.write(file_);
    return load_translation_ensemble(std::vector<std::filesystem::path>{file_}, at::kCPU);
  }

  /// A fine-tuning of the model on made-up texts.
  void fine_tune(SmallJob& job, const std::string& source, const std::string& target) const {
    MultilingualModel{}.write(file_);
    write_lines(job.config.data.train_source, {"a b", "c", "d a", "b"});
    write_lines(job.config.data.train_target, {"e b", "c", "d e", "b"});
    for (const auto& side : {job.config.data.valid_source, job.config.data.valid_target, job.config.data.test_source,
                             job.config.data.test_target})
      write_lines(side, {"a", "b c"});
    auto json = to_json(job.config);
    auto of_model = to_json(load_translation_model(file_, at::kCPU).config);
    for (const auto* section : {"model", "tokenizer"}) json[section] = of_model[section];
    json["data"]["source_language"] = source;
    json["data"]["target_language"] = target;
    json["training"]["start_from"] = file_.string();
    job.config = parse_run_config(json);
  }

  static ParallelCorpus corpus_of(const SmallJob& job) {
    const auto file = job / "run/corpus.cache";
    return ParallelCorpus::open(MappedFile(open_regular_file(file)->descriptor, file), file);
  }

  SmallJob job_;
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "model.safetensors";
};

TEST_F(LanguagesTest, ModelsMayShareAllEmbeddingsOfTwoTokenizers) {
  const auto models = load();
  EXPECT_NE(models.first().source_tokenizer, models.first().target_tokenizer);
  EXPECT_EQ(models.first().config.model.tie_embeddings, TieEmbeddings::kAll);
  EXPECT_THAT(models.first().source_tokenizer->languages(), ElementsAre("deu", "eng", "fra"));
}

TEST_F(LanguagesTest, LanguagesThatTheModelNeedsMustBeKnown) {
  auto models = load();
  const auto translating = [&](const Languages& languages) {
    models.members.front().languages = languages;
    return [&] { models.translator(); };
  };
  EXPECT_NO_THROW(translating({"deu", "fra"})());
  EXPECT_THAT(translating({"", "fra"}),
              ThrowsMessage<UsageError>(AllOf(StartsWith("source_language: wanted"), HasSubstr("deu, eng, fra"))));
  EXPECT_THAT(translating({"deu", "ita"}),
              ThrowsMessage<UsageError>(AllOf(StartsWith("target_language: wanted"), HasSubstr("got ita"))));
  models = load({.source = "eng", .target = "fra"});
  EXPECT_NO_THROW(translating({})());
  EXPECT_NO_THROW(translating({"", "deu"})());
  models = load({.source_tag = "target", .target_tag = false});
  EXPECT_NO_THROW(translating({"", "deu"})());
  EXPECT_THAT(translating({"eng", "deu"}), ThrowsMessage<UsageError>(HasSubstr("source_language: has no effect")));
}

TEST_F(LanguagesTest, TranslationsHaveTheScoresOfGivenOnes) {
  auto models = load();
  models.members.front().languages = {"deu", "fra"};
  const auto translator = models.translator();
  auto decoding = models.first().config.decoding;
  decoding.n_best = 2;
  const std::vector<std::string> lines = {"a b", "c"};
  const auto found =
      translator.translate({.lines = lines, .details = {.confidence = true, .alignment = true}}, decoding);
  EXPECT_THAT(found[0].source.ids, ElementsAre(kDeu, testing::_, testing::_, testing::_, testing::_));
  const PairScorer scorer(models, decoding);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& best = found[i].candidates.at(0);
    EXPECT_THAT(best.text, Not(HasSubstr("__")));
    const auto scored = scorer.score({{lines[i]}, {best.text}}).at(0);
    // The tokenizer may cut the text in another way than the search; this one cuts it into characters.
    if (!best.ended || scored.pieces.size() != best.tokens.size()) continue;
    EXPECT_NEAR(scored.score, best.score, 1e-5);
    EXPECT_NEAR(scored.forced.log_probability, best.log_probability, 1e-5);
    EXPECT_EQ(scored.forced.tokens.size(), scored.pieces.size());
    EXPECT_EQ(scored.pieces.back(), "</s>");
  }
  EXPECT_EQ(scorer.score({{""}, {""}}).at(0).forced.log_probability, 0) << "nothing to score";
  models.members.front().languages.target = "eng";
  EXPECT_NE(PairScorer(models, decoding).score({{"a"}, {"b"}})[0].score, scorer.score({{"a"}, {"b"}})[0].score)
      << "another tag";
}

TEST_F(LanguagesTest, ExplanationsGiveTheTagsAndLeaveThemOutOfScores) {
  auto models = load();
  auto& model = models.members.front();
  model.languages = {"deu", "fra"};
  const std::vector<ExplainedModel> explained{{"m", model, model.config.decoding}};
  for (const auto& target : {std::optional<std::string>(), std::optional<std::string>("b e")}) {
    const auto document = explain(explained, {.sentences = {"a b"}, .target = target});
    const auto& item = document.at("items").at(0);
    EXPECT_EQ(document.at("models")[0].at("target_language"), "fra");
    const auto& pieces = item.at("target").at("pieces");
    EXPECT_EQ(pieces.at(0).at("id"), kFra);
    EXPECT_EQ(pieces.at(0).at("log_probability"), 0);
    EXPECT_EQ(pieces.at(0).at("begin"), pieces.at(0).at("end"));
    EXPECT_EQ(item.at("source").at("pieces").at(0).at("id"), kDeu);
    EXPECT_EQ(item.at("source").at("words").at(0).at("first"), 1) << "the tag is in no word";
    double sum = 0;
    for (const auto& piece : pieces) sum += piece.at("log_probability").get<double>();
    EXPECT_NEAR(item.at("target").at("log_probability").get<double>(), sum, 1e-4);
    EXPECT_EQ(item.at("target").at("text"), target.value_or(item.at("target").at("text").get<std::string>()));
    const auto& texts = item.at("interventions").at("parts").at("texts");
    ASSERT_FALSE(texts.empty());
    for (const auto& text : texts) EXPECT_THAT(text.get<std::string>(), Not(HasSubstr("__")));
  }
  const std::vector<std::string> sources = {"a b"}, references = {"b"};
  EXPECT_GT(heads_report(model, sources, references).loss, 0);
}

TEST_F(LanguagesTest, TokenizersThatShareIdsMustBeEqual) {
  MultilingualModel{}.write(file_);
  auto description = read_model_contents(SafetensorsFile::open(file_)).description;
  auto& target = description.tokenizers.at(kTargetTokenizer);
  target.replace(target.find("\"e\"]"), 4, "\"f\"]");
  EXPECT_THAT(
      [&] {
        make_tokenizers(description, {13, 13}, "m");
      },
      ThrowsMessage<ModelError>(HasSubstr("one table of ids (tokenizer.shared_ids), got \"e\" and \"f\"")));
}

TEST_F(LanguagesTest, ModelsThatAreCombinedMustHaveTheSameTags) {
  MultilingualModel{}.write(file_);
  const auto description = read_model_contents(SafetensorsFile::open(file_)).description;
  EXPECT_NO_THROW(expect_same_tokenizers(description, "one", description, "other"));
  for (const auto& [key, value] :
       {std::pair<const char*, Json>("shared_ids", false), {"source_tag", "target"}, {"target_tag", false}}) {
    auto other = description;
    other.config["tokenizer"][key] = value;
    other.config["model"]["tie_embeddings"] = "none";  // needs no shared ids
    EXPECT_THAT([&] { expect_same_tokenizers(description, "one", other, "other"); },
                ThrowsMessage<ModelError>(
                    AllOf(StartsWith(std::string("other: tokenizer.") + key + ": wanted"), HasSubstr("as in one"))));
  }
}

TEST_F(LanguagesTest, FineTuningSeesTheTagsOfItsLanguages) {
  fine_tune(job_, "deu", "fra");
  EXPECT_EQ(job_.run().end, TrainingEnd::kFinished);
  const auto corpus = corpus_of(job_);
  EXPECT_EQ(corpus.source(0).front(), kDeu);
  EXPECT_EQ(corpus.target(0).front(), kFra);
  EXPECT_EQ(corpus.key().at("tags"), (Json{{"source", kDeu}, {"target", kFra}}));
  const auto trained = load_translation_model(job_ / "run", at::kCPU);
  EXPECT_EQ(trained.config.languages.target, "fra");
  EXPECT_NO_THROW(trained.translator());

  SmallJob other;
  fine_tune(other, "eng", "fra");
  other.run();
  EXPECT_EQ(corpus_of(other).key().at("tags"), (Json{{"source", kEng}, {"target", kFra}})) << "another corpus";
}

TEST_F(LanguagesTest, FineTuningNeedsKnownLanguages) {
  fine_tune(job_, "deu", "de");
  EXPECT_THAT([&] { job_.run(); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("data.target_language: wanted"), HasSubstr("deu, eng, fra"))));
  fine_tune(job_, "", "deu");
  EXPECT_THAT([&] { configured_tokenizers(job_.config); },
              ThrowsMessage<UsageError>(HasSubstr("data.source_language: wanted")));
}

TEST_F(LanguagesTest, SharedIdsAreNotForTrainedTokenizers) {
  auto& job = job_;
  job.config.tokenizer.joint = false;
  job.config.model.tie_embeddings = TieEmbeddings::kNone;
  job.config.tokenizer.shared_ids = true;
  EXPECT_NO_THROW(job.config.validate());
  EXPECT_THAT([&] { job.run(); }, ThrowsMessage<UsageError>(HasSubstr("tokenizer.shared_ids: wanted")));
  job.config.tokenizer.joint = true;
  EXPECT_THAT([&] { job.config.validate(); },
              ThrowsMessage<UsageError>(HasSubstr("tokenizer.shared_ids: wanted false")));
  job.config.tokenizer.shared_ids = false;
  job.config.tokenizer.target_tag = true;
  EXPECT_THAT([&] { job.run(); }, ThrowsMessage<UsageError>(HasSubstr("needs a tokenizer with language tags")));
}

}  // namespace
}  // namespace gloss
