#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interchange/import/marian_folder.h"
#include "tests/interchange/foreign_model.h"
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
  /// "table cut by SentencePiece model" of source and target.
  static std::vector<std::string> names(const MarianFiles& files) {
    std::vector<std::string> result;
    for (const auto& [table, sentencepiece] : files.vocabularies)
      result.push_back(table.filename().string() + " cut by " + sentencepiece.filename().string());
    return result;
  }
  std::vector<std::string> reasons(const ImportSettings& settings = {}) {
    find(settings);
    return refusals_.reasons();
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
  EXPECT_THAT(names(files), ElementsAre("opus.vocab.yml cut by source.spm", "opus.vocab.yml cut by target.spm"));
  EXPECT_TRUE(files.is_package);
  EXPECT_TRUE(files.preprocess);
  EXPECT_FALSE(find({.path = folder_ / "other.npz"}).decoder) << "that of another model";
}

TEST_F(MarianFilesTest, AFolderWithOneModelNeedsNoNames) {
  for (const auto* name : {"model.intgemm.bin", "lex.s2t.bin", "vocab.deen.spm"}) put(name);
  const auto files = find();
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
  EXPECT_EQ(files.model, folder_ / "model.intgemm.bin");
  EXPECT_THAT(names(files),
              ElementsAre("vocab.deen.spm cut by vocab.deen.spm", "vocab.deen.spm cut by vocab.deen.spm"));
  EXPECT_FALSE(files.is_package);
  std::filesystem::remove(folder_ / "vocab.deen.spm");
  put("trgvocab.spm");
  put("srcvocab.spm");
  EXPECT_THAT(names(find()), ElementsAre("srcvocab.spm cut by srcvocab.spm", "trgvocab.spm cut by trgvocab.spm"));
}

TEST_F(MarianFilesTest, FilesOfFirefoxMayBeCompressed) {
  for (const auto* name : {"model.enfr.intgemm.alphas.bin.gz", "lex.50.50.enfr.s2t.bin.gz", "trgvocab.enfr.spm.gz",
                           "srcvocab.enfr.spm.gz"})
    put(name);
  const auto files = find();
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
  EXPECT_EQ(files.model, folder_ / "model.enfr.intgemm.alphas.bin.gz");
  EXPECT_EQ(files.lexical, folder_ / "lex.50.50.enfr.s2t.bin.gz");
  EXPECT_THAT(names(files), ElementsAre("srcvocab.enfr.spm.gz cut by srcvocab.enfr.spm.gz",
                                        "trgvocab.enfr.spm.gz cut by trgvocab.enfr.spm.gz"));
  put("model.enfr.intgemm.alphas.bin");
  EXPECT_EQ(find().model, folder_ / "model.enfr.intgemm.alphas.bin") << "instead of the compressed one";
}

TEST_F(MarianFilesTest, DecoderYmlNamesTheLexicalTable) {
  for (const auto* name : {"model.bin", "vocab.spm", "lex.a.bin", "lex.b.bin"}) put(name);
  put("decoder.yml", "models: [model.bin]\nvocabs: [vocab.spm, vocab.spm]\nshortlist:\n  - lex.b.bin\n  - false\n");
  EXPECT_EQ(find().lexical, folder_ / "lex.b.bin");
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
  put("decoder.yml", "models: [model.bin]\nvocabs: [vocab.spm, vocab.spm]\nshortlist: [lex.s2t.gz, 50, 70]\n");
  EXPECT_FALSE(find().lexical) << "a table that is missing";
  put("lex.s2t.gz");
  EXPECT_EQ(find().lexical, folder_ / "lex.s2t.gz") << "in text form";
  EXPECT_EQ(find().shortlist.frequent, 50);
  EXPECT_EQ(find().shortlist.best, 70);
  put("decoder.yml", "models: [model.bin]\nvocabs: [vocab.spm, vocab.spm]\nshortlist: [lex.c.bin, false]\n");
  EXPECT_FALSE(find().lexical) << "a table that is missing";
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
}

TEST_F(MarianFilesTest, VocabulariesOfTwoKindsKeepTheirSides) {
  for (const auto* name : {"model.npz", "a.spm", "a.yml", "b.spm", "b.yml"}) put(name);
  put("decoder.yml", "models: [model.npz]\nvocabs: [a.spm, b.yml]\n");
  EXPECT_THAT(names(find()), ElementsAre("a.spm cut by a.spm", "b.yml cut by b.spm"));
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
  put("decoder.yml", "models: [model.npz]\nvocabs: [a.yml, b.spm]\n");
  EXPECT_THAT(names(find()), ElementsAre("a.yml cut by a.spm", "b.spm cut by b.spm"));
  std::filesystem::remove(folder_ / "a.spm");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("wanted a SentencePiece model (.spm) that cuts for a.yml beside")));
  EXPECT_THAT(find().vocabularies, IsEmpty());
}

TEST_F(MarianFilesTest, VocabulariesOfTheSettingsAreOrderedByTheirKind) {
  for (const auto* name : {"model.npz", "a.spm", "a.yml", "b.spm", "b.yml"}) put(name);
  const auto found = [&](std::initializer_list<const char*> files) {
    ImportSettings settings;
    for (const auto* file : files) settings.vocabularies.push_back(folder_ / file);
    return names(find(settings));
  };
  EXPECT_THAT(found({"a.yml", "b.spm"}), ElementsAre("a.yml cut by b.spm", "a.yml cut by b.spm"));
  EXPECT_THAT(found({"a.spm", "b.spm", "a.yml"}), ElementsAre("a.yml cut by a.spm", "a.yml cut by b.spm"));
  EXPECT_THAT(found({"b.yml", "a.yml", "a.spm"}), ElementsAre("b.yml cut by a.spm", "a.yml cut by a.spm"));
  EXPECT_THAT(found({"a.spm", "b.spm", "a.spm"}), IsEmpty());
  EXPECT_THAT(refusals_.reasons(), ElementsAre(HasSubstr("or one for each, got a.spm, b.spm, a.spm")));
}

TEST_F(MarianFilesTest, ListsOfPiecesAreTheLastResort) {
  for (const auto* name : {"model.npz", "source.spm", "target.spm", "opus.src.vocab"}) put(name);
  EXPECT_THAT(names(find()), ElementsAre("source.spm cut by source.spm", "target.spm cut by target.spm"));
  put("opus.trg.vocab");
  EXPECT_THAT(names(find()), ElementsAre("opus.src.vocab cut by source.spm", "opus.trg.vocab cut by target.spm"));
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
  put("vocab.yml");
  EXPECT_THAT(names(find()), ElementsAre("vocab.yml cut by source.spm", "vocab.yml cut by target.spm"));
}

TEST_F(MarianFilesTest, ALinkToNothingIsNoFault) {
  put("a.npz");
  put("a.spm");
  std::filesystem::create_symlink(folder_ / "gone", folder_ / "b.npz");
  EXPECT_EQ(find().model, folder_ / "a.npz");
  EXPECT_THAT(refusals_.reasons(), IsEmpty());
}

TEST_F(MarianFilesTest, WhatIsMissingOrAmbiguousIsRefused) {
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("wanted a .npz or .bin file of Marian in the folder, found none"),
                                     HasSubstr("wanted a SentencePiece model (.spm) beside")));
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

TEST_F(MarianFilesTest, AFileForOneSideNeedsTheOther) {
  for (const auto* name : {"model.npz", "vocab.yml", "target.spm"}) put(name);
  put("decoder.yml", "models: [model.npz]\nvocabs: [vocab.yml, vocab.yml]\n");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("wanted SentencePiece models for both languages, found only target.spm, "
                                               "the target's; add the other one")));
  std::filesystem::rename(folder_ / "target.spm", folder_ / "source.spm");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("found only source.spm, the source's")));
  EXPECT_THAT(reasons({.vocabularies = {folder_ / "vocab.yml", folder_ / "source.spm"}}), IsEmpty());
}

TEST_F(MarianFilesTest, PathsOfAPackageStayWithinIt) {
  put("a.npz");
  put("passwd");
  put("a.spm");
  put("decoder.yml", "models: [../elsewhere/a.npz]\nvocabs: [/etc/passwd, /etc/passwd]\n");
  const auto files = find();
  EXPECT_EQ(files.model, folder_ / "a.npz");
  const MarianVocabulary both{folder_ / "passwd", folder_ / "a.spm"};
  EXPECT_THAT(files.vocabularies, ElementsAre(both, both));
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
