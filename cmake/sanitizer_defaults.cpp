// Defaults of the sanitizers in every program of the asan preset. LibTorch and SentencePiece are not instrumented.

// A container that one side grows looks overrun to the other: no check of containers across that border. Each exception
// searches all memory for frames that are checked for use after return, so that it is small.
extern "C" const char* __asan_default_options() {
  return "detect_container_overflow=0:detect_stack_use_after_return=1:max_uar_stack_size_log=16";
}

extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

// Kept until the process ends, by design, and out of the leak checker's sight.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libtorch\nleak:libc10\nleak:libgomp\nleak:libsentencepiece\n";
}
