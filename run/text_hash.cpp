#include "run/text_hash.h"

namespace gloss {

bool TextHash::is_current(const std::filesystem::path& path) const { return lasting && stamp == FileStamp::of(path); }

TextHash hash_of(const ScannedText& text) {
  return {.sha256 = text.sha256, .stamp = text.stamp, .lasting = text.settled};
}

Json to_json(const TextHash& hash) {
  const auto& stamp = hash.stamp;
  return {{"sha256", hash.sha256}, {"lasting", hash.lasting},    {"device", stamp.device},  {"inode", stamp.inode},
          {"size", stamp.size},    {"modified", stamp.modified}, {"changed", stamp.changed}};
}

std::optional<TextHash> read_text_hash(const Json& json) {
  try {
    return TextHash{.sha256 = json.at("sha256").get<std::string>(),
                    .stamp = {.device = json.at("device").get<std::uint64_t>(),
                              .inode = json.at("inode").get<std::uint64_t>(),
                              .size = json.at("size").get<std::uint64_t>(),
                              .modified = json.at("modified").get<std::int64_t>(),
                              .changed = json.at("changed").get<std::int64_t>()},
                    .lasting = json.at("lasting").get<bool>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace gloss
