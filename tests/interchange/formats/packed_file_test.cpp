#include "interchange/formats/packed_file.h"

#include "common/files/atomic_file.h"
#include "interchange/formats/marian_bin.h"
#include "interchange/formats/settings_file.h"
#include "interchange/formats/vocabulary_file.h"
#include "tests/interchange/formats/foreign_bytes.h"
#include "tests/support/gzip_file.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

class PackedFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(PackedFileTest, ACompressedModelHasTheTensorsOfThePlainOne) {
  const auto bytes = bin_bytes({{"b", 0x404, {1, 2}, raw(std::vector<float>{1.5F, -2})}});
  write_gzip(folder_ / "model.bin.gz", bytes);
  EXPECT_THAT(float_values(*open_marian_bin(folder_ / "model.bin.gz"), "b"), ElementsAre(1.5F, -2));
}

TEST_F(PackedFileTest, TheEndingOfAVocabularyIsThatBeforeTheCompression) {
  write_gzip(folder_ / "vocab.json.gz", R"({"</s>": 0, "<unk>": 1})");
  EXPECT_EQ(read_vocabulary(folder_ / "vocab.json.gz").kind, Vocabulary::Kind::kJson);
}

TEST_F(PackedFileTest, ALargeTextIsRefusedBeforeItIsWhole) {
  const std::string zeros(1 << 20, '\0');
  write_gzip(folder_ / "zeros.gz", zeros);
  EXPECT_EQ(read_model_text(folder_ / "zeros.gz", zeros.size()), zeros);
  EXPECT_THAT([&] { read_model_text(folder_ / "zeros.gz", zeros.size() - 1); },
              refuses_model("zeros.gz: wanted at most 1048575 bytes after decompression, got more"));
}

TEST_F(PackedFileTest, DamagedBytesAreRefused) {
  write_gzip(folder_ / "a.gz", std::string(1000, 'x'));
  const auto packed = read_file(folder_ / "a.gz", 1000);
  const auto opening = [&](const std::string& bytes) {
    return [this, bytes] {
      put_file(folder_ / "b.gz", bytes);
      open_unpacked(folder_ / "b.gz", 1 << 20);
    };
  };
  EXPECT_THAT(opening(packed.substr(0, packed.size() - 4)), refuses_model("b.gz: the gzip file is cut off"));
  EXPECT_THAT(opening("hello"), refuses_model("b.gz: wanted a gzip file, got damaged bytes"));
  EXPECT_THAT(opening(""), refuses_model("b.gz: wanted a gzip file, got an empty one"));
  std::filesystem::create_directory(folder_ / "c.gz");
  EXPECT_THAT([&] { open_unpacked(folder_ / "c.gz", 1); }, refuses_model("c.gz: wanted a regular file"));
}

}  // namespace
}  // namespace gloss
