// The safetensors layout: tensors lie within the file and fill it, and a header is equal when it is written and read
// again.

#include <algorithm>
#include <ranges>

#include "common/files/safetensors.h"
#include "tests/fuzz/safetensors_input.h"

namespace gloss {
namespace {

bool operator==(const TensorRange& a, const TensorRange& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.begin == b.begin && a.end == b.end;
}

void check_file(const std::string& bytes) {
  is_read<ModelError>([&] {
    const auto file = SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "input");
    std::size_t total = 0;
    for (const auto& [name, tensor] : file.tensors()) {
      std::uint64_t elements = 1;
      for (const auto size : tensor.shape) elements *= static_cast<std::uint64_t>(size);
      expect(!name.empty() && tensor.bytes.size() == elements * dtype_size(tensor.dtype));
      total += tensor.bytes.size();
      if (!tensor.bytes.empty())
        expect(tensor.bytes.data() + tensor.bytes.size() <= std::as_bytes(std::span(bytes)).data() + bytes.size());
    }
    const auto length = read_header_length(std::as_bytes(std::span(bytes)), bytes.size(), "input");
    expect(kHeaderLengthBytes + length + total == bytes.size());
    is_read<ModelError>([&] { metadata_json(file, "config"); });
    is_read<ModelError>([&] { expect_format(file, "gloss-model", 1); });
  });
}

void check_header(std::string_view text, std::uint64_t data_size, SafetensorsLayout layout) {
  is_read<ModelError>([&] {
    const auto header = read_header(text, data_size, "input", layout);
    const auto written = header_bytes(header);
    const auto again = read_header(std::string_view(written).substr(kHeaderLengthBytes), data_size, "input", layout);
    expect(again.metadata == header.metadata && std::ranges::equal(again.tensors, header.tensors, [](auto& a, auto& b) {
             return a.first == b.first && a.second == b.second;
           }));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = input_text(data, size);
  check_file(std::string(input));
  check_file(with_right_sums(input));
  for (const auto layout : {SafetensorsLayout::kAligned, SafetensorsLayout::kAny})
    is_read<ModelError>([&] {
      const auto length = read_header_length(std::as_bytes(std::span(input)), size, "input", layout);
      check_header(input.substr(kHeaderLengthBytes, length), size - kHeaderLengthBytes - length, layout);
    });
  return 0;
}

}  // namespace gloss
