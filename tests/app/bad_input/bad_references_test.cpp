#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using namespace std::string_literals;

/// Never a score from texts of which line n of one might not belong to line n of the other.
class BadReferencesTest : public testing::Test {
 protected:
  BadReferencesTest() {
    write_text(folder_ / "two", "a\nb\n");
    write_text(folder_ / "again", "a\nc\n");
    write_text(folder_ / "one", "a\n");
    write_text(folder_ / "empty", "");
    write_text(folder_ / "latin1", "a\nb\xe4\n");
    write_text(folder_ / "nul", "a\n\0b\n"s);
    write_text(folder_ / "utf16", "\xff\xfe"s + "a\0\n\0"s);
    write_text(folder_ / "gzip", "\x1f\x8b\x08 rest of it"s);
    write_text(folder_ / "columns", "a\tb\nc\n");
    write_text(folder_ / "blank", "a\n \n");
    write_text(folder_ / "long", "a\n" + std::string(1 << 17, 'b') + "\n");
  }

  /// A command in which names of files begin with '@'.
  void expect_refused(const std::string& what, const Arguments& options, int exit_code, const std::string& message,
                      const std::string& input = {}) {
    BadInput bad{what, {"evaluate"}, exit_code, message, input};
    for (const auto& option : options)
      bad.command.push_back(option.starts_with('@') ? (folder_ / option.substr(1)).string() : option);
    expect_outcome(bad, folder_.path());
  }

  TemporaryFolder folder_;
};

TEST_F(BadReferencesTest, TextsOfDifferentLengthGetNoScore) {
  expect_refused("hypothesis", {"@two", "-i", "@one"}, 3, "one has 1 line, .*two 2; line n");
  expect_refused("second system", {"@two", "-i", "@two", "@one", "-f", "text"}, 3, "one has 1 line");
  expect_refused("second reference", {"@two", "@one", "-i", "@two"}, 3, "one has 1 line");
  expect_refused("groups", {"@two", "-i", "@two", "--groups", "@one"}, 3, "one has 1 line");
  expect_refused("source", {"@two", "-i", "@two", "--source", "@one"}, 3, "one has 1 line");
  expect_refused("line by line", {"@two", "-i", "@one", "--sentence-level"}, 3, "one has 1 line");
  expect_refused("stdin", {"@two", "--format", "sacrebleu"}, 3, "System 1 has 3 lines", "a\nb\nc\n");
}

TEST_F(BadReferencesTest, WhatIsNoTextGetsNoScore) {
  for (const std::string bad : {"empty", "latin1", "nul", "utf16", "gzip", "long"}) {
    expect_refused(bad + " as reference", {"@" + bad, "-i", "@two"}, 3, bad);
    expect_refused(bad + " as hypothesis", {"@two", "-i", "@" + bad}, 3, bad);
  }
  expect_refused("place", {"@latin1", "-i", "@two"}, 3,
                 "latin1: line 2: wanted UTF-8, got an invalid byte at position 2");
  expect_refused("a folder", {"@", "-i", "@two"}, 3, "got a folder");
  expect_refused("nothing on stdin", {"@two", "-f", "text"}, 3, "stdin: wanted lines to score, got an empty file");
}

TEST_F(BadReferencesTest, EveryLineNeedsItsReferences) {
  expect_refused("too few", {"@columns", "-i", "@two", "--num-refs", "2"}, 3, "line 2: wanted 2 references");
  expect_refused("none", {"@blank", "-i", "@two", "--num-refs", "var"}, 3, "line 2: wanted a reference");
  expect_refused("columns of two files", {"@two", "@columns", "-i", "@two", "-nr", "2"}, 2,
                 "wanted one reference file");
  expect_refused("no number", {"@two", "-i", "@two", "-nr", "0"}, 2, "--num-refs: wanted a whole number");
  expect_refused("no reference", {"-i", "@two"}, 2, "reference");
  expect_refused("missing", {"@two", "@none", "-i", "@two"}, 2, "--reference: there is no file .*none");
}

TEST_F(BadReferencesTest, SystemsMustBeAsManyAsIsAskedFor) {
  expect_refused("one in a test", {"@two", "-i", "@two", "--paired-bs"}, 2, "wanted several systems, got one");
  expect_refused("both tests", {"@two", "-i", "@two", "@again", "-pbs", "-par"}, 2, "excludes");
  expect_refused("interval of two", {"@two", "-i", "@two", "@again", "--confidence"}, 2, "wanted one system, got 2");
  expect_refused("lines of two", {"@two", "-i", "@two", "@again", "-sl"}, 2, "wanted one system, got 2");
  expect_refused("differences of one", {"@two", "-i", "@two", "--differences", "3"}, 2, "wanted two systems, got 1");
  expect_refused("twice", {"@two", "-i", "@again", "@again"}, 2, "again is given twice");
  expect_refused("test on stdin", {"@two", "-f", "text", "-pbs"}, 3, "wanted several systems on stdin", "a\nb\n");
  expect_refused("tabs on stdin", {"@two", "-f", "text"}, 3, "line 2: wanted 2 systems", "a\tb\nc\n");
}

TEST_F(BadReferencesTest, OptionsThatMeanNothingTogetherAreRefused) {
  const auto refused = [&](const Arguments& more, const std::string& message) {
    Arguments arguments = {"@two", "-i", "@two"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(message, arguments, 2, message);
  };
  refused({"--format", "text", "--json"}, "excludes");
  refused({"--json", "--short"}, "--json and --short exclude");
  refused({"--json", "--score-only"}, "--json and --score-only exclude");
  refused({"--json", "--width", "3"}, "--json and --width exclude");
  refused({"--chrf-beta", "1000001"}, "--chrf-beta: wanted a whole number from 0 to 1000000");
  refused({"--smooth-value", "2e30"}, "--smooth-value: wanted a number from 0 to 1e.30");
  refused({"--format", "xml"}, "--format: wanted one of sacrebleu, json, text, latex, got xml");
  refused({"--format", "text", "--groups", "@two"}, "--format: .* no part of sacreBLEU's output");
  refused({"--format", "text", "-sl", "-m", "bleu", "ter"}, "--sentence-level: wanted one metric");
  refused({"--sentence-level", "--confidence"}, "--sentence-level and --confidence exclude");
  refused({"--sentence-level", "--groups", "@two"}, "--sentence-level: .* whole text");
  refused({"--length-buckets", "3"}, "--length-buckets: wanted --source");
  refused({"--source", "@two", "--length-buckets", "3,2"}, "--length-buckets: wanted rising numbers");
  refused({"--metrics", "bleu,,ter"}, "--metrics: wanted one of bleu, chrf, ter, got");
  refused({"--tokenize", "ja-mecab"}, "--tokenize: wanted one of 13a, .*spBLEU-1K, got ja-mecab");
  refused({"--tokenize", "zh", "--spm-model", "@two"}, "--spm-model: wanted only with");
  refused({"--spm-model", "@none"}, "--spm-model: there is no file");
  expect_refused("a name too long", {"@two", "-i", "@two", "--spm-model", "@" + std::string(300, 'a')}, 3,
                 "wanted a SentencePiece model, but it is not there");
  refused({"--smooth-method", "laplace"}, "--smooth-method: wanted one of");
  refused({"--smooth-value", "-1"}, "--smooth-value: wanted a number");
  refused({"--confidence", "--seed", "x"}, "--seed: wanted none or a whole number from 0, got x");
  refused({"--confidence-n", "0"}, "--confidence-n: wanted a whole number");
  refused({"--width", "-1"}, "--width: wanted a whole number");
  refused({"-m", "chrf", "--chrf-char-order", "0"}, "--chrf-char-order: wanted at least 1, or words");
}

// A model that translates for hours must not be found useless then. There is none here: it is not even looked at.
TEST_F(BadReferencesTest, WhatIsWrongIsSaidBeforeAModelTranslates) {
  const EnvironmentVariable models("SACREBLEU", (folder_ / "kept").string());
  const auto refused = [&](const Arguments& more, int exit_code, const std::string& message) {
    Arguments arguments = {"@two", "--model", "@no-model", "--source", "@two"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(message, arguments, exit_code, message);
  };
  refused({}, 2, "no-model");
  refused({"-m", "chrf", "--chrf-char-order", "0"}, 2, "--chrf-char-order: wanted at least 1");
  refused({"--tokenize", "flores200"}, 2, "--tokenize flores200 wants");
  refused({"--groups", "@one"}, 3, "one has 1 line, .*two 2");
  refused({"--spm-model", "@none"}, 2, "--spm-model: there is no file");
  refused({"--tokenize", "zh", "--spm-model", "@two"}, 2, "--spm-model: wanted only with");
  const EnvironmentVariable seed("SACREBLEU_SEED", "many");
  refused({"--confidence"}, 2, "SACREBLEU_SEED: wanted a whole number");
}

}  // namespace
}  // namespace gloss
