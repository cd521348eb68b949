#include "serve/api/request_fields.h"

#include <algorithm>

#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "serve/http/api_error.h"

namespace gloss {
namespace {

ApiError wanted(std::string_view name, const char* what) {
  return {400, "Invalid request: " + std::string(name) + ": wanted " + what};
}

void expect_text(const std::string& text, std::string_view name) {
  if (!is_text(text)) throw wanted(name, "UTF-8 without a NUL");
}

}  // namespace

RequestFields::RequestFields(const HttpRequest& request) {
  read_form(read_urlencoded(request.query), "query");
  if (request.body.empty()) return;
  const auto coding = lower_ascii(request.header("content-encoding"));
  if (!coding.empty() && coding != "identity")
    throw ApiError(415, "Invalid request: wanted a body without compression");
  const auto field = request.header("content-type");
  const auto type = lower_ascii(field.substr(0, std::min(field.find_first_of("; "), field.size())));
  if (type == "application/json") {
    try {
      auto body = parse_json(request.body);
      if (!body.is_object()) throw ApiError(400, "Invalid request: wanted an object of JSON");
      fields_.update(body);
    } catch (const std::invalid_argument& error) {
      throw ApiError(400, std::string("Invalid request: JSON: ") + error.what());
    }
  } else if (type == "application/x-www-form-urlencoded") {
    read_form(read_urlencoded(request.body), "form");
  } else if (type == "multipart/form-data") {
    read_form(read_multipart(request.body, field), "form");
  } else {
    throw ApiError(415,
                   "Invalid request: wanted application/json, application/x-www-form-urlencoded or "
                   "multipart/form-data");
  }
}

void RequestFields::read_form(const std::optional<std::vector<FormField>>& fields, const char* type) {
  if (!fields) throw ApiError(400, std::string("Invalid request: faulty ") + type);
  for (const auto& field : *fields) {
    auto name = field.name;
    if (name.ends_with("[]")) name.resize(name.size() - 2);
    expect_text(name, "a field");
    if (field.filename) {
      files_.push_back(field);
      files_.back().name = name;
      continue;
    }
    expect_text(field.value, name);
    auto& value = fields_[name];
    if (value.is_null())
      value = field.value;
    else if (value.is_array())
      value.push_back(field.value);
    else
      value = Json::array({value, field.value});
  }
}

const Json* RequestFields::find(std::string_view name) const {
  const auto found = fields_.find(std::string(name));
  return found == fields_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> RequestFields::text(std::string_view name) const {
  const auto* value = find(name);
  if (value != nullptr && value->is_array() && !value->empty() && value->back().is_string()) value = &value->back();
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) throw wanted(name, "a text");
  expect_text(value->get_ref<const std::string&>(), name);
  return value->get<std::string>();
}

std::string RequestFields::required_text(std::string_view name) const {
  auto found = text(name);
  if (!found || found->empty()) throw ApiError(400, "Invalid request: missing " + std::string(name) + " parameter");
  return *std::move(found);
}

std::vector<std::string> RequestFields::texts(std::string_view name) const {
  const auto* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_array()) return {*text(name)};
  std::vector<std::string> result;
  for (const auto& element : *value) {
    if (!element.is_string()) throw wanted(name, "a text or a list of texts");
    expect_text(result.emplace_back(element.get<std::string>()), name);
  }
  return result;
}

bool RequestFields::is_list(std::string_view name) const {
  const auto* value = find(name);
  return value != nullptr && value->is_array();
}

bool RequestFields::flag(std::string_view name, bool otherwise) const {
  const auto* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  const auto spelled = value->is_string() ? lower_ascii(value->get<std::string>()) : value->dump();
  if (spelled == "1" || spelled == "true") return true;
  if (spelled == "0" || spelled == "false") return false;
  throw wanted(name, "true or false");
}

std::int64_t RequestFields::number(std::string_view name, std::int64_t otherwise) const {
  const auto* value = find(name);
  if (value == nullptr) return otherwise;
  if (value->is_number_integer() && !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX))
    return value->get<std::int64_t>();
  if (value->is_string())
    if (const auto number = parse_number<std::int64_t>(value->get_ref<const std::string&>())) return *number;
  throw wanted(name, "a whole number");
}

const FormField* RequestFields::file(std::string_view name) const {
  const auto found = std::ranges::find(files_, name, &FormField::name);
  return found == files_.end() ? nullptr : &*found;
}

}  // namespace gloss
