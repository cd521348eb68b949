#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// A field of a form.
struct FormField {
  std::string name;
  std::string value;                    ///< of a file: its bytes
  std::optional<std::string> filename;  ///< of a file, as sent: may be a path, or anything
};

/// Reads application/x-www-form-urlencoded, or the query of a target. Absent if an escape is faulty, or there are more
/// than kMaxFields fields.
std::optional<std::vector<FormField>> read_urlencoded(std::string_view text);

/// Reads multipart/form-data (RFC 7578). Absent if the body is not of this form, or has more than kMaxFields fields.
std::optional<std::vector<FormField>> read_multipart(std::string_view body, std::string_view content_type);

/// Returns a parameter of a header field in small letters of ASCII or as a quoted string: boundary of "multipart/
/// form-data; boundary=x". Absent if there is none.
std::optional<std::string> header_parameter(std::string_view field, std::string_view name);

inline constexpr std::size_t kMaxFields = 2000;

}  // namespace gloss
