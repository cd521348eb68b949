#include "interchange/formats/marian_options.h"

#include "common/files/atomic_file.h"
#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/marian_bin.h"
#include "interchange/formats/yaml.h"
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
  static MarianOptions parse(const std::string& text) { return parse_marian_options(text, "model.npz"); }
};

TEST_F(MarianOptionsTest, KeepsTextsAndLists) {
  const auto options = parse(
      "type: transformer\ndim-vocabs:\n  - 8000\n  - 9000\nnormalize: 0.60\ntransformer-preprocess: \"\"\n"
      "version: 'v1'\nvocabs: [a.spm, b.spm]\nother: {a: [1]}\nulr-dim-emb: ~\n");
  EXPECT_EQ(options.values.at("type"), "transformer");
  EXPECT_EQ(options.values.at("dim-vocabs"), (Json{"8000", "9000"}));
  EXPECT_EQ(options.values.at("normalize"), "0.60");
  EXPECT_EQ(options.values.at("other"), (Json{{"a", Json::array({"1"})}}));
  EXPECT_FALSE(options.values.contains("ulr-dim-emb"));
  EXPECT_EQ(options.shown.at("dim-vocabs"), "[8000, 9000]");
  EXPECT_EQ(options.shown.at("transformer-preprocess"), "\"\"");
  EXPECT_EQ(options.shown.at("version"), "\"v1\"");
  EXPECT_EQ(options.shown.at("vocabs"), "[a.spm, b.spm]");
  EXPECT_EQ(options.shown.at("other"), "a map");
  EXPECT_THAT(options.keys, ElementsAre("type", "dim-vocabs", "normalize", "transformer-preprocess", "version",
                                        "vocabs", "other", "ulr-dim-emb"));
}

TEST_F(MarianOptionsTest, MissingKeysHaveMariansDefaults) {
  const auto options = parse("type: transformer\ntransformer-ffn-depth:\n");
  EXPECT_EQ(options.values.at("transformer-heads"), "8");
  EXPECT_EQ(options.values.at("transformer-ffn-activation"), "swish");
  EXPECT_EQ(options.values.at("transformer-ffn-depth"), "2");
  EXPECT_EQ(options.values.at("transformer-preprocess"), "");
  EXPECT_EQ(options.values.at("transformer-tied-layers"), Json::array());
  EXPECT_EQ(options.shown.at("transformer-preprocess"), "\"\"");
  EXPECT_FALSE(options.values.contains("enc-depth"));
}

TEST_F(MarianOptionsTest, FindsOlderNames) {
  const auto options = parse("transformer-train-position-embeddings: true\nmodels: b.npz\nmodel: a.npz\n");
  EXPECT_EQ(options.values.at("transformer-train-positions"), "true");
  EXPECT_EQ(options.values.at("models"), "b.npz");
  EXPECT_EQ(parse("model: a.npz\n").values.at("models"), "a.npz");
}

TEST_F(MarianOptionsTest, RefusesOtherTexts) {
  EXPECT_THAT([] { parse("- a\n"); }, refuses_model("wanted options of Marian (a map of keys and values), got [a]"));
  EXPECT_THAT([] { parse("a: 1\na: 2\n"); }, refuses_model("model.npz: line 2: wanted each key once"));
  const TemporaryFolder folder;
  put_file(folder / "decoder.yml", std::string((1 << 20) + 1, '#'));
  EXPECT_THROW(read_marian_options(folder / "decoder.yml"), ModelError);
  put_file(folder / "decoder.yml", "beam-size: 6\n");
  EXPECT_EQ(read_marian_options(folder / "decoder.yml").values.at("beam-size"), "6");
}

TEST_F(MarianOptionsTest, ReadsTheOptionsWithinAModel) {
  const TemporaryFolder folder;
  const auto model = [&](const BinTensor& tensor) {
    put_file(folder / "m.bin", bin_bytes({tensor}));
    return open_marian_bin(folder / "m.bin");
  };
  const std::string text("dim-emb: 8\0\0", 12);
  EXPECT_EQ(marian_options_of(*model({"special:model.yml", 0x101, {12}, text})).values.at("dim-emb"), "8");
  const auto without = model({"a", 0x404, {1}, raw(1.0F)});
  EXPECT_THAT([&] { marian_options_of(*without); },
              refuses_model("m.bin: wanted a tensor special:model.yml with the options of training, got none"));
  const auto floats = model({"special:model.yml", 0x404, {3}, text});
  EXPECT_THAT([&] { marian_options_of(*floats); },
              refuses_model("m.bin: special:model.yml: wanted a text as int8, got float32 [3]"));
  const auto broken = model({"special:model.yml", 0x101, {4}, "[[[["});
  EXPECT_THAT([&] { marian_options_of(*broken); }, refuses_model("m.bin: special:model.yml: line 1: "));
}

}  // namespace
}  // namespace gloss
