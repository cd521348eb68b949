// A library to be preloaded, in which the call number GLOSS_FAULT_AT of pthread_create, from 1, and all after it fail
// with EAGAIN, as at a limit of threads.

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>

namespace {

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
std::atomic<long> calls = 0;

}  // namespace

#pragma GCC visibility push(default)
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* data) {
  const char* const at = std::getenv("GLOSS_FAULT_AT");
  if (at != nullptr && ++calls >= std::atol(at)) return EAGAIN;
  static auto* const real = reinterpret_cast<Create*>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, start, data);
}
#pragma GCC visibility pop
