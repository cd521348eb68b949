#include "interchange/formats/packed_file.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/files/gzip_decoder.h"
#include "common/files/mapped_file.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

RegularFile decompressed(const Descriptor& packed, std::uint64_t limit, const std::filesystem::path& path) {
  const auto name = printable(path.string());
  auto unpacked = open_memory_file();
  GzipDecoder decoder(path.string());
  std::vector<char> buffer(GzipDecoder::kBufferBytes);
  std::uint64_t total = 0;
  while (const auto count = read_up_to(packed, std::as_writable_bytes(std::span(buffer)), path)) {
    decoder.feed({buffer.data(), count});
    for (auto part = decoder.decode(); !part.empty(); part = decoder.decode()) {
      total += part.size();
      if (total > limit)
        throw ModelError(name + ": wanted at most " + std::to_string(limit) + " bytes after decompression, got more");
      if (!write_all(unpacked, std::as_bytes(std::span(part)))) throw_io_error(path, "decompress");
    }
  }
  decoder.finish();
  if (total == 0) throw ModelError(name + ": wanted a gzip file, got an empty one");
  return {std::move(unpacked), total};
}

}  // namespace

std::filesystem::path unpacked_path(const std::filesystem::path& path) {
  auto unpacked = path;
  return path.extension() == ".gz" ? unpacked.replace_extension() : path;
}

RegularFile open_unpacked(const std::filesystem::path& path, std::uint64_t limit) try {
  auto file = open_regular_file(path);
  if (!file) throw ModelError(printable(path.string()) + ": wanted a regular file, got a folder or a device");
  if (path.extension() != ".gz") return std::move(*file);
  return decompressed(file->descriptor, limit, path);
} catch (const DataError& error) {
  throw ModelError(error.what());
}

RegularFile memory_file(std::string_view bytes) {
  auto file = open_memory_file();
  if (!write_all(file, std::as_bytes(std::span(bytes)))) throw_io_error("a file in memory", "write");
  return {std::move(file), bytes.size()};
}

}  // namespace gloss
