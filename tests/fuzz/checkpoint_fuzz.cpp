// Checkpoints with right sums: a state that is accepted is equal when it is written and read again.

#include "model/storage/model_file.h"
#include "tests/fuzz/safetensors_input.h"
#include "training/checkpoint.h"

namespace gloss {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto adam = [] {
    const auto model = read_model_file(GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors", at::kCPU).model;
    std::vector<std::pair<std::string, at::Tensor>> parameters;
    for (const auto& item : model->named_parameters()) parameters.emplace_back(item.key(), item.value());
    return Adam(std::move(parameters), {});
  }();
  const auto bytes = with_right_sums(input_text(data, size));
  is_read<ModelError>([&] {
    const auto file = SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "input");
    is_read<ModelError>([&] {
      const auto json = to_json(read_checkpoint_state(file));
      expect(to_json(read_training_state(json, "input")) == json);
    });
    is_read<ModelError>([&] { restore_weights(adam, file); });
    restore(adam, file);
  });
  return 0;
}

}  // namespace gloss
