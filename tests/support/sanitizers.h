#pragma once

namespace gloss {

/// Whether the test runs with the address or thread sanitizer, which keeps freed memory and handles signals itself.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace gloss
