#include "pipeline/interchange/import/marian_files.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/interchange/foreign_model.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MarianFilesTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text = "x") const { put_text(folder_ / name, text); }
  MarianFiles find(ImportSettings settings = {}) {
    if (settings.path.empty()) settings.path = folder_.path();
    refusals_ = {};
    return find_marian_files(settings, refusals_);
  }
  static std::vector<std::string> names(const std::vector<std::filesystem::path>& paths) {
    std::vector<std::string> result;
    for (const auto& path : paths) result.push_back(path.filename().string());
    return result;
  }

  TemporaryFolder folder_;
  Refusals refusals_;
};

TEST_F(MarianFilesTest, APackageNamesItsFiles) {
  for (const auto* name :
       {"opus.npz", "opus.optimizer.npz", "other.npz", "opus.vocab.yml", "source.spm", "target.spm", "preprocess.sh"})
    put(name);
  put("decoder.yml", "models:\n  - opus.npz\nvocabs:\n  - opus.vocab.yml\n  - opus.vocab.yml\n");
  const auto files = find();
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
  EXPECT_EQ(files.model, folder_ / "opus.npz");
  EXPECT_THAT(names(files.tables), ElementsAre("opus.vocab.yml"));
  EXPECT_THAT(names(files.sentencepieces), ElementsAre("source.spm", "target.spm"));
  EXPECT_TRUE(files.is_package);
  EXPECT_TRUE(files.preprocess);
  EXPECT_FALSE(find({.path = folder_ / "other.npz"}).decoder) << "that of another model";
}

TEST_F(MarianFilesTest, AFolderWithOneModelNeedsNoNames) {
  for (const auto* name : {"model.intgemm.bin", "lex.s2t.bin", "vocab.deen.spm"}) put(name);
  const auto files = find();
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
  EXPECT_EQ(files.model, folder_ / "model.intgemm.bin");
  EXPECT_THAT(names(files.sentencepieces), ElementsAre("vocab.deen.spm"));
  EXPECT_FALSE(files.is_package);
  std::filesystem::remove(folder_ / "vocab.deen.spm");
  put("trgvocab.spm");
  put("srcvocab.spm");
  EXPECT_THAT(names(find().sentencepieces), ElementsAre("srcvocab.spm", "trgvocab.spm"));
}

TEST_F(MarianFilesTest, WhatIsMissingOrAmbiguousIsRefused) {
  const auto reasons = [&](const ImportSettings& settings = {}) {
    find(settings);
    return refusals_.reasons();
  };
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("wanted a .npz or .bin file of Marian in the folder, found none")));
  put("a.npz");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("wanted a SentencePiece model")));
  put("source.bpe");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("subword-nmt")));
  put("a.spm");
  put("b.spm");
  EXPECT_THAT(reasons(),
              ElementsAre(HasSubstr("several SentencePiece models: a.spm, b.spm; name them by --vocabulary")));
  EXPECT_THAT(reasons({.vocabularies = {folder_ / "b.spm", folder_ / "a.spm"}}), IsEmpty());
  EXPECT_THAT(reasons({.vocabularies = {folder_ / "c.fsv"}}),
              ElementsAre(HasSubstr("there is no"), HasSubstr("several")));
  put("b.npz");
  EXPECT_THAT(reasons({.vocabularies = {folder_ / "a.spm"}}), ElementsAre(HasSubstr("several models: a.npz, b.npz")));
  put("decoder.yml", "models: [a.npz, b.npz]\nvocabs: [a.spm, a.spm]\n");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("models: wanted one model, got 2")));
}

TEST_F(MarianFilesTest, PathsOfAPackageStayWithinIt) {
  put("a.npz");
  put("passwd");
  put("a.spm");
  put("decoder.yml", "models: [../elsewhere/a.npz]\nvocabs: [/etc/passwd, /etc/passwd]\n");
  const auto files = find();
  EXPECT_EQ(files.model, folder_ / "a.npz");
  EXPECT_THAT(files.tables, ElementsAre(folder_ / "passwd"));
}

TEST(PreprocessingTest, TheUsualScriptMakesNoDifference) {
  std::string rules;
  for (const auto* rule :
       {"，/,",   "。 */. ", "、/,",        "”/\"",   "“/\"",   "∶/:",    "：/:",   "？/\\?", "《/\"",
        "》/\"",  "）/\\)",  "！/\\!",      "（/\\(", "；/;",   "１/\"",  "」/\"",  "「/\"",  "０/0",
        "３/3",   "２/2",    "５/5",        "６/6",   "９/9",   "７/7",   "８/8",   "４/4",   "． */. ",
        "～/\\~", "’/\\'",   "…/\\.\\.\\.", "━/\\-",  "〈/\\<", "〉/\\>", "【/\\[", "】/\\]", "％/\\%"})
    rules += std::string(" -e 's/") + rule + "/g'";
  const std::string rest = " | sed 's/  */ /g;s/^ *//g;s/ *$//g' | ${SPMENCODE} --model $2\n";
  EXPECT_EQ(preprocessing_difference("sed" + rules + rest), "");
  EXPECT_THAT(preprocessing_difference("sed" + rules + " -e 's/ß/ss/g'" + rest), HasSubstr("differ in ß"));
  EXPECT_THAT(preprocessing_difference("sed -e 's/，/,/g'" + rest), HasSubstr("。"));
  EXPECT_THAT(preprocessing_difference("cat"), HasSubstr("SentencePiece"));
}

}  // namespace
}  // namespace gloss
