#include "interchange/formats/npz_writer.h"

#include <memory>
#include <set>
#include <utility>

#include <zip.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "interchange/formats/npy.h"

namespace gloss {
namespace {

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw IoError(printable(path.string()) + ": cannot build the archive: " + reason);
}

void check(const std::filesystem::path& path, zip_t* archive, bool worked) {
  if (!worked) fail(path, zip_strerror(archive));
}

// Returns the archive as libzip writes it, in memory: a file written by libzip would not be atomic, nor its errors
// reported like ours.
std::unique_ptr<zip_source_t, FreeSource> pack(const std::filesystem::path& path, const std::vector<NpzTensor>& tensors,
                                               const std::vector<std::string>& headers) {
  zip_error_t error;
  zip_error_init(&error);
  std::unique_ptr<zip_source_t, FreeSource> result(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (result == nullptr) fail(path, zip_error_strerror(&error));
  std::unique_ptr<zip_t, Discard> archive(zip_open_from_source(result.get(), ZIP_TRUNCATE, &error));
  if (archive == nullptr) fail(path, zip_error_strerror(&error));
  zip_source_keep(result.get());  // the archive has taken the first reference
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, info, bytes] = tensors[i];
    auto* header = const_cast<char*>(headers[i].data());
    auto* data = const_cast<std::byte*>(bytes.data());
    const zip_buffer_fragment_t parts[] = {{reinterpret_cast<zip_uint8_t*>(header), headers[i].size()},
                                           {reinterpret_cast<zip_uint8_t*>(data), bytes.size()}};
    auto* source = zip_source_buffer_fragment(archive.get(), parts, bytes.empty() ? 1 : 2, 0);
    check(path, archive.get(), source != nullptr);
    const auto index = zip_file_add(archive.get(), (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_source_free(source);
    check(path, archive.get(), index >= 0);
    const auto entry = static_cast<zip_uint64_t>(index);
    // A fixed date, 1 January 1980, the first of the format; libzip would use the present one.
    constexpr zip_uint16_t kDate = 1 << 5 | 1;
    constexpr zip_uint32_t kAttributes = zip_uint32_t{0100644} << 16;
    check(path, archive.get(), zip_set_file_compression(archive.get(), entry, ZIP_CM_STORE, 0) == 0);
    check(path, archive.get(), zip_file_set_dostime(archive.get(), entry, 0, kDate, 0) == 0);
    check(path, archive.get(),
          zip_file_set_external_attributes(archive.get(), entry, 0, ZIP_OPSYS_UNIX, kAttributes) == 0);
  }
  check(path, archive.get(), zip_close(archive.get()) == 0);
  static_cast<void>(archive.release());  // closed
  return result;
}

}  // namespace

void write_npz(const std::filesystem::path& path, const std::vector<NpzTensor>& tensors) {
  std::vector<std::string> headers;
  std::set<std::string_view> names;
  for (const auto& [name, info, bytes] : tensors) {
    const auto where = printable(path.string()) + ": tensor " + printable(name);
    if (checked_byte_count(info, where) != bytes.size() || info.quantized || info.transposed)
      throw ShapeError(where + ": wanted the bytes of " + shown_shape(info) +
                       ", neither quantized nor transposed, got " + std::to_string(bytes.size()));
    if (!names.insert(name).second) throw ShapeError(where + ": wanted each name once, got it twice");
    headers.push_back(npy_header(info));
  }
  const auto archive = pack(path, tensors, headers);
  AtomicFile file(path);
  if (zip_source_open(archive.get()) != 0) fail(path, zip_error_strerror(zip_source_error(archive.get())));
  std::vector<std::byte> block(std::size_t{1} << 20);
  while (true) {
    const auto got = zip_source_read(archive.get(), block.data(), block.size());
    if (got < 0) fail(path, zip_error_strerror(zip_source_error(archive.get())));
    if (got == 0) break;
    file.write(std::span(block).first(static_cast<std::size_t>(got)));
  }
  zip_source_close(archive.get());
  file.commit();
}

}  // namespace gloss
