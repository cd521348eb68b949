#!/usr/bin/env bash
# scripts/get_multi30k.sh [FOLDER]: fetches Multi30k (Elliott et al. 2016), English and German.
#
# 29,000 pairs for training, 1,014 for validation, 1,000 for the test. FOLDER is corpora/multi30k by
# default, where configs/multi30k_*.json expect it. The SHA-256 of each file is checked.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:-$root/corpora/multi30k}
url=${GLOSS_MULTI30K_URL:-https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw}

# SHA-256 of the unpacked text.
sums='
460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6  train.en
2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72  train.de
1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227  val.en
660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660  val.de
399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182  test_2016_flickr.en
4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16  test_2016_flickr.de'

mkdir -p "$folder"
cd "$folder"
work=$(mktemp -d .fetch.XXXXXX) # other files of the folder are not touched
trap 'rm -rf -- "$work"' EXIT
while read -r sum name; do
  [[ -n $name ]] || continue
  if [[ -f $name ]] && sha256sum --status -c <<<"$sum  $name"; then
    echo "$name is there"
    continue
  fi
  cmake -D URL="$url/$name.gz" -D FILE="$work/text.gz" -P "$root/cmake/download.cmake"
  gzip -dc "$work/text.gz" >"$work/text"
  sha256sum --status -c <<<"$sum  $work/text" || {
    echo "get_multi30k: $url/$name.gz holds another text than wanted; nothing was kept" >&2
    exit 1
  }
  mv "$work/text" "$name"
  echo "$name fetched"
done <<<"$sums"
echo "Multi30k is in $folder"
