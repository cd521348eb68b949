#include "interchange/formats/npz_file.h"

#include <cmath>

#include "interchange/formats/marian_options.h"
#include "interchange/formats/yaml.h"
#include "interchange/formats/zip_file.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

class NpzFileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  }
  static std::unique_ptr<ForeignTensors> open(const std::vector<ZipEntry>& entries) {
    const TemporaryFolder folder;
    put_file(folder / "a.npz", zip_bytes(entries));
    return open_npz(folder / "a.npz");
  }
  static auto opening(const std::vector<ZipEntry>& entries) {
    return [entries] { open(entries); };
  }
};

const std::string kTwoFloats = npy_bytes(npy_dictionary("<f4", "1, 2"), raw(std::vector<float>{1.5F, -2}));

TEST_F(NpzFileTest, ReadsTensors) {
  const auto file = open({{"b.npy", kTwoFloats, true}, {"a.npy", npy_bytes(npy_dictionary("|i1", "3,"), "abc")}});
  EXPECT_THAT(file->name(), testing::EndsWith("/a.npz"));
  EXPECT_THAT(file->names(), ElementsAre("a", "b"));
  EXPECT_TRUE(file->has("b"));
  EXPECT_EQ(file->info("b"), (ForeignTensorInfo{at::kFloat, {1, 2}}));
  EXPECT_THAT(float_values(*file, "b"), ElementsAre(1.5F, -2));
  EXPECT_EQ(to_text(file->tensor("a")), "abc");
  EXPECT_THAT([&] { file->tensor("c"); }, refuses_model("a.npz: wanted a tensor c, got none of this name"));
}

// tests/golden/foreign_arrays.py
TEST_F(NpzFileTest, ReadsWhatNumpyWrites) {
  for (const std::string name : {"foreign_arrays.npz", "foreign_arrays_deflated.npz"}) {
    const auto file = open_npz(std::filesystem::path(GLOSS_GOLDEN_FOLDER) / name);
    EXPECT_THAT(file->names(), ElementsAre("Wemb", "double", "empty", "encoder_l1_ffn_b1", "half", "scalar",
                                           "special:model.yml", "steps"));
    EXPECT_THAT(file->info("Wemb").shape, ElementsAre(6, 4));
    const auto values = float_values(*file, "Wemb");
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<float>(i) / 8 - 1);
    EXPECT_THAT(float_values(*file, "encoder_l1_ffn_b1"), ElementsAre(-1, -0.5F, 0, 0.5F, 1));
    EXPECT_THAT(float_values(*file, "half"), ElementsAre(0.099975586F, -65504, 5.9604645e-8F));
    EXPECT_THAT(float_values(*file, "double"), ElementsAre(0.1F, INFINITY));
    EXPECT_THAT(file->info("scalar").shape, ElementsAre());
    EXPECT_THAT(float_values(*file, "scalar"), ElementsAre(2.5F));
    EXPECT_THAT(file->info("empty").shape, ElementsAre(0, 3));
    EXPECT_EQ(to_text(file->tensor("steps")), raw(std::vector<std::int64_t>{-7, std::int64_t{1} << 40}));
    if (has_yaml()) {
      EXPECT_EQ(marian_options_of(*file).values.at("dim-emb"), "4");
    }
  }
}

TEST_F(NpzFileTest, RefusesOtherArchives) {
  EXPECT_THAT(opening({{"a.npy", kTwoFloats}, {"decoder.yml", "beam-size: 6"}}),
              refuses_model("wanted entries whose names end in .npy, got decoder.yml"));
  EXPECT_THAT(opening({{".npy", kTwoFloats}}), refuses_model("name of a tensor: wanted"));
  EXPECT_THAT(opening({{"a b.npy", kTwoFloats}}), refuses_model("name of a tensor: wanted"));
}

TEST_F(NpzFileTest, RefusesTheStateOfAnOptimizer) {
  EXPECT_THAT(opening({{"adam_mt.npy", kTwoFloats}}),
              refuses_model("wanted a model, got the state of Marian's optimizer (adam_mt); name the file without"));
}

TEST_F(NpzFileTest, RefusesATensorOfAnotherSizeAtOnce) {
  EXPECT_THAT(opening({{"a.npy", kTwoFloats + "x", true}}),
              refuses_model("a.npz: a.npy: wanted 8 bytes for float32 [1, 2], got 9"));
  EXPECT_THAT(opening({{"a.npy", "hello"}}), refuses_model("a.npz: a.npy: wanted a NumPy file"));
}

TEST_F(NpzFileTest, ComparesTheChecksumOfATensor) {
  const auto file = open({{"a.npy", kTwoFloats, false, {}, {}, 17}});
  EXPECT_THAT([&] { file->tensor("a"); }, refuses_model("a.npz: entry a.npy: CRC error"));
}

}  // namespace
}  // namespace gloss
