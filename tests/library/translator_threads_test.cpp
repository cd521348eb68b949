#include <atomic>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gloss/translator.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/library/translations.h"
#include "tests/support/new_thread.h"

namespace {

std::atomic<bool> refuses_threads = false;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Replaces the C library's, for this program and its libraries.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                             void* (*start)(void*), void* data) noexcept {
  if (refuses_threads) return EAGAIN;
  static auto* const real = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, start, data);
}
#endif

namespace gloss {
namespace {

/// While an object lives, the system gives no further thread.
class RefusedThreads {
 public:
  RefusedThreads() { refuses_threads = true; }
  ~RefusedThreads() { refuses_threads = false; }
};

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

TEST(TranslatorThreadsTest, ThreadsThatTheSystemRefusesAreDoneWithout) {
  const auto usual = texts(Translator(kModel, {.device = "cpu", .threads = 1}).translate(kLines));
  std::vector<std::string> found;
  std::thread([&] {  // which has no threads of OpenMP's yet
    const RefusedThreads none_left;
    const Translator translator(kModel, {.device = "cpu", .threads = 3, .alignment = true});
    found = texts(translator.translate(kLines, {.alignment = true}));
  })
      .join();
  EXPECT_EQ(found, usual);
}

// The child has none of the threads that its parent had started.
TEST(TranslatorThreadsTest, AForkedProcessIsRefusedInPlaceOfWaitingForEver) {
  const Translator several(kModel, {.device = "cpu", .threads = 3}), one(kModel, {.device = "cpu", .threads = 1});
  const auto usual = texts(several.translate(kLines));
  const auto code_of_child = [](const std::function<bool()>& succeeds) {
    const auto child = ::fork();
    if (child == 0) {
      ::alarm(60);
      bool done = false;
      try {
        done = succeeds();
      } catch (...) {
      }
      ::_exit(done ? 7 : 8);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  };
  EXPECT_EQ(code_of_child([&] {
              try {
                several.translate(kLines);
                return false;
              } catch (const TranslatorUsageError& error) {
                return std::string(error.what()).starts_with("threads: wanted 1 in a process that was forked");
              }
            }),
            7);
  EXPECT_EQ(code_of_child([&] { return texts(one.translate(kLines)) == usual; }), 7);
  EXPECT_EQ(code_of_child([&] {
              std::vector<std::string> found;
              std::thread([&] { found = texts(several.translate(kLines)); }).join();
              return found == usual;
            }),
            7)
      << "a new thread starts its own";
  const std::vector<std::string> many(64, kLines[0]);
  auto with_threads = std::make_unique<Translator>(kModel, TranslatorSettings{.device = "cpu", .threads = 3});
  with_threads->translate(many, {.batch_size = 4});
  EXPECT_EQ(code_of_child([&] {
              bool is_refused = false;
              try {
                std::thread([&] {
                  try {
                    with_threads->translate(kLines);
                  } catch (const TranslatorUsageError&) {
                    is_refused = true;
                  }
                }).join();
              } catch (...) {
              }
              with_threads.reset();  // does not wait for threads that are gone
              return is_refused;
            }),
            7);
}

}  // namespace
}  // namespace gloss
