// JSON: a text that is accepted is JSON for the library, too, and is equal when it is printed and read again.

#include <stdexcept>

#include "common/config/json.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = input_text(data, size);
  try {
    const auto value = parse_json(text);
    expect(Json::parse(text) == value);
    const auto line = to_text(value);
    expect(line.find('\n') == line.npos && parse_json(line) == value && to_text(parse_json(line)) == line);
    expect(parse_json(to_pretty_text(value)) == value);
    expect(value.is_string() || value_text(value) == line);
  } catch (const std::invalid_argument& error) {
    expect(is_text(error.what()) && !has_control(error.what()) && error.what()[0] != '\0');
  }
  return 0;
}

}  // namespace gloss
