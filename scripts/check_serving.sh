#!/usr/bin/env bash
# scripts/check_serving.sh [--runs N] [--seconds N] [PART...]: the full proof of gloss serve.
#
#     scripts/check_serving.sh                     # all parts; half an hour, and hours for the fuzzing
#     scripts/check_serving.sh --runs 10000        # with fewer executions of each fuzz target
#     scripts/check_serving.sh requests clients    # two parts
#
# requests: a process of gloss serve answers the bad requests of tests/serve/http, 200 variants among
#   them, and ends with exit code 0 after them.
# clients: scripts/check_serving_clients.py installs the clients of others and uses them.
# fuzz: scripts/fuzz.sh fuzzes what reads requests; --runs and --seconds are its options.
#
# Builds preset ci unless build/ci has the programs. Prints a line for each part and a summary; the
# whole output of each part is in build/serving. The exit code is 1 if a part has failed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work="$root/build/serving" fuzz_options=() parts=()
while (($#)); do
  case $1 in
  --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  --runs | --seconds) fuzz_options+=("$1" "${2:?$1 needs a number}") && shift 2 ;;
  requests | clients | fuzz) parts+=("$1") && shift ;;
  *)
    echo "check_serving: there is no part $1, only requests, clients and fuzz; see --help" >&2
    exit 2
    ;;
  esac
done
if ((${#parts[@]} == 0)); then parts=(requests clients fuzz); fi

gloss="$root/build/ci/app/gloss" tests="$root/build/ci/tests/serve/gloss_serve_test" server=""
trap 'if [[ -n $server ]]; then kill "$server" || true; fi' EXIT

# answers PORT: prints how many answers a server has given. Fails if one has status 500.
answers() {
  exec 3<>"/dev/tcp/127.0.0.1/$1"
  printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
  awk '/^http_server_request_duration_seconds_count/ {
         match($0, /code="[0-9]+"/)
         code = substr($0, RSTART + 6, 3)
         ++kinds
         if (code == 500) ++faults
         count[code == 503 ? code : substr(code, 1, 1) "xx"] += $NF
       }
       END {
         printf "answers: %d 2xx, %d 4xx, %d of 503, %d of 500\n", count["2xx"], count["4xx"], count[503], faults
         exit kinds == 0 || faults > 0
       }' <&3
  exec 3>&-
}

# Bad requests to a process of its own, which must still be there at the end.
requests() {
  local log="$work/server.log" address="" status=0 counts
  "$gloss" serve --config "$root/tests/serve/http/bad_requests.json" \
    --model "en-de=$root/tests/golden/tiny_model.safetensors" 2>"$log" &
  server=$!
  for ((i = 0; i < 300 && ${#address} == 0; ++i)); do
    sleep 0.1
    address=$(sed -n 's/.*listening to \([0-9.:]*\).*/\1/p' "$log")
  done
  if [[ -z $address ]]; then
    cat "$log"
    return 1
  fi
  [[ -n $("$tests" --gtest_list_tests --gtest_filter='BadRequests.*') ]] || status=1 # programs of another version
  GLOSS_SERVE_ADDRESS=$address "$tests" --gtest_filter='BadRequests.*' || status=1
  counts=$(answers "${address##*:}") || status=1
  kill -TERM "$server"
  wait "$server" || status=1 # 0: it has drained
  server=""
  echo "$counts"
  return "$status"
}

clients() { "$root/scripts/check_serving_clients.py" --gloss "$gloss"; }

fuzz() {
  "$root/scripts/fuzz.sh" ${fuzz_options[@]+"${fuzz_options[@]}"} \
    connection fields forms http_syntax listen_address routes xml_text
}

mkdir -p "$work"
if [[ ! -x $gloss || ! -x $tests ]]; then "$root/scripts/build.sh" ci gloss gloss_serve_test; fi
failed=()
for part in "${parts[@]}"; do
  if "$part" >"$work/$part.log" 2>&1; then
    echo "$part: passed; $(tail -n 1 "$work/$part.log")"
  else
    echo "$part: failed; see $work/$part.log"
    failed+=("$part")
  fi
done
if ((${#failed[@]} > 0)); then
  echo "check_serving: ${#failed[@]} of ${#parts[@]} parts failed: ${failed[*]}"
  exit 1
fi
echo "check_serving: ${parts[*]} passed"
