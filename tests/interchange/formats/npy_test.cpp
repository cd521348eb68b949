#include "interchange/formats/npz_file.h"
#include "tests/interchange/formats/foreign_bytes.h"

namespace gloss {
namespace {

NpyHeader read(const std::string& bytes) { return read_npy_header(bytes, bytes.size(), "a.npy"); }

auto reading(const std::string& bytes) {
  return [bytes] { read(bytes); };
}

NpyHeader read(const std::string& descr, const std::string& shape, std::size_t bytes) {
  return read(npy_bytes(npy_dictionary(descr, shape), std::string(bytes, '\0')));
}

auto reading(const std::string& descr, const std::string& shape, std::size_t bytes) {
  return reading(npy_bytes(npy_dictionary(descr, shape), std::string(bytes, '\0')));
}

TEST(NpyTest, ReadsTypesAndShapes) {
  EXPECT_EQ(read("<f4", "2, 3", 24).info, (ForeignTensorInfo{at::kFloat, {2, 3}}));
  EXPECT_EQ(read("<f2", "3,", 6).info, (ForeignTensorInfo{at::kHalf, {3}}));
  EXPECT_EQ(read("<f8", "", 8).info, (ForeignTensorInfo{at::kDouble, {}}));
  EXPECT_EQ(read("|i1", "4,", 4).info, (ForeignTensorInfo{at::kChar, {4}}));
  EXPECT_EQ(read("<i1", "4,", 4).info, (ForeignTensorInfo{at::kChar, {4}})) << "as Marian writes it";
  EXPECT_EQ(read("<i4", "1, 2,", 8).info, (ForeignTensorInfo{at::kInt, {1, 2}}));
  EXPECT_EQ(read("<i8", "1L, 2L", 16).info, (ForeignTensorInfo{at::kLong, {1, 2}}));
  EXPECT_EQ(read("<f4", "0, 7", 0).info, (ForeignTensorInfo{at::kFloat, {0, 7}}));
}

TEST(NpyTest, ReadsEveryVersionAndOrderOfKeys) {
  for (int version = 1; version <= 3; ++version) {
    const auto bytes =
        npy_bytes("{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"<f4\"}   ", std::string(8, 'x'), version);
    const auto header = read(bytes);
    EXPECT_EQ(header.info.shape, std::vector<std::int64_t>{2});
    EXPECT_EQ(bytes.substr(header.data_offset), std::string(8, 'x'));
  }
}

TEST(NpyTest, RefusesOtherFiles) {
  EXPECT_THAT(reading(""), refuses_model("a.npy: wanted a NumPy file, got \"\""));
  EXPECT_THAT(reading("hello world"), refuses_model("wanted a NumPy file, got \"hello wo\""));
  const auto good = npy_bytes(npy_dictionary("<f4", "2,"), std::string(8, '\0'));
  auto newer = good;
  newer[6] = 4;
  EXPECT_THAT(reading(newer), refuses_model("wanted version 1.0, 2.0 or 3.0 of NumPy's format, got 4.0"));
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_THROW(read(good.substr(0, size)), ModelError) << size;
  EXPECT_THAT(reading(good + "x"), refuses_model("wanted 8 bytes for float32 [2], got 9"));
}

TEST(NpyTest, RefusesWrongDictionaries) {
  const auto with = [](const std::string& dictionary) { return reading(npy_bytes(dictionary, std::string(8, '\0'))); };
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }"),
              refuses_model("fortran_order to be False; save the array again"));
  EXPECT_THAT(with("{'descr': '<f4', 'shape': (2,), }"), refuses_model("wanted descr, fortran_order and shape, got"));
  EXPECT_THAT(with("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"),
              refuses_model("a dictionary of Python: "));
  EXPECT_THAT(with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }"),
              refuses_model("descr: little-endian f2, f4, f8, i1, i2, i4, i8, u1 or u4, got [["));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}"),
              refuses_model("wanted descr, fortran_order and shape, got"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x"),
              refuses_model("a dictionary of Python: "));
  EXPECT_THAT(with("{'descr: '<f4'"), refuses_model("header: wanted"));
}

TEST(NpyTest, RefusesWrongTypesAndShapes) {
  EXPECT_THAT(reading(">f4", "2,", 8),
              refuses_model("wanted descr: little-endian f2, f4, f8, i1, i2, i4, i8, u1 or u4, got \">f4\""));
  EXPECT_THAT(reading("|O", "2,", 8), refuses_model("got \"|O\""));
  EXPECT_THAT(reading("", "2,", 8), refuses_model("got \"\""));
  EXPECT_THAT(reading("<c8", "1,", 8), refuses_model("got \"<c8\""));
  EXPECT_THAT(reading("<f4", "2 2", 16), refuses_model("a dictionary of Python: "));
  EXPECT_THAT(reading("<f4", "2.0,", 8), refuses_model("shape: sizes from 0"));
  EXPECT_THAT(reading("<f4", "-2,", 8), refuses_model("shape: sizes from 0"));
  EXPECT_THAT(reading("<f4", "1, 1, 1, 1, 1, 1, 1, 1, 1", 4), refuses_model("shape: at most 8 sizes"));
  EXPECT_THAT(reading("<f4", "4294967296, 4294967296", 0), refuses_model("fewer than 2^62"));
  EXPECT_THAT(reading("<f4", "4294967296, 4294967296, 0", 0), refuses_model("fewer than 2^62"));
  EXPECT_THAT(reading("<f4", "9223372036854775808,", 0), refuses_model("shape: sizes from 0"));
  EXPECT_THAT(reading("<f4", "99999999999999999999,", 0), refuses_model("shape: sizes from 0"));
}

TEST(NpyTest, RefusesAHeaderThatIsLongerThanTheFileOrTheLimit) {
  auto bytes = npy_bytes(npy_dictionary("<f4", "2,"), std::string(8, '\0'), 2);
  bytes.replace(8, 4, "\xff\xff\xff\xff");
  EXPECT_THAT(reading(bytes), refuses_model("header: wanted at most"));
  EXPECT_THAT(reading(npy_bytes(npy_dictionary("<f4", "2,") + std::string(70'000, ' '), std::string(8, '\0'), 2)),
              refuses_model("header: wanted at most"));
}

TEST(NpyTest, WritesWhatItReadsAlignedAndShort) {
  for (const ForeignTensorInfo& info :
       {ForeignTensorInfo{at::kFloat, {2, 3}}, ForeignTensorInfo{at::kChar, {7}}, ForeignTensorInfo{at::kFloat, {}},
        ForeignTensorInfo{at::kFloat, std::vector<std::int64_t>(8, 100'000)}}) {
    const auto header = npy_header(info);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_TRUE(header.ends_with('\n'));
    EXPECT_LT(header.size(), 11 + 255u);
    if (info.shape.size() == 8) continue;  // more bytes than there can be
    const auto file = header + std::string(checked_byte_count(info, ""), '\0');
    EXPECT_EQ(read(file).info, info);
    EXPECT_EQ(read(file).data_offset, header.size());
  }
  EXPECT_THROW(npy_header({at::kBFloat16, {2}}), ModelError);
}

}  // namespace
}  // namespace gloss
