#include "explain/page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "common/error.h"
#include "common/text/format.h"
#include "explain/markup.h"
#include "explain/web_files.h"

namespace gloss {
namespace {

/// Returns the maximum number of columns of an array of vectors; more become means of neighbors. Positions have no
/// limit, since their picture shows the order of their columns. The page computes cosines of outputs.
std::size_t max_columns(std::string_view key) {
  static const std::set<std::string_view> pictures{"tokens", "positions", "sum",         "input",
                                                   "self",   "cross",     "feed_forward"};
  if (pictures.contains(key)) return 128;
  return key == "output" ? 256 : std::numeric_limits<std::size_t>::max();
}

/// Returns the arrays of pictures, for which 8 bits suffice.
const std::set<std::string_view>& picture_keys() {
  static const std::set<std::string_view> keys{"weights", "norms",        "similarity", "clean", "learned",
                                               "tokens",  "positions",    "sum",        "input", "self",
                                               "cross",   "feed_forward", "output"};
  return keys;
}

bool is_array(const Json& value) { return value.is_object() && value.contains("shape") && value.contains("values"); }

/// Replaces neighboring columns of a wide array by their mean.
void reduce_columns(Json& array, std::size_t limit) {
  const auto columns = array["shape"].back().get<std::size_t>();
  if (columns <= limit) return;
  const auto together = (columns + limit - 1) / limit;
  const auto& values = array["values"];
  Json::array_t means;
  for (std::size_t row = 0; row < values.size(); row += columns) {
    for (std::size_t first = 0; first < columns; first += together) {
      const auto last = std::min(first + together, columns);
      double sum = 0;
      for (auto column = first; column < last; ++column) sum += values[row + column].get<double>();
      means.push_back(sum / static_cast<double>(last - first));
    }
  }
  array["shape"].back() = (columns + together - 1) / together;
  array["columns_per_value"] = together;
  array["values"] = std::move(means);
}

/// Appends the values to `bytes` with 8 bits each.
void to_bytes(Json& array, std::string& bytes) {
  const auto& values = array["values"].get_ref<const Json::array_t&>();
  double low = 0, high = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = values[i].get<double>();
    low = i == 0 ? value : std::min(low, value);
    high = i == 0 ? value : std::max(high, value);
  }
  const auto scale = high > low ? (high - low) / 255 : 1.0;
  const auto offset = bytes.size();
  for (const auto& value : values)
    bytes.push_back(static_cast<char>(static_cast<std::uint8_t>(std::lround((value.get<double>() - low) / scale))));
  array.erase("values");
  array["at"] = offset;
  array["min"] = low;
  array["scale"] = scale;
}

/// Rounds numbers that are only read to 5 digits after the point.
void round_values(Json& array) {
  for (auto& value : array["values"].get_ref<Json::array_t&>())
    if (value.is_number_float()) value = std::round(value.get<double>() * 1e5) / 1e5;
}

void pack(std::string_view key, Json& value, std::string& bytes) {
  if (is_array(value)) {
    const auto dimensions = value["shape"].size();
    if (picture_keys().contains(key) && dimensions >= 2) {
      reduce_columns(value, max_columns(key));
      to_bytes(value, bytes);
    } else {
      round_values(value);
    }
    return;
  }
  if (value.is_object())
    for (auto& [name, child] : value.items()) pack(name, child, bytes);
  if (value.is_array())
    for (auto& child : value) pack(key, child, bytes);
}

/// Returns a zlib stream (RFC 1950).
std::string compressed(const std::string& content) {
  auto size = compressBound(content.size());
  std::string result(size, '\0');
  const auto error = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                               reinterpret_cast<const Bytef*>(content.data()), content.size(), Z_BEST_COMPRESSION);
  if (error != Z_OK) throw OutOfMemoryError("explain: the page could not be compressed: out of memory");
  result.resize(size);
  return result;
}

/// Returns the base64 of a zlib stream: [length of the JSON, 4 bytes, little-endian][JSON][bytes of the arrays].
std::string payload_of(Json document) {
  std::string bytes;
  pack("", document, bytes);
  const auto json = to_text(document);
  std::string content;
  for (int shift = 0; shift < 32; shift += 8) content.push_back(static_cast<char>(json.size() >> shift & 0xff));
  return base64(compressed(content + json + bytes));
}

}  // namespace

std::string explanation_page(Json document, const std::string& title) {
  const auto payload = payload_of(std::move(document));
  std::string page;
  // One pass over the template, so that inserted text is not searched again.
  for (std::string_view rest = kWebPage; !rest.empty();) {
    const auto open = std::min(rest.find("{{"), rest.size());
    page += rest.substr(0, open);
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const auto close = rest.find("}}");
    const auto name = rest.substr(2, close - 2);
    if (name == "title") page += markup_escaped(title);
    if (name == "style") page += kWebStyle;
    if (name == "script") page += kWebScript;
    if (name == "payload") page += payload;
    rest.remove_prefix(close + 2);
  }
  return page;
}

}  // namespace gloss
