#include "pipeline/run/text_hash.h"

#include <chrono>
#include <span>
#include <vector>

#include "common/error.h"
#include "common/files/descriptor.h"
#include "common/files/sha256.h"
#include "common/log.h"
#include "common/system/stop.h"

namespace gloss {
namespace {

constexpr std::size_t kHashBufferBytes = 1 << 20;

std::string sha256_of_file(const std::filesystem::path& path) {
  const auto file = open_regular_file(path);
  if (!file) throw DataError(printable(path.string()) + ": wanted a text file, got a folder or a device");
  Sha256 sum;
  std::vector<std::byte> buffer(kHashBufferBytes);
  for (std::size_t bytes = buffer.size(); bytes == buffer.size();) {
    stop_where_requested();
    bytes = read_up_to(file->descriptor, buffer, path);
    sum.update(std::span(buffer).first(bytes));
  }
  return sum.hex();
}

}  // namespace

TextHash TextHash::of(const std::filesystem::path& path, const std::optional<TextHash>& known) {
  const auto now = std::chrono::system_clock::now();
  const auto stamp = FileStamp::of(path);
  if (known && known->lasting && known->stamp == stamp) return *known;
  return {.sha256 = sha256_of_file(path), .stamp = stamp, .lasting = stamp.settled(now)};
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
