#!/usr/bin/env bash
# installed_test.sh CMAKE BUILD SOURCE WITH_LIBTORCH: installs the build, moves the tree, runs the program in it, and
# configures, builds and runs the project in consumer/ on it. Where Debian's tools are it makes the package `gloss` too
# (not compressed, which takes long) and runs the program out of it.
set -euo pipefail

cmake=$1 build=$2 source=$3 with_libtorch=$4
model=$source/tests/golden/tiny_model.safetensors
folder=$(mktemp -d "$build/installed.XXXXXX")
trap 'rm -rf "$folder"' EXIT
unset LD_LIBRARY_PATH

fault() {
  echo "installed_test: $*" >&2
  exit 1
}

"$cmake" --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/moved"
tree=$folder/moved

library=$(realpath "$tree"/lib*/libgloss.so)
for file in "$tree/bin/gloss" "$library"; do
  headers=$(objdump -p "$file" | grep -E 'RUNPATH|RPATH')
  if [[ $with_libtorch == ON && ! $headers =~ PATH\ +\$ORIGIN[^:]*$ ]]; then
    fault "$file looks for libraries in $headers"
  fi
done
# Of all names in gloss only those of the public interface can be seen.
if nm -D --defined-only "$library" | grep -E ' _Z[A-Z]*5gloss' |
  grep -vE '5gloss(10Translator|7version|[0-9]+Translator[A-Za-z]*Error)' | c++filt | grep .; then
  fault "the library shows more than its interface (see the lines above)"
fi

printf '%s\n' 'ana baka dalo emi' '' 'yoze' 'mo nipa quso ratu sive' >"$folder/lines"
"$tree/bin/gloss" translate --model "$model" --device cpu --threads 1 <"$folder/lines" >"$folder/wanted"

"$cmake" -S "$source/tests/library/consumer" -B "$folder/consumer" -DCMAKE_PREFIX_PATH="$tree" >/dev/null
"$cmake" --build "$folder/consumer"
"$folder/consumer/translate_lines" "$model" <"$folder/lines" >"$folder/got" 2>"$folder/streamed"
diff "$folder/wanted" "$folder/got" || fault "the library translates otherwise than the program"
[[ $(wc -l <"$folder/streamed") == 1 && -s $folder/streamed ]] || fault "the first line was not streamed"

example=$(sed '1d; s/^\(.\)/    \1/' "$source/tests/library/consumer/main.cpp")
[[ $(<"$source/README.md") == *"$example"* ]] || fault "README.md shows another example than consumer/main.cpp"

code=0
"$folder/consumer/translate_lines" "$folder/missing" </dev/null 2>"$folder/error" || code=$?
[[ $code == 2 ]] || fault "a missing model is exit code $code"
grep -q "$folder/missing" "$folder/error" || fault "a missing model is not named: $(cat "$folder/error")"
echo "installed_test: $(du -sh "$tree" | cut -f1) installed"

# A package can depend on packages only.
sentencepiece=$(ldd "$tree/bin/gloss" | awk '/libsentencepiece\.so/ { print $3 }')
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null ||
  ! dpkg -S "$(realpath "$sentencepiece")" >/dev/null 2>&1; then
  echo "installed_test: no Debian tools, or no SentencePiece of Debian's; no package was made"
  exit 0
fi
rm -rf "$tree"
(cd "$build" && "$(dirname "$cmake")/cpack" -G DEB -B "$folder/packages" -D CPACK_COMPONENTS_ALL=runtime \
  -D CPACK_DEBIAN_COMPRESSION_TYPE=none) >"$folder/log" 2>&1 || fault "no package: $(tail -n 5 "$folder/log")"
rm -rf "$folder/packages/_CPack_Packages"
package=$(echo "$folder"/packages/gloss_*.deb)
dpkg-deb -x "$package" "$folder/unpacked"
[[ $(dpkg-deb -f "$package" Depends) == *libsentencepiece* ]] || fault "the package does not say what it needs"
[[ $("$folder/unpacked/usr/bin/gloss" --version) == "gloss $(dpkg-deb -f "$package" Version)" ]] ||
  fault "the packaged program says $("$folder/unpacked/usr/bin/gloss" --version 2>&1)"
echo "installed_test: $(basename "$package") made"
