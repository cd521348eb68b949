// The header of a request, as Beast's parser and read_head accept it, and the header of an answer.

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>

#include "common/config/json.h"
#include "common/error.h"
#include "serve/http/form_data.h"
#include "tests/fuzz/request_input.h"

namespace gloss {
namespace {

namespace http = boost::beast::http;

std::size_t count_lines(std::string_view head) {
  expect(head.ends_with("\r\n\r\n"));
  expect(std::ranges::count(head, '\r') == std::ranges::count(head, '\n'));
  return static_cast<std::size_t>(std::ranges::count(head, '\n'));
}

/// An answer that repeats a value has no more lines than one without, or is refused.
void check_answer(std::string_view value) {
  const auto lines = count_lines(head_text({.headers = {{"X", "value"}}}, 0, true, false));
  try {
    const std::string text(value);
    expect(count_lines(head_text({.headers = {{"X", text}}}, 0, true, false)) == lines);
    expect(count_lines(head_text({.headers = {{text, "value"}}}, 0, true, false)) == lines);
  } catch (const Error&) {
    expect(has_control(value));
  }
}

void check_head(std::string_view input) {
  http::request_parser<http::string_body> parser;
  parser.header_limit(16 << 10);
  boost::system::error_code error;
  parser.put(boost::asio::buffer(input), error);
  if (error || !parser.is_header_done()) return;
  HttpRequest request;
  if (read_head(parser.get(), request)) return;
  expect(request.path.starts_with('/') && !has_control(request.path) && !has_control(request.query));
  expect(request.header("transfer-encoding").empty() || request.header("content-length").empty());
  for (const auto& [name, value] : request.headers) {
    expect(name == lower_ascii(name));
    expect(std::ranges::count(request.headers, name, &HeaderFields::value_type::first) == 1);
    expect(value.find_first_of("\r\n") == value.npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = input_text(data, size);
  check_head(text);
  check_answer(text);
  header_parameter(text, "boundary");
  parse_json(json_error(text));
  expect(percent_decoded(percent_encoded(text)) == text);
  percent_decoded(text, true);
  return 0;
}

}  // namespace gloss
