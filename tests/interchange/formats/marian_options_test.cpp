#include "interchange/formats/marian_options.h"

#include <set>

#include "common/files/atomic_file.h"
#include "interchange/formats/marian_bin.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

class MarianOptionsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_yaml()) GTEST_SKIP() << "built without yaml-cpp";
  }
  static MarianOptions parse(const std::string& text) { return MarianOptions::parse(text, "model.npz"); }
};

TEST_F(MarianOptionsTest, ReadsEachKindOfValue) {
  const auto options = parse(
      "type: transformer\ndim-emb: 512\ndim-vocabs:\n  - 8000\n  - 9000\nnormalize: 0.6\ntied-embeddings-all: true\n"
      "skip: No\ntransformer-preprocess: \"\"\ntransformer-postprocess: dan\nmodels: model.npz\nvocabs: [a.spm, "
      "b.spm]\n"
      "transformer-tied-layers:\n  []\nulr-dim-emb: ~\n");
  EXPECT_EQ(options.text("type"), "transformer");
  EXPECT_EQ(options.integer("dim-emb"), 512);
  EXPECT_THAT(options.integers("dim-vocabs"), ElementsAre(8000, 9000));
  EXPECT_EQ(options.number("normalize"), 0.6);
  EXPECT_EQ(options.number("dim-emb"), 512);
  EXPECT_TRUE(options.flag("tied-embeddings-all"));
  EXPECT_FALSE(options.flag("skip"));
  EXPECT_EQ(options.text("transformer-preprocess"), "");
  EXPECT_THAT(options.texts("models"), ElementsAre("model.npz"));
  EXPECT_THAT(options.texts("vocabs"), ElementsAre("a.spm", "b.spm"));
  EXPECT_THAT(options.integers("transformer-tied-layers"), ElementsAre());
  EXPECT_THAT(options.texts("ulr-dim-emb"), ElementsAre());
  EXPECT_EQ(options.shown("dim-vocabs"), "[8000, 9000]");
  EXPECT_EQ(options.shown("transformer-preprocess"), "\"\"");
  EXPECT_EQ(options.shown("transformer-postprocess"), "dan");
  EXPECT_EQ(options.keys().size(), 12u);
}

TEST_F(MarianOptionsTest, MissingKeysHaveMariansDefaults) {
  const auto options = parse("type: transformer\n");
  EXPECT_FALSE(options.has("transformer-heads"));
  EXPECT_EQ(options.integer("transformer-heads"), 8);
  EXPECT_EQ(options.text("transformer-ffn-activation"), "swish");
  EXPECT_EQ(options.text("transformer-preprocess"), "");
  EXPECT_EQ(options.text("transformer-postprocess"), "dan");
  EXPECT_EQ(options.text("guided-alignment"), "none");
  EXPECT_FALSE(options.flag("tied-embeddings"));
  EXPECT_EQ(options.number("lemma-dim-emb"), 0);
  EXPECT_EQ(options.text("transformer-attention-mask"), "default");
  EXPECT_THAT(options.integers("transformer-tied-layers"), ElementsAre());
  EXPECT_THAT([&] { options.integer("enc-depth"); }, refuses_model("model.npz: enc-depth: wanted a value, got none"));
  std::set<std::string_view> keys;
  for (const auto& [key, value] : marian_option_defaults()) EXPECT_TRUE(keys.insert(key).second) << key;
}

TEST_F(MarianOptionsTest, FindsOlderNames) {
  const auto options = parse("transformer-train-position-embeddings: true\n");
  EXPECT_TRUE(options.has("transformer-train-positions"));
  EXPECT_TRUE(options.flag("transformer-train-positions"));
  EXPECT_THAT(parse("model: a.npz\n").texts("models"), ElementsAre("a.npz"));
}

TEST_F(MarianOptionsTest, RefusesValuesOfAnotherKind) {
  const auto options = parse("a: word\nb: [1, x]\nc: {d: 1}\nd: 1.5\ne: nan\nf: 99999999999999999999\ng: [[1]]\n");
  EXPECT_THAT([&] { options.integer("a"); }, refuses_model("model.npz: a: wanted a whole number, got word"));
  EXPECT_THAT([&] { options.integer("d"); }, refuses_model("d: wanted a whole number, got 1.5"));
  EXPECT_THAT([&] { options.integer("f"); }, refuses_model("f: wanted a whole number"));
  EXPECT_THAT([&] { options.number("e"); }, refuses_model("e: wanted a number, got nan"));
  EXPECT_THAT([&] { options.flag("d"); }, refuses_model("d: wanted true or false, got 1.5"));
  EXPECT_THAT([&] { options.text("b"); }, refuses_model("b: wanted a text, got [1, x]"));
  EXPECT_THAT([&] { options.integers("b"); }, refuses_model("b: wanted a list of whole numbers, got x"));
  EXPECT_THAT([&] { options.texts("g"); }, refuses_model("g: wanted a list of texts, got [1]"));
  EXPECT_THAT([&] { options.text("c"); }, refuses_model("c: wanted a text, got a map"));
}

TEST_F(MarianOptionsTest, RefusesOtherTexts) {
  EXPECT_THAT([] { parse("- a\n"); }, refuses_model("wanted options of Marian (a map of keys and values), got [a]"));
  EXPECT_THAT([] { parse("a: 1\na: 2\n"); }, refuses_model("model.npz: line 2: wanted each key once"));
  const TemporaryFolder folder;
  put_file(folder / "decoder.yml", std::string((1 << 20) + 1, '#'));
  EXPECT_THROW(MarianOptions::read(folder / "decoder.yml"), ModelError);
  put_file(folder / "decoder.yml", "beam-size: 6\n");
  EXPECT_EQ(MarianOptions::read(folder / "decoder.yml").integer("beam-size"), 6);
}

TEST_F(MarianOptionsTest, ReadsTheOptionsWithinAModel) {
  const TemporaryFolder folder;
  const auto model = [&](const BinTensor& tensor) {
    put_file(folder / "m.bin", bin_bytes({tensor}));
    return open_marian_bin(folder / "m.bin");
  };
  const std::string text("dim-emb: 8\0\0", 12);
  EXPECT_EQ(MarianOptions::of_model(*model({"special:model.yml", 0x101, {12}, text})).integer("dim-emb"), 8);
  const auto without = model({"a", 0x404, {1}, raw(1.0F)});
  EXPECT_THAT([&] { MarianOptions::of_model(*without); },
              refuses_model("m.bin: wanted a tensor special:model.yml with the options of training, got none"));
  const auto floats = model({"special:model.yml", 0x404, {3}, text});
  EXPECT_THAT([&] { MarianOptions::of_model(*floats); },
              refuses_model("m.bin: special:model.yml: wanted a text as int8, got float32 [3]"));
  const auto broken = model({"special:model.yml", 0x101, {4}, "[[[["});
  EXPECT_THAT([&] { MarianOptions::of_model(*broken); }, refuses_model("m.bin: special:model.yml: line 1: "));
}

}  // namespace
}  // namespace gloss
