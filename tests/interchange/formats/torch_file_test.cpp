#include <cmath>

#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/zip_file.h"
#include "tests/interchange/formats/pickle_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

const std::string kFloats = raw(std::vector<float>{1, 2, 3, 4, 5, 6});
const std::string kStorage = pickle::storage("FloatStorage", "0", 6);

class TorchFileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  }
  static std::unique_ptr<ForeignTensors> open(const std::vector<ZipEntry>& entries) {
    const TemporaryFolder folder;
    put_file(folder / "a.bin", zip_bytes(entries));
    return open_torch_file(folder / "a.bin");
  }
  static auto opening(const std::vector<ZipEntry>& entries) {
    return [entries] { open(entries); };
  }
  /// Returns the entries of a file with one storage.
  static std::vector<ZipEntry> file(const std::vector<std::pair<std::string, std::string>>& tensors,
                                    const std::string& folder = "archive") {
    return {{folder + "/data.pkl", pickle::whole(pickle::dict(tensors))}, {folder + "/data/0", kFloats}};
  }
};

// tests/golden/torch_state.py
TEST_F(TorchFileTest, ReadsWhatTorchWrites) {
  const auto file = open_torch_file(std::filesystem::path(GLOSS_GOLDEN_FOLDER) / "torch_state.bin");
  EXPECT_THAT(file->names(), ElementsAre("bfloat", "codes", "column", "double", "empty", "half", "mask", "parameter",
                                         "rows", "scalar", "steps", "tied", "transposed", "weight"));
  const auto values = [&](const std::string& name) { return float_values(*file, name); };
  std::vector<float> weight;
  for (int i = 0; i < 12; ++i) weight.push_back(static_cast<float>(i) / 8 - 1);
  EXPECT_EQ(file->info("weight"), (ForeignTensorInfo{at::kFloat, {4, 3}}));
  EXPECT_EQ(values("weight"), weight);
  EXPECT_EQ(values("tied"), weight);
  EXPECT_EQ(values("rows"), std::vector<float>(weight.begin() + 3, weight.begin() + 9));
  EXPECT_THAT(file->info("transposed").shape, ElementsAre(3, 4));
  EXPECT_THAT(values("transposed"), ElementsAre(weight[0], weight[3], weight[6], weight[9], weight[1], weight[4],
                                                weight[7], weight[10], weight[2], weight[5], weight[8], weight[11]));
  EXPECT_THAT(values("column"), ElementsAre(weight[1], weight[4], weight[7], weight[10]));
  EXPECT_THAT(values("parameter"), ElementsAre(1.5F, -2));
  EXPECT_THAT(values("half"), ElementsAre(0.099975586F, -65504, 5.9604645e-8F));
  EXPECT_THAT(values("bfloat"), ElementsAre(1, -2));
  EXPECT_THAT(values("double"), ElementsAre(0.1F, INFINITY));
  EXPECT_EQ(to_text(file->tensor("steps")), raw(std::vector<std::int64_t>{-7, std::int64_t{1} << 40}));
  EXPECT_THAT(values("codes"), ElementsAre(-1, 2));
  EXPECT_THAT(values("mask"), ElementsAre(1, 0));
  EXPECT_THAT(file->info("scalar").shape, ElementsAre());
  EXPECT_THAT(values("scalar"), ElementsAre(2.5F));
  EXPECT_THAT(file->info("empty").shape, ElementsAre(0, 3));
  EXPECT_EQ(file->tensor("empty").numel(), 0);
}

TEST_F(TorchFileTest, ReadsViewsOfAStorage) {
  const auto tensors = open(file({{"all", pickle::tensor(kStorage, 0, {2, 3}, {3, 1})},
                                  {"rest", pickle::tensor(kStorage, 2, {4}, {1})},
                                  {"wide", pickle::tensor(kStorage, 1, {2, 1, 2}, {3, 7, 1})},
                                  {"twice", pickle::tensor(kStorage, 4, {2, 2}, {0, 1})}},
                                 "my model/x"));
  EXPECT_THAT(float_values(*tensors, "all"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(float_values(*tensors, "rest"), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(float_values(*tensors, "wide"), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(float_values(*tensors, "twice"), ElementsAre(5, 6, 5, 6));
}

TEST_F(TorchFileTest, RefusesOtherFiles) {
  const auto one = file({{"a", pickle::tensor(kStorage, 0, {6}, {1})}});
  EXPECT_THAT(opening({{"x/data/0", kFloats}}), refuses_model("wanted an archive of torch.save with data.pkl"));
  EXPECT_THAT(opening({one[0], one[1], {"y/data.pkl", "x"}}), refuses_model("wanted one data.pkl, got several"));
  EXPECT_THAT(opening({one[0], one[1], {"archive/constants.pkl", "x"}}), refuses_model("got a TorchScript program"));
  EXPECT_THAT(opening({one[0], one[1], {"archive/byteorder", "big"}}),
              refuses_model("byteorder: wanted little, got big"));
  EXPECT_NO_THROW(open({one[0], one[1], {"archive/byteorder", "little"}, {"archive/.data/serialization_id", "7"}}));
  EXPECT_THAT(opening({one[0]}), refuses_model("wanted an entry archive/data/0, got none"));
  EXPECT_THAT(opening({one[0], {"archive/data/0", kFloats + "xxxx"}}),
              refuses_model("tensor a: wanted 6 elements of float32 in entry archive/data/0, got 28 bytes"));
  EXPECT_THAT(opening({one[0], {"archive/data/0", kFloats + "x"}}), refuses_model("got 25 bytes"));
  EXPECT_THAT(opening(file({{"a b", pickle::tensor(kStorage, 0, {6}, {1})}})),
              refuses_model("name of a tensor: wanted"));
  const auto damaged = open({one[0], {"archive/data/0", kFloats, false, {}, {}, 17}});
  EXPECT_THAT([&] { damaged->tensor("a"); }, refuses_model("entry archive/data/0: CRC error"));
}

TEST_F(TorchFileTest, RefusesTheFormOfOldVersionsWithTheCommandThatRewritesIt) {
  const TemporaryFolder folder;
  put_file(folder / "a.bin", "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.");
  EXPECT_THAT([&] { open_torch_file(folder / "a.bin"); },
              refuses_model("wanted the ZIP archive of PyTorch 1.6 and later, got the older form, one pickle; this "
                            "rewrites it in place: python3 -c"));
  put_file(folder / "a.bin", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THAT([&] { open_torch_file(folder / "a.bin"); },
              refuses_model("got a Git LFS pointer: fetch the file itself"));
}

// Each view of a large storage reads all of it.
TEST_F(TorchFileTest, BoundsTheReadingOfSharedStorages) {
  const std::int32_t elements = 1 << 20;
  const auto storage = pickle::storage("FloatStorage", "0", elements);
  std::vector<std::pair<std::string, std::string>> views;
  for (int i = 0; i < 50; ++i) views.emplace_back("t" + std::to_string(i), pickle::tensor(storage, i, {1}, {1}));
  const auto entries = [&] {
    return std::vector<ZipEntry>{{"x/data.pkl", pickle::whole(pickle::dict(views))},
                                 {"x/data/0", std::string(4 << 20, 'x')}};
  };
  EXPECT_NO_THROW(open(entries()));
  while (views.size() < 400) views.emplace_back("u" + std::to_string(views.size()), views.front().second);
  EXPECT_THAT(opening(entries()), refuses_model("wanted tensors with storages of their own"));
}

}  // namespace
}  // namespace gloss
