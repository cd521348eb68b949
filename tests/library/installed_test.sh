#!/usr/bin/env bash
# installed_test.sh CMAKE BUILD SOURCE WITH_LIBTORCH: installs the build, moves the tree, runs the program in it, and
# configures, builds and runs the projects in consumer/ and examples/c on it. Where Debian's tools are it makes the
# package `gloss` too (not compressed, which takes long) and runs the program out of it. The two are also built by
# pkg-config, and every link of the installed pages is followed.
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

documents=$tree/share/doc/gloss
library=$(realpath "$(find "$tree" -name libgloss.so)")
program=$(dirname "$library")/gloss/gloss_run  # which bin/gloss starts
for file in "$program" "$library"; do
  headers=$(objdump -p "$file" | grep -E 'RUNPATH|RPATH')
  if [[ $with_libtorch == ON && ! $headers =~ PATH\ +\$ORIGIN[^:]*$ ]]; then
    fault "$file looks for libraries in $headers"
  fi
done
# Programs lie at random addresses, and their tables of addresses are read-only (PIE and NOW in FLAGS_1).
for file in "$tree/bin/gloss" "$program"; do
  [[ $(objdump -p "$file") =~ RELRO.*FLAGS_1\ +0x0*8000001 ]] || fault "$file is not hardened by the linker"
done
# Before 1.0 the interface may change with the minor version.
soname=$(objdump -p "$library" | awk '/SONAME/ { print $2 }')
[[ $soname == "$(basename "$library" | sed -E 's/^(libgloss\.so\.(0\.[0-9]+|[1-9][0-9]*)).*/\1/')" ]] ||
  fault "$library has the SONAME $soname"
# Of all names in gloss only those of the public interface can be seen.
if nm -D --defined-only "$library" | grep -E ' _Z[A-Z]*5gloss' |
  grep -vE '5gloss(10Translator|7version|15split_sentences|[0-9]+Translator[A-Za-z]*Error)' | c++filt | grep .; then
  fault "the library shows more than its interface (see the lines above)"
fi

for file in man/man1/gloss.1 man/man1/gloss-tokenizer-train.1 bash-completion/completions/gloss \
  zsh/vendor-completions/_gloss fish/vendor_completions.d/gloss.fish; do
  [[ -s $tree/share/$file ]] || fault "share/$file is not installed"
done

printf '%s\n' 'ana baka dalo emi' '' 'yoze' 'mo nipa quso ratu sive' >"$folder/lines"
"$tree/bin/gloss" translate --model "$model" --device cpu --threads 1 <"$folder/lines" >"$folder/wanted"

"$cmake" -S "$source/tests/library/consumer" -B "$folder/consumer" -DCMAKE_PREFIX_PATH="$tree" >/dev/null
"$cmake" --build "$folder/consumer"
"$folder/consumer/translate_lines" "$model" <"$folder/lines" >"$folder/got" 2>"$folder/streamed"
diff "$folder/wanted" "$folder/got" || fault "the library translates otherwise than the program"
[[ $(wc -l <"$folder/streamed") == 1 && -s $folder/streamed ]] || fault "the first line was not streamed"

# From C, by a project that has no C++.
"$cmake" -S "$source/examples/c" -B "$folder/c_consumer" -DCMAKE_PREFIX_PATH="$tree" >/dev/null
"$cmake" --build "$folder/c_consumer"
"$folder/c_consumer/translate_lines" "$model" <"$folder/lines" | diff "$folder/wanted" - ||
  fault "the library translates otherwise from C than the program"

# The same by pkg-config, which knows the tree where it stands now.
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$tree" -name gloss.pc)")
  export PKG_CONFIG_PATH
  libraries=$(pkg-config --variable=libdir gloss)
  [[ $(realpath "$libraries") == $(dirname "$library") ]] || fault "gloss.pc names $libraries"
  read -ra flags < <(pkg-config --cflags --libs gloss)
  "$CXX" -std=c++20 "$source/tests/library/consumer/main.cpp" -o "$folder/by_pkgconfig" "${flags[@]}" \
    "-Wl,-rpath,$libraries"
  "$folder/by_pkgconfig" "$model" <"$folder/lines" 2>/dev/null | diff "$folder/wanted" - ||
    fault "a program built by pkg-config translates otherwise"
  "$CC" -std=c99 "$source/examples/c/translate_lines.c" -o "$folder/c_by_pkgconfig" "${flags[@]}" \
    "-Wl,-rpath,$libraries"
  "$folder/c_by_pkgconfig" "$model" <"$folder/lines" | diff "$folder/wanted" - ||
    fault "a C program built by pkg-config translates otherwise"
fi

# Every relative link of an installed page leads to an installed file.
pages=0
while read -r page; do
  pages=$((pages + 1))
  while read -r link; do
    [[ -e $(dirname "$page")/$link ]] || fault "${page#"$documents/"} links to $link, which is not installed"
  done < <(grep -v '^    ' "$page" | grep -oE '[^[]\]\([^)# ]+' | sed 's/.*](//' | grep -v ':')  # not C++'s [](...)
done < <(find "$documents" -name '*.md')
((pages > 10)) || fault "only $pages pages are installed"
# The license texts that the page names are there, where this LibTorch came with texts.
[[ -f $documents/docs/third_party.md ]] || fault "docs/third_party.md is not installed"
if [[ -d $documents/licenses/libtorch/third_party ]]; then
  while read -r text; do
    [[ -e $documents/$text ]] || fault "docs/third_party.md names $text, which is not installed"
  done < <(grep -oE 'licenses/libtorch/[^`]+' "$documents/docs/third_party.md")
fi

# docs/installing.md installs what scripts/demo.sh has built.
while read -r target; do
  grep -qE "build.sh\" release( .*)? $target( |\$)" "$source/scripts/demo.sh" || fault "scripts/demo.sh does not build $target"
done < <(grep -oE 'install\(TARGETS [a-z]+' "$source/cmake/GlossInstall.cmake" | cut -d ' ' -f 2)

example=$(sed '1d; s/^\(.\)/    \1/' "$source/tests/library/consumer/main.cpp")
[[ $(<"$source/docs/library.md") == *"$example"* ]] ||
  fault "docs/library.md shows another example than consumer/main.cpp"

code=0
"$folder/consumer/translate_lines" "$folder/missing" </dev/null 2>"$folder/error" || code=$?
[[ $code == 2 ]] || fault "a missing model is exit code $code"
grep -q "$folder/missing" "$folder/error" || fault "a missing model is not named: $(cat "$folder/error")"
echo "installed_test: $(du -sh "$tree" | cut -f1) installed"

# A package can depend on packages only.
sentencepiece=$(ldd "$program" | awk '/libsentencepiece\.so/ { print $3 }')
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
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
[[ -e $folder/unpacked/usr/lib/$multiarch/$soname ]] ||
  fault "the package has no usr/lib/$multiarch/$soname; an old build folder needs cmake -U CMAKE_INSTALL_LIBDIR"
[[ $(dpkg-deb -f "$package" Depends) == *libsentencepiece* ]] || fault "the package does not say what it needs"
[[ $("$folder/unpacked/usr/bin/gloss" --version) == "gloss $(dpkg-deb -f "$package" Version) "* ]] ||
  fault "the packaged program says $("$folder/unpacked/usr/bin/gloss" --version 2>&1)"
if [[ $with_libtorch == ON ]] && ! "$folder/unpacked/usr/bin/gloss" inspect "$model" >/dev/null; then
  fault "the packaged program runs no command"
fi
[[ -s $folder/unpacked/usr/share/man/man1/gloss-translate.1 ]] || fault "the package has no manual pages"
echo "installed_test: $(basename "$package") made"
