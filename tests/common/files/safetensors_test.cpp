#include "common/files/safetensors.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/error.h"
#include "common/files/safetensors_header.h"
#include "tests/common/files/saved_tensors.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using SafetensorsTest = SavedTensors;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

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

class SafetensorsFormatTest : public testing::Test {
 protected:
  SafetensorsFile file(Metadata metadata) const {
    write_safetensors(folder_ / "f", {{"w", {Dtype::kU8, {0}, {}}}}, std::move(metadata));
    return SafetensorsFile::open(folder_ / "f");
  }
  static auto refused(const std::string& message) { return ThrowsMessage<ModelError>(HasSubstr(message)); }

  TemporaryFolder folder_;
};

TEST_F(SafetensorsFormatTest, ChecksFormatAndVersion) {
  const auto expect = [&](const char* format, const char* version) {
    expect_format(file({{"format", format}, {"format_version", version}}), "gloss-model", 2);
  };
  EXPECT_NO_THROW(expect("gloss-model", "2"));
  EXPECT_THAT([&] { expect("gloss-other", "2"); }, refused("format: wanted gloss-model, got gloss-other"));
  EXPECT_THAT([&] { expect("pt", "2"); },
              refused("of another program: wanted the format gloss-model, got pt; gloss import reads"));
  EXPECT_THAT([&] { expect("gloss-model", "3"); },
              ThrowsMessage<ModelError>(AllOf(HasSubstr("format_version: wanted 2, got 3"), HasSubstr("newer gloss"))));
  for (const auto* version : {"1", "02", "3x", ""})
    EXPECT_THAT([&] { expect("gloss-model", version); },
                ThrowsMessage<ModelError>(AllOf(HasSubstr("wanted 2, got "), Not(HasSubstr("newer")))));
}

TEST_F(SafetensorsFormatTest, MissingKeyIsNamed) {
  EXPECT_THAT([&] { metadata_value(file({}), "state"); }, refused("metadata has no state"));
  EXPECT_THAT([&] { expect_format(file({}), "f", 1); }, refused("wanted the format f, got none"));
  EXPECT_THAT(
      [&] {
        expect_format(file({{"format", "gloss-f"}}), "gloss-f", 1);
      },
      refused("metadata has no format_version"));
}

TEST_F(SafetensorsFormatTest, MetadataJsonMustBeAStrictObject) {
  EXPECT_EQ(metadata_json(file({{"config", R"({"a": 1})"}}), "config"), (Json{{"a", 1}}));
  EXPECT_THAT([&] { metadata_json(file({{"config", "[1]"}}), "config"); }, refused("config: wanted an object"));
  EXPECT_THAT([&] { metadata_json(file({{"config", "{} x"}}), "config"); }, refused("config: line 1"));
}

}  // namespace
}  // namespace gloss
