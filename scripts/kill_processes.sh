#!/usr/bin/env bash
# scripts/kill_processes.sh [KILLS [PROCESSES]]: kills one process of a training and resumes it.
#
#     scripts/kill_processes.sh 100 2             # the defaults
#
# At a random moment one of the processes, drawn at random, gets SIGKILL, or SIGSTOP once in twenty times, as if its
# machine hung. The others must end with exit code 8 within 30 seconds and leave no half-written file. Continues with
# --resume on a random number of processes, and compares the model of each finished run with that of an unbroken run of
# one process. The exit code is 0 if all is as it should be.
set -euo pipefail

kills=${1:-100}
most=${2:-2}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gloss=${GLOSS_BUILD:-$root/build/release}/app/gloss
[[ -n ${GLOSS_BUILD:-} ]] || "$root/scripts/build.sh" release gloss gloss_run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
RANDOM=1

"$gloss" make-corpus copy --out corpus --size 200 --quiet
cat >run.json <<'END'
{"seed": 7, "defaults": "fixed", "tokenizer": {"vocabulary_size": 40, "type": "char"},
 "data": {"train_source": "corpus/train.source", "train_target": "corpus/train.target",
          "valid_source": "corpus/valid.source", "valid_target": "corpus/valid.target", "batch_tokens": 512},
 "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "d_ff": 32, "heads": 2},
 "training": {"max_steps": 600, "save_every": 20, "validate_every": 100, "average_last": 2, "ema_decay": 0.9},
 "decoding": {"max_length": 6}}
END

# train PROCESSES [OPTION...]: in the background.
train() {
  "$gloss" train-translate --config run.json --threads 1 --quiet --processes "$@" >/dev/null 2>err &
  starter=$!
}
seconds() { date +%s.%N; }
sum() { sha256sum <"$1/model.safetensors"; }

begin=$(seconds)
train 1 --out unbroken
wait "$starter"
whole=$(awk -v a="$begin" -v b="$(seconds)" 'BEGIN { print 2 * (b - a) }')  # several processes take longer to start
wanted=$(sum unbroken)

done_kills=0 finished=0 equal=0 faults=0 slowest=0
fault() {
  faults=$((faults + 1))
  echo "fault: $* ($(tail -n 1 err))"
}
while ((done_kills < kills)); do
  processes=$((2 + RANDOM % (most - 1)))
  touch started
  train "$processes" --out run --resume
  sleep "$(awk -v r="$RANDOM" -v t="$whole" 'BEGIN { print r / 32768 * t }')"
  read -ra children < <(cat "/proc/$starter/task/$starter/children" 2>/dev/null || true; echo)  # the file ends without a line end
  signal=KILL
  # Before they have joined, processes wait ten minutes for one that does not come. A new checkpoint shows that they have.
  if ((RANDOM % 20 == 0)) && [[ -n $(find run/checkpoints -name 'step*' -newer started 2>/dev/null) ]]; then signal=STOP; fi
  if ((${#children[@]} == processes)) && kill -s "$signal" "${children[RANDOM % processes]}" 2>/dev/null; then
    begin=$(seconds)
    code=0
    # The starter waits for the process that hangs; it kills that after 40 seconds. The survivors end before.
    for child in "${children[@]}"; do
      while [[ -e /proc/$child && $(awk '{ print $3 }' "/proc/$child/stat" 2>/dev/null) != [TZ] ]]; do sleep 0.05; done
    done
    took=$(awk -v a="$begin" -v b="$(seconds)" 'BEGIN { print b - a }')
    pkill -KILL -P "$starter" 2>/dev/null || true
    wait "$starter" || code=$?
    done_kills=$((done_kills + 1))
    slowest=$(awk -v a="$slowest" -v b="$took" 'BEGIN { print (a > b ? a : b) }')
    if ((code != 8 && code != 0)); then fault "exit code $code after SIG$signal"; fi
    if awk -v t="$took" 'BEGIN { exit !(t > 30) }'; then fault "the others took $took s to end"; fi
  else
    code=0
    wait "$starter" || code=$?
    if ((code != 0)); then fault "exit code $code without a signal"; fi
  fi
  # A run goes on in spite of a damaged file, with a warning.
  if grep -q 'steps are lost$\|encoded again$' err; then fault "a half-written file"; fi
  if ((code == 0)); then
    finished=$((finished + 1))
    if [[ $(sum run) == "$wanted" ]]; then equal=$((equal + 1)); else fault "another model"; fi
    rm -rf run
  fi
  if ((done_kills % 10 == 0)); then echo "$done_kills kills, $finished runs to the end"; fi
done
train 1 --out run --resume
if wait "$starter"; then
  finished=$((finished + 1))
  if [[ $(sum run) == "$wanted" ]]; then equal=$((equal + 1)); else fault "another model"; fi
else
  fault "the last run did not end well"
fi
echo "$done_kills kills; $finished runs to the end, $equal with the model of the unbroken run; the others ended within" \
  "$slowest s; $faults faults"
((faults == 0 && finished == equal))
