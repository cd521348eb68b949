#include "common/files/safetensors.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/files/safetensors_header.h"
#include "tests/common/files/saved_tensors.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::Key;
using testing::UnorderedElementsAre;

using SafetensorsTest = SavedTensors;

TEST_F(SafetensorsTest, WrittenFileIsReadBack) {
  save();
  const auto file = SafetensorsFile::open(path_);
  EXPECT_EQ(file.name(), path_.string());
  EXPECT_THAT(file.metadata(), UnorderedElementsAre(std::pair("format", "test"), Key("sha256"), Key("header_sha256")));
  ASSERT_EQ(file.tensors().size(), 6U);
  const auto& weight = file.tensors().at("z.weight");
  EXPECT_EQ(weight.dtype, Dtype::kF32);
  EXPECT_THAT(weight.shape, ElementsAre(2, 3));
  EXPECT_TRUE(equal_bytes(weight.bytes, bytes_of(floats_)));
  EXPECT_TRUE(equal_bytes(file.tensors().at("a.bytes").bytes, bytes_of(small_)));
  EXPECT_TRUE(equal_bytes(file.tensors().at("b.half").bytes, bytes_of(halves_)));
  EXPECT_TRUE(equal_bytes(file.tensors().at("steps").bytes, bytes_of(steps_)));
  EXPECT_THAT(file.tensors().at("steps").shape, ElementsAre());
  EXPECT_THAT(file.tensors().at("empty").shape, ElementsAre(0, 4));
  EXPECT_TRUE(file.tensors().at("empty").bytes.empty());
}

TEST_F(SafetensorsTest, TensorsAreOrderedByElementSizeThenName) {
  save();
  const auto file = SafetensorsFile::open(path_);
  std::vector<std::string> order = {"steps", "c.bias", "empty", "z.weight", "b.half", "a.bytes"};
  const auto* position = file.tensors().at("steps").bytes.data();
  for (const auto& name : order) {
    const auto& bytes = file.tensors().at(name).bytes;
    EXPECT_EQ(bytes.data(), position) << name;
    position += bytes.size();
  }
}

TEST_F(SafetensorsTest, FirstTensorIsAlignedToACacheLine) {
  save();
  std::vector<SafetensorsFile> files;  // many, because one may be aligned by chance
  for (int i = 0; i < 32; ++i) {
    files.push_back(SafetensorsFile::open(path_));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(files.back().tensors().at("steps").bytes.data()) % 64, 0U);
  }
}

TEST_F(SafetensorsTest, BytesOutliveTheFile) {
  save();
  const auto copy = std::make_unique<SafetensorsFile>(SafetensorsFile::open(path_));
  std::filesystem::resize_file(path_, 10);
  EXPECT_TRUE(equal_bytes(copy->tensors().at("z.weight").bytes, bytes_of(floats_)));
}

TEST_F(SafetensorsTest, EqualContentGivesEqualFiles) {
  save();
  const auto first = file();
  save();
  EXPECT_EQ(file(), first);
}

TEST_F(SafetensorsTest, LayoutIsCheckedWithoutAChecksum) {
  const auto bytes = header_bytes({{}, {{"a", {Dtype::kU8, {5}, 0, 5}}}}) + "12345";
  EXPECT_EQ(SafetensorsFile::parse(bytes_of(bytes), "memory").tensors().at("a").bytes.size(), 5U);
}

TEST_F(SafetensorsTest, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  for (const auto& path : {folder_ / "fifo", folder_.path(), std::filesystem::path("/dev/zero")}) {
    EXPECT_THAT([&] { SafetensorsFile::open(path); }, refuses_file("wanted a regular file, got a folder or a device"));
  }
  EXPECT_THROW(SafetensorsFile::open(folder_ / "absent"), IoError);
}

TEST_F(SafetensorsTest, UnreadableFileIsNotWritten) {
  save();
  const auto before = file();
  const auto write = [&](const std::string& name, std::vector<std::int64_t> shape) {
    write_safetensors(path_, {{name, {Dtype::kF32, std::move(shape), bytes_of(floats_)}}}, {});
  };
  EXPECT_THAT([&] { write("a", {7}); }, refuses_file("wanted 28 bytes of tensors, got 24"));
  EXPECT_THAT([&] { write("../a", {6}); }, refuses_file("without a path"));
  EXPECT_EQ(file(), before);
  EXPECT_THROW(write_safetensors(folder_ / "absent" / "file", {}, {}), IoError);
}

}  // namespace
}  // namespace gloss
