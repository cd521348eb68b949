// The command line: arguments, one on a line, are parsed or refused.

#include <vector>

#include "app/command_line.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = input_text(data, size);
  std::vector<std::string> arguments{"gloss"};
  while (!text.empty()) arguments.emplace_back(take_line(text).substr(0, text.find('\0')));
  std::vector<const char*> pointers;
  for (const auto& argument : arguments) pointers.push_back(argument.c_str());
  is_read<UsageError>([&] { parse_command_line(static_cast<int>(pointers.size()), pointers.data()); });
  return 0;
}

}  // namespace gloss
