#include <ATen/Parallel.h>
#include <gloss/translator.h>
#include <gtest/gtest.h>

#include "tests/library/translator_test.h"
#include "tests/support/new_thread.h"

namespace gloss {
namespace {

TEST(TranslatorThreadsTest, OtherThreadsKeepTheirNumberOfThreads) {
  const int own = at::get_num_threads(), usual = threads_of_a_new_thread();
  const int threads = usual == 1 ? 2 : 1;
  const Translator translator(kModel, {.device = "cpu", .threads = threads});
  EXPECT_EQ(threads_of_a_new_thread(), usual) << "after the constructor";
  int calls = 0;
  translator.translate(kLines, {.beam_size = 1, .on_token = [&](const StreamedToken&) {
                                  EXPECT_EQ(at::get_num_threads(), threads) << "the thread that translates";
                                  EXPECT_EQ(threads_of_a_new_thread(), usual) << "another during a call";
                                  return ++calls < 3;
                                }});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(at::get_num_threads(), own) << "after a call";
  EXPECT_EQ(threads_of_a_new_thread(), usual) << "another after a call";
}

// The sentences of a batch, and alignments, are computed by threads of gloss.
TEST(TranslatorThreadsTest, OtherThreadsKeepTheirsBesideWorkers) {
  const int own = at::get_num_threads(), usual = threads_of_a_new_thread();
  const Translator translator(kModel, {.device = "cpu", .threads = usual + 1, .alignment = true, .plain = true});
  int calls = 0;
  translator.translate(kLines, {.beam_size = 1, .on_token = [&](const StreamedToken&) {
                                  EXPECT_EQ(at::get_num_threads(), usual + 1);
                                  EXPECT_EQ(threads_of_a_new_thread(), usual) << "during a call";
                                  return ++calls < 10;
                                }});
  EXPECT_EQ(calls, 10);
  translator.translate(kLines, {.alignment = true});
  EXPECT_EQ(at::get_num_threads(), own);
  EXPECT_EQ(threads_of_a_new_thread(), usual) << "after the calls";
}

}  // namespace
}  // namespace gloss
