#include "common/files/text_path.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {

TextPath TextPath::of(const std::filesystem::path& path) {
  const auto& name = path.native();
  const auto colon = name.rfind(':');
  std::error_code error;
  if (colon == name.npos || colon == 0 || std::filesystem::exists(path, error)) return {path};
  TextPath text{name.substr(0, colon)};
  const auto* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + colon + 1, end, text.column);
  const bool is_column = parsed.ec == std::errc() && parsed.ptr == end && text.column > 0;
  return is_column && std::filesystem::exists(text.file, error) ? text : TextPath{path};
}

void TextPath::select(std::string& line, std::int64_t number) const {
  if (column == 0) return;
  std::size_t begin = 0;
  for (std::size_t i = 1; i < column; ++i) {
    const auto tab = line.find('\t', begin);
    if (tab == line.npos)
      throw DataError(printable(file.string()) + ": line " + std::to_string(number) + ": wanted at least " +
                      std::to_string(column) + " columns separated by tabs, got " + std::to_string(i));
    begin = tab + 1;
  }
  line.resize(std::min(line.find('\t', begin), line.size()));
  line.erase(0, begin);
}

}  // namespace gloss
