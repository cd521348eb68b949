// Addresses to listen to: those that are accepted mean the same when they are printed.

#include <netdb.h>

#include "common/error.h"
#include "serve/http/listen_address.h"
#include "tests/fuzz/fuzz_input.h"

/// In place of the system's function: no name is known, so that no other machine is asked for one.
extern "C" int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**) { return EAI_NONAME; }

namespace gloss {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(input_text(data, size));
  try {
    const auto endpoints = resolve_listen_address(text);
    expect(endpoints.size() == 1);
    expect(resolve_listen_address(text_of(endpoints.front())) == endpoints);
    expect(listens_to_loopback(text) == endpoints.front().address().is_loopback());
  } catch (const UsageError&) {
  }
  return 0;
}

}  // namespace gloss
