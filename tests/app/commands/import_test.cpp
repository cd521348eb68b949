#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"
#include "tests/interchange/foreign_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ImportTest : public testing::Test {
 protected:
  ImportTest() {
    std::filesystem::create_directory(run_ / "marian");
    marian_.write(run_ / "marian");
    HuggingFaceModel("m2m_100").write(run_ / "m2m100");
  }
  Outcome import_file(const std::string& path, const Arguments& more = {}) const {
    Arguments arguments = {"import", path, "--output", run_ / "model.safetensors", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments);
  }
  std::string npz() const { return run_ / "marian" / "model.npz"; }
  std::string model() const { return run_ / "model.safetensors"; }
  Json inspected() const { return parse_json(run_gloss({"inspect", model(), "--json"}).out); }

  SmallRun run_;
  MarianModel marian_;
};

TEST_F(ImportTest, AnImportedModelTranslatesScoresAndIsConverted) {
  const auto outcome = import_file(npz());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("Marian npz, by the formulas of marian"), HasSubstr("wrote ")));
  const std::string lines = "the cat sees the dog\nsmall birds sing\n";
  const Arguments translate = {"translate", "--model", model(),    "--max-length", "20",
                               "--threads", "1",       "--device", "cpu"};
  auto plain = translate;
  plain.emplace_back("--plain");
  const auto translated = run_gloss(translate, lines);
  ASSERT_EQ(translated.exit_code, 0) << translated.err;
  EXPECT_EQ(lines_of(translated.out).size(), 2u);
  EXPECT_EQ(run_gloss(plain, lines).out, translated.out);

  write_text(run_ / "source", lines);
  EXPECT_EQ(
      run_gloss({"score", "--model", model(), "--source", run_ / "source", "--target", run_ / "source"}).exit_code, 0);
  for (const auto* precision : {"bfloat16", "int8"}) {
    const std::string smaller = run_ / precision;
    EXPECT_EQ(run_gloss({"convert", "--model", model(), "--precision", precision, "--output", smaller}).exit_code, 0);
    EXPECT_EQ(run_gloss({"translate", "--model", smaller, "--max-length", "20"}, lines).exit_code, 0);
  }
  const auto explained =
      run_gloss({"explain", "--model", model(), "--json", "--max-length", "8", "--", "the cat sees the dog"});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
}

TEST_F(ImportTest, ItsProvenanceStatesTheFiles) {
  ASSERT_EQ(import_file(npz(), {"--source-language", "en", "--target-language", "de"}).exit_code, 0);
  const auto described = inspected();
  const auto& imported = described.at("provenance").at("imported");
  EXPECT_EQ(imported.at("format"), "Marian npz");
  EXPECT_EQ(imported.at("formulas"), "marian");
  EXPECT_EQ(imported.at("files").at("model.npz").get<std::string>().size(), 64u);
  EXPECT_TRUE(imported.at("files").contains("vocab.spm"));
  EXPECT_EQ(imported.at("options").at("transformer-heads"), "2");
  EXPECT_EQ(described.at("config").at("data").at("source_language"), "en");
  EXPECT_EQ(described.at("config").at("data").at("target_language"), "de");
}

TEST_F(ImportTest, FineTuningStartsFromIt) {
  ASSERT_EQ(import_file(npz()).exit_code, 0);
  write_text(run_ / "tune.json", R"({"data": {"train_source": "corpus/train.source", "train_target":
    "corpus/train.target", "max_length": 64}, "training": {"start_from": "model.safetensors", "max_steps": 3}})");
  const auto tuned =
      run_gloss({"train-translate", "--config", run_ / "tune.json", "--out", run_ / "tuned", "--threads", "1"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(run_gloss({"translate", "--model", run_ / "tuned"}, "the cat\n").exit_code, 0);
}

TEST_F(ImportTest, LanguagesAreThoseOfTheTags) {
  const auto outcome = import_file(run_ / "m2m100", {"--target-language", "de", "--precision", "bfloat16"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Arguments translate = {"translate", "--model", model(), "--max-length", "10"};
  EXPECT_EQ(run_gloss(translate, "the cat\n").exit_code, 2) << "no source language";
  auto named = translate;
  named.insert(named.end(), {"--source-language", "en"});
  const auto translated = run_gloss(named, "the cat\n");
  EXPECT_EQ(translated.exit_code, 0) << translated.err;
  EXPECT_EQ(inspected().at("precision"), "bfloat16");
}

TEST_F(ImportTest, ACheckReportsAndWritesNothing) {
  const auto before = contents_of(run_ / ".");
  const auto good = run_gloss({"import", npz(), "--check"});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out, AllOf(HasSubstr("format: Marian npz\n"), HasSubstr("formulas: marian\n"),
                              HasSubstr("position_frequencies tensor2tensor"), HasSubstr("0 missing"),
                              HasSubstr("can be imported\n")));
  auto bad = marian_;
  bad.options["transformer-ffn-depth"] = "4";
  bad.tensors.erase("Wemb");
  bad.write(run_ / "marian");
  const auto refused = run_gloss({"import", npz(), "--check"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.out, AllOf(HasSubstr("refused: transformer-ffn-depth: wanted 2, got 4\n"),
                                 HasSubstr("missing: Wemb\n"), HasSubstr("cannot be imported, for 2 reasons\n")));
  const auto printed = parse_json(run_gloss({"import", npz(), "--check", "--json"}).out);
  EXPECT_EQ(printed.at("importable"), false);
  EXPECT_EQ(printed.at("refusals").size(), 2u);
  EXPECT_EQ(printed.at("tensors").at("missing"), Json::array({"Wemb"}));
  marian_.write(run_ / "marian");
  EXPECT_EQ(contents_of(run_ / "."), before);
}

TEST_F(ImportTest, WhatIsWrongIsRefused) {
  auto bad = marian_;
  bad.options["type"] = "s2s";
  std::filesystem::create_directory(run_ / "bad");
  bad.write(run_ / "bad");
  write_text(run_ / "mine", "mine");
  write_text(run_ / "text.npz", "text");
  write_text(run_ / "archive.zip", "text");
  std::filesystem::create_directory(run_ / "empty");
  const std::string output = run_ / "out";
  for (const auto& row : {
           BadInput{"no model", {"import", run_ / "nothing", "--output", output}, 2, "there is no"},
           {"no output", {"import", npz()}, 2, "--output is missing"},
           {"check and output", {"import", npz(), "--check", "--output", output}, 2, "--check|--output"},
           {"JSON without a check", {"import", npz(), "--json", "--output", output}, 2, "--json"},
           {"an archive", {"import", run_ / "archive.zip", "--output", output}, 2, "unpack the archive"},
           {"another program", {"import", npz(), "--from", "fairseq", "--output", output}, 2, "--from"},
           {"no directory of Hugging Face",
            {"import", run_ / "empty", "--from", "huggingface", "--output", output},
            2,
            "config.json"},
           {"an empty folder", {"import", run_ / "empty", "--output", output}, 3, "found none"},
           {"another network", {"import", run_ / "bad", "--output", output}, 3, "type: wanted transformer, got s2s"},
           {"no archive", {"import", run_ / "text.npz", "--output", output}, 3, "text\\.npz"},
           {"a missing vocabulary",
            {"import", npz(), "--vocabulary", run_ / "none", "--output", output},
            2,
            "--vocabulary"},
           {"a vocabulary for Hugging Face",
            {"import", run_ / "m2m100", "--vocabulary", run_ / "mine", "--output", output},
            2,
            "--vocabulary: applies to models of Marian"},
           {"an existing output", {"import", npz(), "--output", run_ / "mine"}, 2, "mine already"},
           {"the model as output", {"import", npz(), "--output", npz(), "--overwrite"}, 2, "--output"},
           {"no language",
            {"import", npz(), "--source-language", "no language", "--output", output},
            2,
            "--source-language: wanted a language tag"},
           {"a language without a tag",
            {"import", run_ / "m2m100", "--target-language", "fr", "--output", output},
            2,
            "--target-language: wanted a language of this model, one of de, en, got fr"},
       })
    expect_outcome(row, run_ / ".");
}

}  // namespace
}  // namespace gloss
