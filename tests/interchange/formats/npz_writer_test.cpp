#include <cstring>
#include <map>

#include <ATen/Functions.h>

#include "common/files/atomic_file.h"
#include "interchange/formats/npz_file.h"
#include "interchange/formats/zip_file.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

class NpzWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  }

  void write(const std::string& name) const {
    write_npz(folder_ / name, {{"special:model.yml", at::tensor({97, 58, 32, 49}, at::kChar)},
                               {"Wemb", at::full({1000, 100}, 0.25F)},
                               {"empty", at::empty({0, 2})}});
  }
  std::string file(const std::string& name) const { return read_file(folder_ / name, 10 << 20); }

  TemporaryFolder folder_;
};

TEST_F(NpzWriterTest, WritesWhatTheReaderReads) {
  write("a.npz");
  const auto archive = open_npz(folder_ / "a.npz");
  EXPECT_THAT(archive->names(), ElementsAre("Wemb", "empty", "special:model.yml"));
  EXPECT_EQ(archive->info("Wemb"), (ForeignTensorInfo{at::kFloat, {1000, 100}}));
  EXPECT_EQ(float_values(*archive, "Wemb"), std::vector<float>(100'000, 0.25F));
  EXPECT_EQ(to_text(archive->tensor("special:model.yml")), "a: 1");
  EXPECT_EQ(archive->tensor("empty").numel(), 0);
}

TEST_F(NpzWriterTest, TheBytesDependOnTheTensorsOnly) {
  ::setenv("TZ", "America/New_York", 1);
  write("a.npz");
  ::setenv("TZ", "Asia/Tokyo", 1);
  write("b.npz");
  ::unsetenv("TZ");
  EXPECT_EQ(file("a.npz"), file("b.npz"));
}

// Marian's reader goes from one local header to the next. It supports neither deflated entries nor sizes after the
// data, and looks for the end of line of NumPy's header within 255 bytes.
TEST_F(NpzWriterTest, AReaderOfLocalHeadersFindsEveryEntryStored) {
  write("a.npz");
  const auto bytes = file("a.npz");
  const auto word = [&](std::size_t place) {
    std::uint16_t value = 0;
    std::memcpy(&value, bytes.data() + place, 2);
    return std::size_t{value};
  };
  const auto dword = [&](std::size_t place) { return word(place) | word(place + 2) << 16; };
  std::vector<std::string> names;
  std::size_t place = 0;
  for (; bytes.substr(place, 4) == "PK\x03\x04";
       place += 30 + word(place + 26) + word(place + 28) + dword(place + 22)) {
    EXPECT_EQ(word(place + 6), 0u) << "flags";
    EXPECT_EQ(word(place + 8), 0u) << "method";
    EXPECT_EQ(dword(place + 18), dword(place + 22));
    EXPECT_EQ(word(place + 28), 0u) << "extra field";
    names.push_back(bytes.substr(place + 30, word(place + 26)));
    const auto data = bytes.substr(place + 30 + word(place + 26), dword(place + 22));
    EXPECT_TRUE(data.starts_with("\x93NUMPY\x01"));
    EXPECT_LT(data.find('\n'), 255u);
  }
  EXPECT_THAT(names, ElementsAre("special:model.yml.npy", "Wemb.npy", "empty.npy"));
  EXPECT_EQ(bytes.substr(place, 4), "PK\x01\x02");
}

TEST_F(NpzWriterTest, KeepsTheFormerFileIfTheTensorsAreWrong) {
  put_file(folder_ / "a.npz", "former");
  const auto path = folder_ / "a.npz";
  const auto values = at::zeros({2, 2});
  EXPECT_THROW(write_npz(path, {{"a", values.t()}}), ShapeError);
  EXPECT_THROW(write_npz(path, {{"a", values}, {"a", values}}), ShapeError);
  EXPECT_EQ(file("a.npz"), "former");
  EXPECT_THROW(write_npz(folder_ / "missing" / "a.npz", {{"a", values}}), IoError);
}

}  // namespace
}  // namespace gloss
