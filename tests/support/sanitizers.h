#pragma once

namespace gloss {

/// Whether the test runs with the address or thread sanitizer, which keeps freed memory and handles signals itself.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

/// Whether the test runs with the thread sanitizer, which blocks all signals in a handler; a jump out of the handler
/// leaves them blocked.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kBlocksSignalsInHandlers = true;
#else
inline constexpr bool kBlocksSignalsInHandlers = false;
#endif

}  // namespace gloss
