// Forms: read, written and read again, they have the same fields.

#include <optional>
#include <string>
#include <vector>

#include "serve/http/form_data.h"
#include "tests/fuzz/request_input.h"

namespace gloss {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? "\\" : "").push_back(c);
  return result + '"';
}

bool are_equal(const std::vector<FormField>& fields, const std::optional<std::vector<FormField>>& others) {
  return others && std::ranges::equal(fields, *others, [](const auto& a, const auto& b) {
           return a.name == b.name && a.value == b.value && a.filename == b.filename;
         });
}

void check_urlencoded(std::string_view text) {
  const auto fields = read_urlencoded(text);
  if (!fields) return;
  std::string written;
  for (const auto& field : *fields) written += percent_encoded(field.name) + '=' + percent_encoded(field.value) + '&';
  expect(are_equal(*fields, read_urlencoded(written)));
}

void check_multipart(const HttpRequest& request) {
  const auto fields = read_multipart(request.body, request.header("content-type"));
  if (!fields) return;
  std::string boundary = "b";
  while (request.body.find(boundary) != request.body.npos) boundary += 'b';
  if (boundary.size() > 70) return;
  std::string written;
  for (const auto& field : *fields) {
    // A backslash before the last quote escapes it, so that no name with one can be written.
    if (field.name.ends_with('\\') || (field.filename && field.filename->ends_with('\\'))) return;
    written += "--" + boundary + "\r\nContent-Disposition: form-data; name=" + in_quotes(field.name);
    if (field.filename) written += "; filename=" + in_quotes(*field.filename);
    written += "\r\n\r\n" + field.value + "\r\n";
  }
  written += "--" + boundary + "--";
  expect(are_equal(*fields, read_multipart(written, "multipart/form-data; boundary=" + boundary)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto request = read_request_input(input_text(data, size));
  check_urlencoded(request.query);
  check_urlencoded(request.body);
  check_multipart(request);
  return 0;
}

}  // namespace gloss
