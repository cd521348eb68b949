// Model files with right sums: one that is accepted translates.

#include "tests/fuzz/safetensors_input.h"
#include "translation/models/translation_model.h"

namespace gloss {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = with_right_sums(input_text(data, size));
  is_read<ModelError>([&] {
    const auto file = SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "input");
    auto model = load_translation_model(file, at::kCPU);
    model.config.decoding.beam_size = 1;
    model.config.decoding.max_length = 3;
    const std::string lines[] = {"ana nipa", ""};
    for (const auto& translation : model.translator().translate(lines, model.config.decoding))
      for (const auto& candidate : translation.candidates) expect(is_text(candidate.text));
  });
  return 0;
}

}  // namespace gloss
