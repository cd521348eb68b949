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
  local programs=(common tokenizer evaluation model decoding tensor training translation library library_threads)
  local filter='LogTest.*:MappedFileTest.*:SentencePiece*:ParallelForTest.*:ResamplingTest.*:PositionalEncodingTest.*'
  filter+=':*ModelScorers*:*InferenceScorer*:*Translator*:*WorkersTest*:*ShardTree*:*ShardedUpdate*:*BatchedSearch*'
  filter+=':*ForcedScores*:*TranslationJob*:*TranslationRunner*:*CInterface*'
  # These compute long searches by teams of libgomp, whose barriers the sanitizer does not see.
  filter+='-*ATranslationsBitsDependNeither*'
  # The sanitizer ends a process that was forked from one with threads and starts one.
  filter+=':*AForkedProcessIsRefused*'
  # The build runs each program to list its tests.
  export TSAN_OPTIONS=suppressions=$root/cmake/tsan_suppressions.txt OMP_NUM_THREADS=1
  local name failed=0 targets=()
  for name in "${programs[@]}"; do targets+=("gloss_${name}_test"); done
  "$root/scripts/build.sh" tsan "${targets[@]}"
  for name in "${programs[@]}"; do
    # The threads of calls that share a library must not hide behind reports of teams, so there are none.
    if [[ $name == library_threads ]]; then export OMP_THREAD_LIMIT=1; fi
    cd "$root/build/tsan/tests/${name%_threads}"
    [[ -n $("./gloss_${name}_test" --gtest_list_tests --gtest_filter="$filter") ]] # a filter that matches nothing
    "./gloss_${name}_test" --gtest_filter="$filter" --gtest_brief=1 || failed=$?
  done
  return "$failed"
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
