#include "interchange/formats/marian_bin.h"

#include <limits>

#include <ATen/Functions.h>

#include "common/files/atomic_file.h"
#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/marian_options.h"
#include "interchange/formats/yaml.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kFloat = 0x404, kInt8 = 0x101, kIntgemm8 = 0x10001;

class MarianBinTest : public testing::Test {
 protected:
  std::unique_ptr<ForeignTensors> open(const std::string& bytes) const {
    put_file(path_, bytes);
    return open_marian_bin(path_);
  }
  std::unique_ptr<ForeignTensors> open(const std::vector<BinTensor>& tensors) const { return open(bin_bytes(tensors)); }
  template <typename Content>
  auto opening(const Content& content) const {
    return [this, content] { open(content); };
  }
  auto opening_type(std::uint64_t type) const {
    return opening(std::vector<BinTensor>{{"a_W1", type, {2, 2}, std::string(64, 'x')}});
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "model.bin";
};

const BinTensor kBias{"b", kFloat, {1, 2}, raw(std::vector<float>{1.5F, -2})};

TEST_F(MarianBinTest, ReadsPlainTensors) {
  const auto file = open({kBias,
                          {"special:model.yml", kInt8, {12}, std::string("dim-emb: 16\0", 12)},
                          {"F0::codes", 0x204, {2}, raw(std::vector<std::uint32_t>{1, 2})},
                          {"half", 0x402, {1, 1}, raw(std::uint16_t{0x3c00})}});
  EXPECT_THAT(file->names(), ElementsAre("b", "codes", "half", "special:model.yml"));
  EXPECT_EQ(file->info("b"), (ForeignTensorInfo{at::kFloat, {1, 2}}));
  EXPECT_THAT(float_values(*file, "b"), ElementsAre(1.5F, -2));
  EXPECT_EQ(file->tensor("b").nbytes(), 8u) << "without the padding";
  EXPECT_THAT(float_values(*file, "codes"), ElementsAre(1, 2));
  EXPECT_THAT(float_values(*file, "half"), ElementsAre(1));
  if (has_yaml()) {
    EXPECT_EQ(marian_options_of(*file).values.at("dim-emb"), "16");
  }
  EXPECT_THAT([&] { file->tensor("F0::codes"); }, refuses_model("model.bin: wanted a tensor F0::codes, got none"));
}

// Section 1.1 of the format: elements, then the multiplier; matrices of layers are stored transposed. The fork for
// browsers has codes of its own.
TEST_F(MarianBinTest, ReadsIntgemmOfMarianAndOfItsFork) {
  for (const auto& [intgemm8, intgemm16] : {std::pair(0x10001U, 0x10002U), {0x4101U, 0x4102U}}) {
    const auto elements = raw(std::vector<std::int8_t>{-127, 2, 3, 4, 5, 127});
    const auto file = open(
        {{"encoder_l1_ffn_W1", intgemm8, {2, 3}, elements + raw(63.5F)},
         {"Wemb", intgemm8, {3, 2}, elements + raw(63.5F)},
         {"decoder_ff_logit_out_Wt", intgemm16, {1, 2}, raw(std::vector<std::int16_t>{-512, 2048}) + raw(1024.0F)}});
    EXPECT_EQ(file->info("encoder_l1_ffn_W1"), (ForeignTensorInfo{at::kChar, {2, 3}, 63.5F}));
    EXPECT_EQ(to_text(file->tensor("encoder_l1_ffn_W1").t()), elements);
    EXPECT_THAT(float_values(*file, "encoder_l1_ffn_W1"),
                ElementsAre(-2, 3 / 63.5F, 5 / 63.5F, 2 / 63.5F, 4 / 63.5F, 2));
    EXPECT_EQ(to_text(file->tensor("Wemb")), elements);
    EXPECT_THAT(float_values(*file, "Wemb"), ElementsAre(-2, 2 / 63.5F, 3 / 63.5F, 4 / 63.5F, 5 / 63.5F, 2));
    EXPECT_THAT(float_values(*file, "decoder_ff_logit_out_Wt"), ElementsAre(-0.5F, 2));
  }
}

TEST_F(MarianBinTest, RefusesAMultiplierThatIsNone) {
  for (const float multiplier :
       {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 1e-38F}) {
    EXPECT_THAT(opening(std::vector<BinTensor>{{"a_W", kIntgemm8, {1, 1}, "x" + raw(multiplier)}}),
                refuses_model("wanted a positive multiplier after its elements"))
        << multiplier;
  }
}

// Files of older versions of Marian are not padded.
TEST_F(MarianBinTest, ReadsDataWithoutPadding) {
  auto bytes = bin_bytes({kBias});
  bytes.replace(16 + 24, 8, raw(std::uint64_t{8}));
  bytes.resize(bytes.size() - 248);
  EXPECT_THAT(float_values(*open(bytes), "b"), ElementsAre(1.5F, -2));
}

TEST_F(MarianBinTest, RefusesOtherFiles) {
  EXPECT_THAT(opening(std::string()), refuses_model("model.bin: wanted a binary model of Marian (version 1), got"));
  EXPECT_THAT(opening(std::string("{\"a\": 1}")), refuses_model("got a JSON text"));
  EXPECT_THAT(opening(std::string("PK\x03\x04")), refuses_model("wanted a binary model of Marian (version 1), got"));
  EXPECT_THAT(opening(bin_bytes({kBias}, 2)),
              refuses_model("got version 2, which newer forks of Marian write encrypted"));
  EXPECT_THAT(opening(bin_bytes({kBias}, 3)), refuses_model("got version 3"));
  EXPECT_THAT(opening(bin_bytes({})), refuses_model("wanted 1 to 200000 tensors, got 0"));
  EXPECT_THAT([&] { open_marian_bin(folder_.path()); }, refuses_model("wanted a regular file"));
  EXPECT_THROW(open_marian_bin(folder_ / "missing.bin"), IoError);
}

TEST_F(MarianBinTest, RefusesBytesPackedForOneProcessor) {
  for (const std::uint64_t type : {0x802, 0x1801, 0x2801, 0x11001, 0x12001, 0x14001, 0x18001, 0x12002, 0x18002, 0x4103})
    EXPECT_THAT(opening_type(type), refuses_model("which is packed for one kind of processor; save it again as "
                                                  "intgemm8 (marian-conv --gemm-type intgemm8)"))
        << type;
}

TEST_F(MarianBinTest, RefusesUnknownTypes) {
  for (const std::uint64_t type : {0x0ull, 0x403ull, 0x10004ull, 0x101010101ull, ~0x1f800ull})
    EXPECT_THAT(opening_type(type), refuses_model("wanted a type of Marian that gloss reads")) << type;
}

TEST_F(MarianBinTest, RefusesWrongNames) {
  EXPECT_THAT(opening(std::vector{kBias, kBias}), refuses_model("tensor b: wanted each name once, got it twice"));
  auto prefixed = kBias;
  prefixed.name = "F0::b";
  EXPECT_THAT(opening(std::vector{kBias, prefixed}), refuses_model("tensor b: wanted each name once, got it twice"));
  for (const auto& name : {std::string("F0::"), std::string("a b"), std::string("\xff"), std::string(300, 'a'),
                           std::string("a\0b", 3), std::string()})
    EXPECT_THAT(opening(std::vector<BinTensor>{{name, kFloat, {1}, raw(1.0F)}}),
                refuses_model("model.bin: name of a tensor: wanted"))
        << name;
}

TEST_F(MarianBinTest, RefusesTheStateOfAnOptimizer) {
  EXPECT_THAT(opening(std::vector<BinTensor>{{"adam_mt", kFloat, {1, 1}, raw(1.0F)}}),
              refuses_model("got the state of Marian's optimizer (adam_mt)"));
}

TEST_F(MarianBinTest, RefusesWrongShapes) {
  const auto with = [&](std::vector<std::int32_t> shape, std::uint64_t type = kFloat) {
    return opening(std::vector<BinTensor>{{"a_W", type, std::move(shape), std::string(8, '\0')}});
  };
  EXPECT_THAT(with({-1, 2}), refuses_model("tensor a_W: wanted sizes from 1, got -1"));
  EXPECT_THAT(with({0}), refuses_model("wanted sizes from 1, got 0"));
  EXPECT_THAT(with(std::vector<std::int32_t>(9, 1)), refuses_model("wanted at most 8 dimensions, got 9"));
  EXPECT_THAT(with({16, 16}), refuses_model("tensor a_W: wanted at least 1024 bytes for float32 [16, 16], got 256"));
  EXPECT_THAT(with({2147483647, 2147483647, 2147483647}), refuses_model("fewer than 2^62"));
  EXPECT_THAT(with({8}, kIntgemm8), refuses_model("wanted a matrix, since it is intgemm's, got int8 [8]"));
  EXPECT_THAT(with({64, 4}, kIntgemm8), refuses_model("wanted at least 260 bytes for int8 [64, 4], got 256"));
}

TEST_F(MarianBinTest, RefusesSizesBeyondTheFileBeforeAllocating) {
  const auto good = bin_bytes({kBias});
  const auto with = [&](std::size_t place, std::uint64_t value) {
    auto bytes = good;
    bytes.replace(place, 8, raw(value));
    return opening(bytes);
  };
  for (const auto value : {std::uint64_t{1} << 17, std::uint64_t{1} << 59, ~std::uint64_t{0}}) {
    EXPECT_THROW(with(8, value)(), ModelError) << "number of tensors";
    EXPECT_THROW(with(16, value)(), ModelError) << "length of the name";
    EXPECT_THROW(with(32, value)(), ModelError) << "dimensions";
    EXPECT_THROW(with(40, value)(), ModelError) << "bytes of data";
    EXPECT_THROW(with(16 + 32 + 2 + 8, value)(), ModelError) << "gap";
  }
  EXPECT_THAT(opening(good + "x"), refuses_model("wanted the end of the file after the last tensor, got 1 bytes more"));
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_THROW(open(good.substr(0, size)), ModelError) << size;
}

TEST_F(MarianBinTest, RefusesAFileThatBecomesShorter) {
  const auto file = open({kBias});
  std::filesystem::resize_file(path_, 256);
  EXPECT_THAT([&] { file->tensor("b"); }, refuses_model("model.bin: the file became shorter while it was read"));
}

TEST_F(MarianBinTest, ReadsWhatItWrites) {
  const auto integers = at::arange(-3, 3, at::kChar).reshape({2, 3});
  write_marian_bin(path_, {{"b", at::arange(3, at::kFloat)},
                           {"a_W", integers, 12.5F},
                           {"Wemb", integers, 0.25F},
                           {"special:model.yml", at::zeros({5}, at::kChar)}});
  const auto file = open_marian_bin(path_);
  EXPECT_THAT(file->names(), ElementsAre("Wemb", "a_W", "b", "special:model.yml"));
  EXPECT_THAT(float_values(*file, "b"), ElementsAre(0, 1, 2));
  for (const auto& [name, multiplier] : {std::pair("a_W", 12.5F), {"Wemb", 0.25F}}) {
    EXPECT_EQ(file->info(name), (ForeignTensorInfo{at::kChar, {2, 3}, multiplier}));
    EXPECT_TRUE(file->tensor(name).equal(integers)) << name;
  }
  EXPECT_EQ(file->info("special:model.yml"), (ForeignTensorInfo{at::kChar, {5}}));
  const auto bytes = read_file(path_, 1 << 20);
  EXPECT_EQ(bytes.size() % 256, 0u) << "elements are aligned";
}

}  // namespace
}  // namespace gloss
