#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using Lines = std::vector<std::string>;

/// A change to the 200 good sentences before they are written to the files.
struct BadCorpus {
  std::string what;
  std::function<void(Lines& source, Lines& target)> spoil;
  int exit_code;
  std::string message;
  Arguments more = {};
  std::string end = "\n";   ///< of each line
  bool same_model = false;  ///< as of the good sentences
};

const std::string kPng = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe"s;

const std::vector<BadCorpus> kBadCorpora = {
    {"1 line counts differ", [](Lines& source, Lines&) { source.resize(199); }, 3,
     "source.txt has 199 lines, .*target.txt 200"},
    {"2 a line is not UTF-8", [](Lines& source, Lines&) { source[6] += "\xff"; }, 0,
     "warning: 1 training pair left out: not UTF-8 \\(first lines: 7\\)"},
    {"2 more than 1 % of the lines are not UTF-8",
     [](Lines& source, Lines& target) { source[6] += "\xc0\xaf", source[8] += "\xff", target[9] += "\xed\xa0\x80"; }, 3,
     "wanted UTF-8, got 3 of 200 line pairs .*first lines: 7, 9, 10"},
    {"3 a line with a NUL", [](Lines&, Lines& target) { target[0] += "\0x"s; }, 0,
     "1 training pair left out: not UTF-8 \\(first lines: 1\\)"},
    {"3 many lines with a NUL",
     [](Lines&, Lines& target) {
       for (auto& line : target) line += "\0x"s;
     },
     3, "got 200 of 200 lines with other bytes \\(first lines: 1, 2, 3, 4, 5\\)"},
    {"4 CRLF", [](Lines&, Lines&) {}, 0, "warning: the training text has Windows line ends", {}, "\r\n", true},
    {"5 a byte order mark",
     [](Lines& source, Lines&) { source[0] = "\xef\xbb\xbf" + source[0]; },
     0,
     {},
     {},
     "\n",
     true},
    {"6 UTF-16", [](Lines& source, Lines&) { source = {"\xff\xfe"s + "a\0b\0"s}; }, 3, "source.txt: .*UTF-16"},
    {"7 one side is empty", [](Lines& source, Lines& target) { source[3].clear(), target[5] = " "s; }, 0,
     "warning: 2 training pairs left out: one side is empty \\(first lines: 4, 6\\)"},
    {"7 a side of zero-width or ideographic spaces",
     [](Lines& source, Lines& target) { source[3] = "\u200b\u200b", target[5] = "\u3000"; }, 0,
     "warning: 2 training pairs left out: one side is empty \\(first lines: 4, 6\\)"},
    {"8 both sides are empty", [](Lines& source, Lines& target) { source[3].clear(), target[3].clear(); }, 0,
     "1 training pair left out: .*empty \\(first lines: 4\\)"},
    {"9 a line longer than data.max_length", [](Lines& source, Lines&) { source[1] = std::string(64, 'a'); }, 0,
     "1 training pair left out: more than data.max_length = 64 pieces \\(first lines: 2\\)"},
    {"10 empty files", [](Lines& source, Lines& target) { source = target = {}; }, 3, "no usable line|empty"},
    {"10 an empty file", [](Lines& source, Lines&) { source = {}; }, 3, "has 0 lines"},
    {"13 damaged gzip", [](Lines& source, Lines&) { source = {"\x1f\x8b\x08 and more"s}; }, 3,
     "source.txt: wanted a gzip file, got damaged bytes"},
    {"13 zstd", [](Lines& source, Lines&) { source = {"\x28\xb5\x2f\xfd$ and more"s}; }, 3,
     "zstd; decompress it first"},
    {"13 a tar archive",
     [](Lines& source, Lines&) {
       source = {std::string(512, '\0')};
       source[0].replace(257, 5, "ustar");
     },
     3, "wanted plain text, got a tar archive; unpack it first"},
    {"17 no line end at the end of the file",
     [](Lines& source, Lines&) { source.back().insert(0, source[198] + "\n"), source.erase(source.end() - 2); },
     0,
     {},
     {},
     "\n",
     true},
    {"18 lone CR and U+2028 end no line",
     [](Lines& source, Lines& target) { source[2] += " a\rb", target[4] += " a\u2028b"; },
     0,
     {}},
    {"19 no pair is left",
     [](Lines&, Lines&) {},
     3,
     "none of 200 pairs can be used: 0 empty, 200 longer than 2 pieces",
     {"--set", "data.max_length=2"}},
    {"20 a picture",
     [](Lines& source, Lines&) {
       source = {kPng, kPng};
     },
     3, "wanted UTF-8"},
    {"20 pictures",
     [](Lines& source, Lines& target) {
       source = target = {kPng, kPng};
     },
     3, "wanted text|wanted UTF-8"},
    {"21 fewer pieces than the vocabulary is to have",
     [](Lines&, Lines&) {},
     2,
     "tokenizer.vocabulary_size: wanted at most [0-9]+, got 5000",
     {"--set", "tokenizer.vocabulary_size=5000", "--set", "tokenizer.type=bpe"}},
    {"22 names of symbols are plain text",
     [](Lines& source, Lines& target) { source[0] += " <s> </s> \u2581", target[0] += " <unk> <pad>"; },
     0,
     {}},
};

std::string joined(const Lines& lines, const std::string& end) {
  std::string text;
  for (const auto& line : lines) text += line + end;
  return text;
}

class BadCorpusTest : public testing::Test {
 protected:
  /// Trains on source.txt and target.txt for no step at all, without validation and test.
  Arguments training(const std::string& out, const Arguments& more = {}) const {
    auto arguments = settings();
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_.training(out, arguments);
  }
  static Arguments settings() {
    Arguments arguments = {"--quiet"};
    for (const auto* setting : {"data.train_source=source.txt", "data.train_target=target.txt", "data.valid_source=",
                                "data.valid_target=", "data.test_source=", "data.test_target=", "training.max_steps=0"})
      arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
  }
  /// check-data says beforehand what training does.
  void expect_foreseen(const BadCorpus& bad) const {
    if (!bad.more.empty()) return;  // settings that go beyond the texts
    Arguments check = {"check-data", "--config", run_.config()};
    const auto more = settings();
    check.insert(check.end(), more.begin(), more.end());
    const auto outcome = run_gloss(check);
    EXPECT_EQ(outcome.exit_code, bad.exit_code) << outcome.out;
    if (bad.exit_code == 0 && !bad.message.empty()) {
      EXPECT_THAT(outcome.out, testing::HasSubstr("first lines: ")) << bad.message;
    }
  }
  void write_corpus(const Lines& source, const Lines& target, const std::string& end = "\n") const {
    write_text(run_ / "source.txt", joined(source, end));
    write_text(run_ / "target.txt", joined(target, end));
  }
  /// In place of data.train_source.
  Outcome expect_source(const std::string& what, const std::string& source, int exit_code, const std::string& message) {
    return expect_outcome({what, training("run", {"--set", "data.train_source=" + source}), exit_code, message},
                          folder());
  }
  std::string model(const std::string& out) const { return read_text((run_ / out) / "model.safetensors"); }
  std::filesystem::path folder() const { return run_ / ""; }

  SmallRun run_;
  Lines good_ = lines_of(read_text(run_.corpus("train.source")));
};

TEST_F(BadCorpusTest, IsRefusedOrLeftOutWithItsLinesNamed) {
  write_corpus(good_, good_);
  ASSERT_EQ(run_gloss(training("good")).exit_code, 0);
  for (const auto& bad : kBadCorpora) {
    SCOPED_TRACE(bad.what);
    auto source = good_, target = good_;
    bad.spoil(source, target);
    write_corpus(source, target, bad.end);
    expect_outcome({bad.what, training("run", bad.more), bad.exit_code, bad.message}, folder());
    expect_foreseen(bad);
    if (bad.same_model) {
      EXPECT_TRUE(model("run") == model("good"));
    }
    std::filesystem::remove_all(run_ / "run");
  }
}

TEST_F(BadCorpusTest, WhatIsNoTextFileIsRefused) {
  write_corpus(good_, good_);
  expect_source("11 source and target are one file", "target.txt", 2, "is the same file as data.train_source");
  std::filesystem::create_symlink("target.txt", run_ / "link");
  expect_source("11 by another name", "link", 2, "is the same file as data.train_source");
  std::filesystem::create_directory(run_ / "directory");
  expect_source("12 a directory", "directory", 3, "directory: wanted a text file, got a folder");
  expect_source("14 a missing file", "no_such_file", 3, "no_such_file: .*not there");
  expect_source("15 a file that cannot be read", "/proc/self/mem", 4, "/proc/self/mem: cannot read");
  if (::geteuid() != 0) {
    std::filesystem::permissions(run_ / "source.txt", std::filesystem::perms::none);
    const auto outcome = run_gloss(training("run"));
    EXPECT_EQ(outcome.exit_code, 4);
    EXPECT_THAT(outcome.err, testing::HasSubstr("source.txt: cannot open: Permission denied"));
  }
  ASSERT_EQ(::mkfifo((run_ / "pipe").c_str(), 0600), 0);
  expect_source("16 a pipe", "pipe", 2, "pipe: .*several passes");
  expect_source("16 a device", "/dev/zero", 2, "/dev/zero: .*several passes");
}

// 9 a line of a megabyte, and more
TEST_F(BadCorpusTest, ALineOfManyMegabytesTakesNoMemory) {
  write_corpus(good_, good_);
  {
    std::ofstream source(run_ / "long.txt");  // in pieces, since what this process holds would be counted too
    for (int i = 0; i < 64 << 10; ++i) source << std::string(1 << 10, 'a');
    for (const auto& line : good_) source << (&line == &good_.front() ? "" : line) << '\n';
  }
  const auto plain = run_gloss(training("plain"));
  const auto outcome = run_gloss(training("run", {"--set", "data.train_source=long.txt"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, testing::HasSubstr("1 training pair left out: more than data.max_length"));
  EXPECT_LT(outcome.peak_kib, plain.peak_kib + (16 << 10));
}

TEST_F(BadCorpusTest, AFileThatShrinksUnderARunLeavesItsCheckpoint) {
  write_corpus(good_, good_);
  const Arguments few = {"--set", "training.max_steps=5"};
  ASSERT_EQ(run_gloss(training("run", few)).exit_code, 0);
  const Arguments resume = {"--resume", "--set", "training.max_steps=10"};
  auto shorter = good_;
  shorter.pop_back();
  write_corpus(shorter, good_);
  expect_outcome({"23 one file is shorter", training("run", resume), 3, "has 199 lines, .*target.txt 200"}, folder());
  write_corpus(shorter, shorter);
  expect_outcome({"23 both files are shorter", training("run", resume), 2, "cannot resume: .*training corpus"},
                 folder());
}

TEST_F(BadCorpusTest, ValidationOnTheTrainingDataIsWarnedOf) {
  expect_outcome({"24 validation data are the training data",
                  run_.training("run", {"--quiet", "--set", "training.max_steps=0", "--set",
                                        "data.valid_source=corpus/train.source", "--set",
                                        "data.valid_target=corpus/train.target"}),
                  0, "warning: .*are the training data"},
                 folder());
}

}  // namespace
}  // namespace gloss
