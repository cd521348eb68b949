#include <string>

#include <gtest/gtest.h>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

/// A file of another kind than an option wants.
class WrongFileTest : public testing::Test {
 protected:
  WrongFileTest() {
    write_text(text_, "Two dogs run.\n");
    const auto trained = run_gloss({"tokenizer", "train", "--input", run_.corpus("train.source"), "--vocabulary-size",
                                    "40", "--type", "char", "--output", pieces_});
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
  }

  void refused(const Arguments& command, int exit_code, const std::string& message) const {
    expect_outcome({command[0] + " " + command[2], command, exit_code, message}, run_ / "");
  }

  SmallRun run_;
  std::string text_ = run_ / "text", pieces_ = run_ / "pieces.model";
};

TEST_F(WrongFileTest, IsNamedWhereAModelIsWanted) {
  for (const auto& [file, kind] :
       {std::pair{run_.config(), "a JSON text"}, {text_, "a text"}, {pieces_, "a SentencePiece model"}}) {
    const auto message = file + ": is not a model file: wanted a safetensors file, got " + kind + "\n$";
    refused({"translate", "--model", file}, 3, message);
    refused({"score", "--model", file, "--source", text_, "--target", text_}, 3, message);
    refused({"evaluate", "--model", file, "--source", text_, "--reference", text_}, 3, message);
    refused({"convert", "--model", file, "--precision", "int8", "--output", run_ / "x"}, 3, message);
    refused({"average", "--output", run_ / "x", file}, 3, message);
    refused({"inspect", "--device", "cpu", file}, 3, message);
    refused({"train", "--config", run_.config(), "--out", run_ / "run", "--set", "training.start_from=" + file}, 3,
            message);
  }
}

TEST_F(WrongFileTest, IsNamedWhereATokenizerIsWanted) {
  for (const auto& [file, kind] : {std::pair{run_.config(), "a JSON text"}, {text_, "a text"}}) {
    const auto message = file + ": wanted a SentencePiece model, got " + kind;
    for (const std::string command : {"encode", "decode"}) refused({"tokenizer", command, "--model", file}, 3, message);
    refused({"train", "--config", run_.config(), "--out", run_ / "run", "--set", "tokenizer.model_file=" + file}, 3,
            message);
  }
}

TEST_F(WrongFileTest, IsNamedWhereARunFileIsWanted) {
  for (const auto& [file, kind] : {std::pair{text_, "a text"}, {pieces_, "a SentencePiece model"}})
    for (const std::string command : {"train", "doctor", "check-data"})
      refused({command, "--config", file}, 2,
              file + ": is not a run file: wanted a JSON text \\{ ... \\}, got " + kind + "; line ");
}

}  // namespace
}  // namespace gloss
