// Fields of a request: its texts are valid, and what has another type is refused.

#include <functional>

#include "common/text/utf8.h"
#include "serve/api/request_fields.h"
#include "serve/http/api_error.h"
#include "tests/fuzz/request_input.h"

namespace gloss {
namespace {

void read_or_refuse(const std::function<void()>& read) {
  try {
    read();
  } catch (const ApiError& error) {
    expect(error.status == 400 || error.status == 415);
    expect(is_text(error.what()));
  }
}

void check(const RequestFields& fields, const char* name) {
  read_or_refuse([&] { expect(is_text(fields.text(name).value_or(""))); });
  read_or_refuse([&] { expect(!fields.required_text(name).empty()); });
  read_or_refuse([&] {
    for (const auto& text : fields.texts(name)) expect(is_text(text));
  });
  read_or_refuse([&] { fields.flag(name, true); });
  read_or_refuse([&] { fields.number(name, 0); });
  expect(!fields.is_list(name) || fields.has(name));
  if (const auto* value = fields.find(name)) expect(is_utf8(to_text(*value)));
  if (const auto* file = fields.file(name)) expect(file->filename.has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_or_refuse([&] {
    const RequestFields fields(read_request_input(input_text(data, size)));
    for (const auto* const name : {"q", "text", "source", "target_lang", "file", ""}) check(fields, name);
  });
  return 0;
}

}  // namespace gloss
