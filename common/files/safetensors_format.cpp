#include "common/files/safetensors_format.h"

#include <charconv>
#include <stdexcept>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

bool is_number_above(std::string_view text, int bound) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > bound;
}

}  // namespace

const std::string& metadata_value(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found != file.metadata().end()) return found->second;
  throw ModelError(file.name() + ": metadata has no " + key + "; this is not a complete file of gloss");
}

Json metadata_json(const SafetensorsFile& file, const std::string& key) {
  try {
    auto json = parse_json(metadata_value(file, key));
    if (json.is_object()) return json;
  } catch (const std::invalid_argument& error) {
    throw ModelError(file.name() + ": " + key + ": " + error.what());
  }
  throw ModelError(file.name() + ": " + key + ": wanted an object");
}

std::string format_of(const SafetensorsFile& file) {
  const auto found = file.metadata().find("format");
  return found == file.metadata().end() ? "none" : printable(found->second, 80);
}

bool is_of_gloss(const SafetensorsFile& file) { return format_of(file).starts_with("gloss-"); }

void refuse_foreign(const SafetensorsFile& file, std::string_view wanted) {
  throw ModelError(file.name() + ": is not a file of gloss, but of another program: wanted the format " +
                   std::string(wanted) + ", got " + format_of(file) +
                   "; gloss import reads models of Marian and Hugging Face");
}

void expect_format(const SafetensorsFile& file, std::string_view format, int version) {
  const auto got = format_of(file);
  if (!is_of_gloss(file)) refuse_foreign(file, format);
  if (got != format) throw ModelError(file.name() + ": format: wanted " + std::string(format) + ", got " + got);
  const auto expected = std::to_string(version);
  const auto& stated = metadata_value(file, "format_version");
  if (stated != expected)
    throw ModelError(file.name() + ": format_version: wanted " + expected + ", got " + printable(stated) +
                     (is_number_above(stated, version) ? "; the file was written by a newer gloss, use that one" : ""));
  metadata_value(file, "sha256");
}

}  // namespace gloss
