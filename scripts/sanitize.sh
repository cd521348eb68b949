#!/usr/bin/env bash
# scripts/sanitize.sh [addresses|threads]...: runs the tests with sanitizers, both kinds by default.
#
#     scripts/sanitize.sh addresses   # addresses, undefined behavior: every test (preset asan)
#     scripts/sanitize.sh threads     # data races: tests that share objects (preset tsan)
#
# LibTorch, SentencePiece and libgomp are not instrumented. cmake/tsan_suppressions.txt and
# cmake/sanitizer_defaults.cpp list what is therefore suppressed, with reasons. A clean build with
# sanitizers takes two to three times as long as one without. JOBS is the number of tests at once
# (default: the number of processors). Exit code: 0 if nothing was found, 2 for wrong arguments.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${JOBS:-$(nproc)}

addresses() {
  "$root/scripts/build.sh" asan
  (cd "$root" && ctest --preset asan --parallel "$jobs")
}

# Programs whose tests share a translator, scorer, network, tokenizer, table or log between threads.
threads() {
  local programs=(gloss_common_test gloss_tokenizer_test gloss_evaluation_test gloss_model_test gloss_decoding_test
    gloss_tensor_test gloss_training_test gloss_translation_test gloss_library_test gloss_library_threads_test)
  local names='^(LogTest|MappedFileTest|SentencePiece.*Test|ParallelForTest|ResamplingTest|PositionalEncodingTest)|ModelScorers'
  names+='|InferenceScorer|Translator|WorkersTest|ShardTree|ShardedUpdate|BatchedSearch|ForcedScores|TranslationJob|TranslationRunner'
  # These compute long searches by teams of libgomp, whose barriers the sanitizer does not see.
  local teams=ATranslationsBitsDependNeither
  # The build runs each program to list its tests.
  export TSAN_OPTIONS=suppressions=$root/cmake/tsan_suppressions.txt
  "$root/scripts/build.sh" tsan "${programs[@]}"
  (cd "$root" && ctest --preset tsan --parallel "$jobs" --tests-regex "$names" --exclude-regex "_NOT_BUILT|$teams")
}

kinds=("$@")
if ((${#kinds[@]} == 0)); then kinds=(addresses threads); fi
for kind in "${kinds[@]}"; do
  case $kind in
    addresses | threads) ;;
    *)
      echo "usage: scripts/sanitize.sh [addresses|threads]..." >&2
      exit 2
      ;;
  esac
done
for kind in "${kinds[@]}"; do "$kind"; done
echo "sanitize: nothing was found (${kinds[*]})"
