// Run files: one that is accepted is equal when all its values are written and read again.

#include <stdexcept>

#include "run/config/run_config.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Json json;
  try {
    json = parse_json(input_text(data, size));
  } catch (const std::invalid_argument&) {
    return 0;
  }
  is_read<UsageError>([&] {
    const auto config = parse_run_config(json);
    const auto written = to_json(config);
    const auto again = parse_run_config(written);
    expect(to_json(again) == written && settings_identity(again) == settings_identity(config));
    parse_run_config(to_portable_json(config));
  });
  return 0;
}

}  // namespace gloss
