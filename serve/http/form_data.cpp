#include "serve/http/form_data.h"

#include <cstddef>

#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/trimmed.h"
#include "serve/http/http_syntax.h"

namespace gloss {
namespace {

/// Skips a parameter of a field with its value, and returns the name, in small letters, and the value.
std::optional<std::pair<std::string, std::string>> next_parameter(std::string_view& rest) {
  const auto equals = rest.find('=');
  if (equals == rest.npos) return std::nullopt;
  const auto name = lower_ascii(trimmed(rest.substr(0, equals)));
  rest = trimmed(rest.substr(equals + 1));
  std::string value;
  if (rest.starts_with('"')) {
    std::size_t i = 1;
    for (; i < rest.size() && rest[i] != '"'; ++i) {
      // Browsers escape quotes as %22 and leave backslashes, of Windows' paths, alone.
      if (rest[i] == '\\' && i + 1 < rest.size() && rest[i + 1] == '"') ++i;
      value += rest[i];
    }
    if (i == rest.size()) return std::nullopt;
    rest.remove_prefix(i + 1);
  } else {
    const auto end = std::min(rest.find(';'), rest.size());
    value = trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  if (!rest.empty()) rest.remove_prefix(1);
  return std::pair(name, value);
}

/// Reads the header of a part. Absent if it names no field.
std::optional<FormField> read_part_header(std::string_view header) {
  FormField field;
  bool has_name = false;
  for (const auto line : split_text(header, '\n')) {
    const auto colon = line.find(':');
    if (colon == line.npos || lower_ascii(trimmed(line.substr(0, colon))) != "content-disposition") continue;
    auto value = line.substr(colon + 1);
    if (value.ends_with('\r')) value.remove_suffix(1);
    if (const auto name = header_parameter(value, "name")) field.name = *name, has_name = true;
    field.filename = header_parameter(value, "filename");
  }
  return has_name ? std::optional(field) : std::nullopt;
}

}  // namespace

std::optional<std::string> header_parameter(std::string_view field, std::string_view name) {
  auto rest = field;
  const auto semicolon = rest.find(';');
  if (semicolon == rest.npos) return std::nullopt;
  rest.remove_prefix(semicolon + 1);
  while (const auto parameter = next_parameter(rest))
    if (parameter->first == name) return parameter->second;
  return std::nullopt;
}

std::optional<std::vector<FormField>> read_urlencoded(std::string_view text) {
  std::vector<FormField> fields;
  if (text.empty()) return fields;
  for (const auto part : split_text(text, '&')) {
    if (part.empty()) continue;
    if (fields.size() == kMaxFields) return std::nullopt;
    const auto equals = std::min(part.find('='), part.size());
    const auto name = percent_decoded(part.substr(0, equals), /*plus_is_space=*/true);
    const auto value = percent_decoded(part.substr(std::min(equals + 1, part.size())), /*plus_is_space=*/true);
    if (!name || !value) return std::nullopt;
    fields.push_back({*name, *value, {}});
  }
  return fields;
}

std::optional<std::vector<FormField>> read_multipart(std::string_view body, std::string_view content_type) {
  const auto boundary = header_parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > 70) return std::nullopt;
  const auto delimiter = "--" + *boundary;
  auto place = body.find(delimiter);
  if (place == body.npos) return std::nullopt;
  std::vector<FormField> fields;
  while (true) {
    place += delimiter.size();
    const auto rest = body.substr(place);
    if (rest.starts_with("--")) return fields;
    if (!rest.starts_with("\r\n") || fields.size() == kMaxFields) return std::nullopt;
    const auto header_end = rest.find("\r\n\r\n");
    if (header_end == rest.npos) return std::nullopt;
    auto field = read_part_header(rest.substr(2, header_end - 2 + 2));
    const auto begin = place + header_end + 4;
    const auto end = body.find("\r\n" + delimiter, begin);
    if (!field || end == body.npos) return std::nullopt;
    field->value = std::string(body.substr(begin, end - begin));
    fields.push_back(std::move(*field));
    place = end + 2;
  }
}

}  // namespace gloss
