#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "serve/http/form_data.h"
#include "serve/http/http_message.h"

namespace gloss {

/// The fields of a request: of its query, and of a body in JSON, or of a form. Texts are valid UTF-8 without a NUL.
class RequestFields {
 public:
  /// Throws ApiError 400 for a body that is not as its type says, 415 for a type that is none of these, and
  /// for a compressed body.
  explicit RequestFields(const HttpRequest& request);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Returns a text; absent if the field is absent, or null. Throws ApiError 400 if it is none. A form's field that
  /// stands several times has its last value.
  std::optional<std::string> text(std::string_view name) const;
  /// Returns a text that is not empty. Throws ApiError 400 if there is none.
  std::string required_text(std::string_view name) const;
  /// Returns the texts of a field that may be one text or a list: a form repeats it, with [] after the name or without.
  /// Throws ApiError 400 for others.
  std::vector<std::string> texts(std::string_view name) const;
  /// Returns whether a field is a list, not one text.
  bool is_list(std::string_view name) const;
  /// Returns true for true, 1, "true" and "1", false for their opposites. Throws ApiError 400 for others.
  bool flag(std::string_view name, bool otherwise) const;
  /// Returns a whole number, which may be a text. Throws ApiError 400 for others.
  std::int64_t number(std::string_view name, std::int64_t otherwise) const;
  /// Returns the value of a field, or null.
  const Json* find(std::string_view name) const;
  /// Returns the file of a form, or null.
  const FormField* file(std::string_view name) const;

 private:
  void read_form(const std::optional<std::vector<FormField>>& fields, const char* type);

  Json fields_ = Json::object();
  std::vector<FormField> files_;
};

}  // namespace gloss
