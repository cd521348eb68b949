#include "interchange/formats/model_files.h"

#include <filesystem>

#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

class ModelFilesTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

std::string content(const RegularFile& file) {
  std::string bytes(file.size, '\0');
  read_up_to(file.descriptor, 0, std::as_writable_bytes(std::span(bytes)), "model.bin");
  return bytes;
}

TEST_F(ModelFilesTest, AFolderHasItsFilesAndThoseOfItsModel) {
  std::filesystem::create_directories(folder_ / "model");
  std::filesystem::create_directories(folder_ / "stanza");
  put_file(folder_ / "metadata.json", "{}");
  put_file(folder_ / "config.json", "other");
  put_file(folder_ / "model/config.json", "{}");
  put_file(folder_ / "model/model.bin", "abc");
  put_file(folder_ / "stanza/de.pt", "x");
  const ModelFiles files(folder_.path());
  EXPECT_THAT(files.names(), ElementsAre("config.json", "metadata.json", "model.bin"));
  EXPECT_EQ(files.read("config.json", 3), "{}");
  EXPECT_EQ(content(files.open("model.bin", 3)), "abc");
  EXPECT_EQ(files.on_disk("model.bin"), folder_ / "model/model.bin");
  EXPECT_THAT([&] { files.read("model.bin", 2); }, refuses_model("model.bin"));
  EXPECT_THAT([&] { files.read("other", 2); }, refuses_model("wanted other, found none"));
}

TEST_F(ModelFilesTest, AnArchiveHasTheFilesOfItsTopFolder) {
  if (!has_libzip()) GTEST_SKIP() << "built without libzip";
  const auto path = folder_ / "en_de.argosmodel";
  put_file(path, zip_bytes({{"en_de/README.md", "text"},
                            {"en_de/stanza/metadata.json", "{\"a\": 1}"},
                            {"en_de/metadata.json", "{}", true},
                            {"en_de/model/model.bin", "abc", true},
                            {"other", "x"}}));
  const ModelFiles files(path);
  EXPECT_THAT(files.names(), ElementsAre("README.md", "metadata.json", "model.bin"));
  EXPECT_EQ(files.read("metadata.json", 9), "{}");
  EXPECT_EQ(content(files.open("model.bin", 3)), "abc");
  EXPECT_EQ(files.on_disk("model.bin"), path);
  EXPECT_THAT(files.shown("model.bin"), EndsWith("en_de.argosmodel/en_de/model/model.bin"));
  EXPECT_THAT([&] { files.open("model.bin", 2); }, refuses_model("wanted at most 2 bytes, got 3"));
}

}  // namespace
}  // namespace gloss
