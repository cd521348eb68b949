#include "interchange/formats/zip_file.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include <zip.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/file_kind.h"
#include "common/files/zip_entries.h"
#include "common/system/descriptor.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxNameBytes = 1000;

void check_name(const std::string& entry, const std::string& file) {
  const auto fail = [&](const std::string& fault) {
    throw ModelError(file + ": name of an entry: wanted " + fault + ", got \"" + printable(entry, 80) + '"');
  };
  if (entry.empty() || entry.size() > kMaxNameBytes) fail("1 to " + std::to_string(kMaxNameBytes) + " bytes");
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (!is_utf8(entry) || std::ranges::any_of(entry, control)) fail("printable UTF-8");
  if (entry.starts_with('/') || entry.find('\\') != entry.npos || ("/" + entry + "/").find("/../") != std::string::npos)
    fail("a place within the archive");
}

// Checks one entry by itself; `fault` throws.
void check_entry(const zip_stat_t& stat, const std::function<void(const std::string&)>& fault) {
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
    fault("one without a password, got an encrypted one");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    fault("it stored (method 0) or deflated (8), got method " + std::to_string(stat.comp_method) +
          "; pack it again with zip or numpy");
  if (stat.comp_method == ZIP_CM_STORE && stat.comp_size != stat.size)
    fault("equal sizes packed and unpacked, since it is stored, got " + std::to_string(stat.comp_size) + " and " +
          std::to_string(stat.size));
}

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};

[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& reason) {
  throw IoError(printable(path.string()) + ": cannot build the archive: " + reason);
}

void check(const std::filesystem::path& path, zip_t* archive, bool worked) {
  if (!worked) fail_to_write(path, zip_strerror(archive));
}

// Returns the archive as libzip writes it, in memory: a file written by libzip would not be atomic, nor its errors
// reported like ours.
std::unique_ptr<zip_source_t, FreeSource> pack(const std::filesystem::path& path,
                                               const std::vector<ZipContent>& entries) {
  zip_error_t error;
  zip_error_init(&error);
  std::unique_ptr<zip_source_t, FreeSource> result(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (result == nullptr) fail_to_write(path, zip_error_strerror(&error));
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open_from_source(result.get(), ZIP_TRUNCATE, &error),
                                                   zip_discard);
  if (archive == nullptr) fail_to_write(path, zip_error_strerror(&error));
  zip_source_keep(result.get());  // the archive has taken the first reference
  for (const auto& [name, start, rest] : entries) {
    const auto part = [](auto bytes) {
      return zip_buffer_fragment_t{reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes.data())), bytes.size()};
    };
    const zip_buffer_fragment_t parts[] = {part(std::as_bytes(std::span(start))), part(rest)};
    auto* source = zip_source_buffer_fragment(archive.get(), parts, rest.empty() ? 1 : 2, 0);
    check(path, archive.get(), source != nullptr);
    const auto index = zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
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

bool has_libzip() { return true; }

ZipFile ZipFile::open(const std::filesystem::path& path) {
  const auto name = printable(path.string());
  auto file = open_regular_file(path);
  if (!file) throw ModelError(name + ": wanted a regular file, got a folder or a device");
  std::string start(8, '\0');
  start.resize(read_up_to(file->descriptor, 0, std::as_writable_bytes(std::span(start)), path));
  if (const auto count = stated_zip_entries(*file, path); count > kMaxEntries)
    throw ModelError(name + ": wanted at most " + std::to_string(kMaxEntries) + " entries, got " +
                     std::to_string(count));
  int code = 0;
  Archive archive(zip_fdopen(file->descriptor.get(), 0, &code), zip_discard);
  if (archive == nullptr) {
    const auto kind = file_kind(start);
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw ModelError(
        name + ": wanted a ZIP archive, got " +
        (kind.empty() || start.starts_with("PK") ? "one that cannot be read: " + reason : std::string(kind)));
  }
  file->descriptor.release();  // closed by libzip
  return {std::move(archive), file->size, name};
}

ZipFile::ZipFile(Archive archive, std::uint64_t file_size, std::string name)
    : archive_(std::move(archive)), name_(std::move(name)) {
  const auto fail = [&](const std::string& what) { throw ModelError(name_ + ": " + what); };
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive_.get(), 0), 0));
  if (count == 0) fail("wanted a ZIP archive with entries, got none; the file is damaged");
  if (count > kMaxEntries)
    fail("wanted at most " + std::to_string(kMaxEntries) + " entries, got " + std::to_string(count));
  const auto max_total = kMaxRatio * file_size + kSmallBytes;
  std::uint64_t packed = 0, total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kWanted = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive_.get(), i, ZIP_FL_ENC_RAW, &stat) != 0 || (stat.valid & kWanted) != kWanted)
      fail("entry " + std::to_string(i + 1) + " cannot be read: " + zip_strerror(archive_.get()));
    const std::string entry = stat.name;
    check_name(entry, name_);
    if (entry.ends_with('/')) continue;
    const auto fault = [&](const std::string& what) { fail("entry " + printable(entry) + ": wanted " + what); };
    check_entry(stat, fault);
    // The sums cannot overflow: a packed entry lies within the file, an unpacked one within the limits.
    if (stat.comp_size > file_size - packed)
      fault("the entries within the file's " + std::to_string(file_size) + " bytes, got more; the file is damaged");
    packed += stat.comp_size;
    if (stat.size > max_total - total)
      fault("at most " + std::to_string(max_total) + " bytes in all entries, " + std::to_string(kMaxRatio) +
            " times the file, got more");
    total += stat.size;
    if (!sizes_.emplace(entry, Place{i, stat.size}).second) fault("each name once, got it twice; the file is damaged");
  }
}

std::vector<std::string> ZipFile::entries() const {
  std::vector<std::string> names;
  for (const auto& [entry, place] : sizes_) names.push_back(entry);
  return names;
}

const ZipFile::Place& ZipFile::place(std::string_view entry) const {
  const auto found = sizes_.find(entry);
  if (found == sizes_.end())
    throw ModelError(name_ + ": wanted an entry " + printable(entry) + ", got none of this name");
  return found->second;
}

std::uint64_t ZipFile::size(std::string_view entry) const { return place(entry).size; }

std::string ZipFile::read(std::string_view entry) const {
  std::string text(size(entry), '\0');
  read(entry, 0, std::as_writable_bytes(std::span(text)));
  return text;
}

void ZipFile::read(std::string_view entry, std::size_t skipped, std::span<std::byte> rest) const {
  if (skipped + rest.size() != size(entry)) throw ShapeError("ZipFile::read: wanted the size of the entry");
  std::vector<std::byte> start(skipped);
  unpack(entry, start, rest);
}

std::string ZipFile::read_start(std::string_view entry, std::size_t count) const {
  std::string start(std::min<std::uint64_t>(count, size(entry)), '\0');
  unpack(entry, std::as_writable_bytes(std::span(start)), {});
  return start;
}

void ZipFile::unpack(std::string_view entry, std::span<std::byte> start,
                     std::optional<std::span<std::byte>> rest) const {
  const auto fail = [&](const std::string& what) {
    throw ModelError(name_ + ": entry " + printable(entry) + ": " + what + "; the file is damaged");
  };
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(archive_.get(), place(entry).index, 0));
  if (file == nullptr) fail(zip_strerror(archive_.get()));
  std::uint64_t done = 0;
  const auto fill = [&](std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const auto got = zip_fread(file.get(), bytes.data(), bytes.size());
      if (got < 0) fail(zip_file_strerror(file.get()));
      if (got == 0) fail("wanted " + std::to_string(size(entry)) + " bytes, got " + std::to_string(done));
      done += static_cast<std::uint64_t>(got);
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
  };
  fill(start);
  if (!rest) return;
  fill(*rest);
  // libzip compares the checksum at the end of the entry.
  std::byte more{};
  const auto left = zip_fread(file.get(), &more, 1);
  if (left < 0) fail(zip_file_strerror(file.get()));
  if (left > 0) fail("wanted " + std::to_string(size(entry)) + " bytes, got more");
}

void write_zip(const std::filesystem::path& path, const std::vector<ZipContent>& entries) {
  const auto archive = pack(path, entries);
  AtomicFile file(path);
  if (zip_source_open(archive.get()) != 0) fail_to_write(path, zip_error_strerror(zip_source_error(archive.get())));
  std::vector<std::byte> block(std::size_t{1} << 20);
  while (true) {
    const auto got = zip_source_read(archive.get(), block.data(), block.size());
    if (got < 0) fail_to_write(path, zip_error_strerror(zip_source_error(archive.get())));
    if (got == 0) break;
    file.write(std::span(block).first(static_cast<std::size_t>(got)));
  }
  zip_source_close(archive.get());
  file.commit();
}

}  // namespace gloss
