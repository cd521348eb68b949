#include <thread>

#include <ATen/Parallel.h>
#include <gloss/translator.h>
#include <gtest/gtest.h>

#include "tests/library/translator_test.h"

namespace gloss {
namespace {

/// Returns LibTorch's number of threads for a thread that uses it for the first time.
int of_a_new_thread() {
  int count = 0;
  std::thread([&count] { count = at::get_num_threads(); }).join();
  return count;
}

TEST(TranslatorThreadsTest, OtherThreadsKeepTheirNumberOfThreads) {
  const int own = at::get_num_threads(), usual = of_a_new_thread();
  const int threads = usual == 1 ? 2 : 1;
  const Translator translator(kModel, {.device = "cpu", .threads = threads});
  EXPECT_EQ(of_a_new_thread(), usual) << "after the constructor";
  int calls = 0;
  translator.translate(kLines, {.beam_size = 1, .on_token = [&](const StreamedToken&) {
                                  EXPECT_EQ(at::get_num_threads(), threads) << "the thread that translates";
                                  EXPECT_EQ(of_a_new_thread(), usual) << "another during a call";
                                  return ++calls < 3;
                                }});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(at::get_num_threads(), own) << "after a call";
  EXPECT_EQ(of_a_new_thread(), usual) << "another after a call";
}

}  // namespace
}  // namespace gloss
