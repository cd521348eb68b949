#include "interchange/import/import_model.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/safetensors.h"
#include "tests/interchange/foreign_model.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class ImportModelTest : public testing::Test {
 protected:
  void put_safetensors(const std::string& format) const {
    write_safetensors(folder_ / "model.safetensors", {{"w", {Dtype::kU8, {0}, {}}}}, {{"format", format}});
  }
  void expect_refused(const std::filesystem::path& path, const std::string& message) const {
    EXPECT_THAT([&] { check_import({.path = path}); }, ThrowsMessage<UsageError>(HasSubstr(message)));
  }

  TemporaryFolder folder_;
};

TEST_F(ImportModelTest, FilesOfGlossNeedNoImport) {
  put_safetensors("gloss-model");
  expect_refused(folder_ / "model.safetensors", "is a file of gloss; the commands of gloss take it as it is");
  put_text(folder_ / "config.json", "{}");
  expect_refused(folder_.path(), "is the folder of a run of gloss");
}

TEST_F(ImportModelTest, FilesOfOtherProgramsAreNamed) {
  put_safetensors("pt");
  expect_refused(folder_ / "model.safetensors", "name the folder, which also has config.json");
  expect_refused(folder_.path(), "found no config.json in it");
  put_text(folder_ / "config.json", "{}");
  expect_refused(folder_ / "there.zip", "there is no");
  put_text(folder_ / "there.zip", "x");
  expect_refused(folder_ / "there.zip", "unpack the archive and name its folder");
}

}  // namespace
}  // namespace gloss
