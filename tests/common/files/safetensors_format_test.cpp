#include "common/files/safetensors_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

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
