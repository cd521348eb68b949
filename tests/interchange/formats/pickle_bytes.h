#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/interchange/formats/foreign_bytes.h"

namespace gloss::pickle {

// Operations of pickles in protocol 2, as torch.save writes them.

inline std::string text(const std::string& value) {
  return "X" + raw(static_cast<std::uint32_t>(value.size())) + value;
}
inline std::string name(const std::string& module, const std::string& value) {
  return "c" + module + "\n" + value + "\n";
}
inline std::string number(std::int32_t value) { return "J" + raw(value); }
inline std::string tuple(const std::vector<std::int32_t>& values) {
  std::string bytes = "(";
  for (const auto value : values) bytes += number(value);
  return bytes + "t";
}
inline std::string ordered_dict() { return name("collections", "OrderedDict") + ")R"; }
inline std::string storage(const std::string& type, const std::string& key, std::int32_t elements) {
  return "(" + text("storage") + name("torch", type) + text(key) + text("cpu") + number(elements) + "tQ";
}
inline std::string tensor(const std::string& storage, std::int32_t offset, const std::vector<std::int32_t>& sizes,
                          const std::vector<std::int32_t>& strides) {
  return name("torch._utils", "_rebuild_tensor_v2") + "(" + storage + number(offset) + tuple(sizes) + tuple(strides) +
         "\x89" + ordered_dict() + "tR";
}
inline std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  auto bytes = ordered_dict() + "(";
  for (const auto& [key, value] : items) bytes += text(key) + value;
  return bytes + "u";
}
inline std::string whole(const std::string& object) { return "\x80\x02" + object + "."; }

}  // namespace gloss::pickle
