#include "interchange/export/ctranslate2_file.h"

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/interchange/export/ctranslate2_reader.h"
#include "tests/run/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::string_literals;

void add(Ctranslate2Variables& variables, const std::string& name, const at::Tensor& value) {
  variables.values[name] = [value] { return value; };
}

// Each byte as CTranslate2's own ModelSpec.save writes it.
TEST(Ctranslate2FileTest, BytesAreThoseOfTheFormat) {
  const TemporaryFolder folder;
  Ctranslate2Variables variables;
  add(variables, "a/weight", at::tensor({1.0F, -2.0F}).view({1, 2}));
  add(variables, "b/weight", at::tensor({1, -1, 127}, at::kChar));
  add(variables, "c", at::tensor({1.5}).to(at::kBFloat16));
  variables.add_number("flag", 1);
  variables.add_number("heads", -2, at::kShort);
  variables.aliases["d"] = "a/weight";
  write_ctranslate2_file(folder / "model.bin", variables);
  EXPECT_EQ(text_of_file(folder / "model.bin"),
            "\6\0\0\0"
            "\x10\0TransformerSpec\0"
            "\7\0\0\0"
            "\5\0\0\0"
            "\x9\0a/weight\0\2\1\0\0\0\2\0\0\0\0\x8\0\0\0\0\0\x80\x3f\0\0\0\xc0"
            "\x9\0b/weight\0\1\3\0\0\0\1\3\0\0\0\1\xff\x7f"
            "\2\0c\0\1\1\0\0\0\5\2\0\0\0\xc0\x3f"
            "\5\0flag\0\0\1\1\0\0\0\1"
            "\6\0heads\0\0\2\2\0\0\0\xfe\xff"
            "\1\0\0\0"
            "\2\0d\0\x9\0a/weight\0"s);
}

TEST(Ctranslate2FileTest, TheReaderOfTheTestsFindsWhatWasWritten) {
  const TemporaryFolder folder;
  Ctranslate2Variables variables;
  add(variables, "x", at::tensor({3.0F, 4.0F, 5.0F, 6.0F}).view({2, 2}).t());
  variables.add_number("n", 300, at::kShort);
  write_ctranslate2_file(folder / "model.bin", variables);
  const auto model = read_ctranslate2_model(text_of_file(folder / "model.bin"));
  EXPECT_EQ(model.spec, "TransformerSpec");
  EXPECT_THAT(model.variables.at("x").shape, testing::ElementsAre(2, 2));
  EXPECT_THAT(model.variables.at("x").floats(), testing::ElementsAre(3, 5, 4, 6));
  EXPECT_EQ(model.scalar("n"), 300);
  EXPECT_TRUE(model.variables.at("n").shape.empty());
}

TEST(Ctranslate2FileTest, ANameThatIsTooLongIsRefusedAndNothingIsLeft) {
  const TemporaryFolder folder;
  Ctranslate2Variables variables;
  variables.add_number(std::string(70'000, 'x'), 0);
  EXPECT_THROW(write_ctranslate2_file(folder / "model.bin", variables), UsageError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace gloss
