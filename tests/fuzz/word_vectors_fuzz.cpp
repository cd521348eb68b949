// Word vectors: whatever is accepted has a row of finite numbers for each piece that was found.

#include <cmath>

#include "data/word_vectors.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = input_text(data, size);
  const auto width = 1 + take_byte(text) % 5;
  PieceSpellings pieces;
  Id id = 0;
  for (const auto* const piece : {"<pad>", "<unk>", "\u2581a", "b", "\u2581", "\u2581the", "the", "\u00e4"})
    pieces.add(id++, piece);
  is_read<DataError>([&] {
    const auto vectors = read_word_vectors(put_input("vectors.txt", text), pieces, width);
    expect(vectors.values.size() == vectors.ids.size() * width && !vectors.ids.empty());
    expect(std::ranges::is_sorted(vectors.ids) && vectors.ids.front() > 0 && vectors.ids.back() < id);
    expect(std::ranges::adjacent_find(vectors.ids) == vectors.ids.end());
    expect(std::ranges::all_of(vectors.values, [](float value) { return std::isfinite(value); }));
    expect(vectors.unusable.count <= vectors.words / 100);
  });
  return 0;
}

}  // namespace gloss
