#include "pipeline/interchange/formats/zip_file.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <zip.h>

#include "common/error.h"
#include "common/files/descriptor.h"
#include "common/files/file_kind.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxNameBytes = 1000;

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  explicit ZipError(int code) { zip_error_init_with_code(&error_, code); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;

  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_{};
};

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
void check_entry(const zip_stat_t& stat, const ZipLimits& limits,
                 const std::function<void(const std::string&)>& fault) {
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
    fault("one without a password, got an encrypted one");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    fault("it stored (method 0) or deflated (8), got method " + std::to_string(stat.comp_method) +
          "; pack it again with zip or numpy");
  if (stat.comp_method == ZIP_CM_STORE && stat.comp_size != stat.size)
    fault("equal sizes packed and unpacked, since it is stored, got " + std::to_string(stat.comp_size) + " and " +
          std::to_string(stat.size));
  if (stat.size > limits.entry_bytes)
    fault("at most " + std::to_string(limits.entry_bytes) + " bytes, got " + std::to_string(stat.size));
  if (stat.size > limits.small_bytes && stat.size / limits.max_ratio > stat.comp_size)
    fault("at most " + std::to_string(limits.max_ratio) + " times its packed " + std::to_string(stat.comp_size) +
          " bytes, got " + std::to_string(stat.size));
}

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

bool has_libzip() { return true; }

struct ZipFile::Archive {
  std::uint64_t size = 0;
  zip_t* zip = nullptr;

  Archive() = default;
  ~Archive() {
    if (zip != nullptr) zip_discard(zip);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
};

ZipFile::~ZipFile() = default;
ZipFile::ZipFile(ZipFile&& other) noexcept = default;
ZipFile& ZipFile::operator=(ZipFile&& other) noexcept = default;

ZipFile ZipFile::open(const std::filesystem::path& path, const ZipLimits& limits) {
  const auto name = printable(path.string());
  auto file = open_regular_file(path);
  if (!file) throw ModelError(name + ": wanted a regular file, got a folder or a device");
  std::string start(8, '\0');
  start.resize(read_up_to(file->descriptor, 0, std::as_writable_bytes(std::span(start)), path));
  auto archive = std::make_unique<Archive>();
  archive->size = file->size;
  int code = 0;
  archive->zip = zip_fdopen(file->descriptor.get(), 0, &code);
  if (archive->zip == nullptr) {
    const auto kind = file_kind(start);
    throw ModelError(name + ": wanted a ZIP archive, got " +
                     (kind.empty() || start.starts_with("PK") ? "one that cannot be read: " + ZipError(code).text()
                                                              : std::string(kind)));
  }
  file->descriptor.release();  // closed by libzip
  return {std::move(archive), name, limits};
}

ZipFile::ZipFile(std::unique_ptr<Archive> archive, std::string name, const ZipLimits& limits)
    : archive_(std::move(archive)), name_(std::move(name)) {
  const auto fail = [&](const std::string& what) { throw ModelError(name_ + ": " + what); };
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive_->zip, 0), 0));
  if (count == 0) fail("wanted a ZIP archive with entries, got none; the file is damaged");
  if (count > limits.entries)
    fail("wanted at most " + std::to_string(limits.entries) + " entries, got " + std::to_string(count));
  std::uint64_t packed = 0, total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kWanted = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive_->zip, i, ZIP_FL_ENC_RAW, &stat) != 0 || (stat.valid & kWanted) != kWanted)
      fail("entry " + std::to_string(i + 1) + " cannot be read: " + zip_strerror(archive_->zip));
    const std::string entry = stat.name;
    check_name(entry, name_);
    if (entry.ends_with('/')) continue;
    const auto fault = [&](const std::string& what) { fail("entry " + printable(entry) + ": wanted " + what); };
    check_entry(stat, limits, fault);
    // The sums cannot overflow: a packed entry lies within the file, an unpacked one within the limits.
    if (stat.comp_size > archive_->size - packed)
      fault("the entries within the file's " + std::to_string(archive_->size) +
            " bytes, got more; the file is damaged");
    packed += stat.comp_size;
    if (stat.size > limits.total_bytes - total)
      fault("at most " + std::to_string(limits.total_bytes) + " bytes in all entries, got more");
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

std::vector<std::byte> ZipFile::read(std::string_view entry) const { return unpack(entry, place(entry).size, true); }

std::vector<std::byte> ZipFile::read_start(std::string_view entry, std::size_t count) const {
  return unpack(entry, std::min<std::uint64_t>(count, place(entry).size), false);
}

std::vector<std::byte> ZipFile::unpack(std::string_view entry, std::uint64_t size, bool whole) const {
  const auto fail = [&](const std::string& what) {
    throw ModelError(name_ + ": entry " + printable(entry) + ": " + what + "; the file is damaged");
  };
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(archive_->zip, place(entry).index, 0));
  if (file == nullptr) fail(zip_strerror(archive_->zip));
  std::vector<std::byte> bytes;
  // The buffer grows with the bytes read, so that an entry with a false size takes at most twice its bytes.
  constexpr std::uint64_t kStep = std::uint64_t{16} << 20;
  while (bytes.size() < size) {
    const auto before = bytes.size();
    bytes.resize(before + std::min<std::uint64_t>({size - before, kStep, std::max<std::uint64_t>(before, 1 << 16)}));
    const auto got = zip_fread(file.get(), bytes.data() + before, bytes.size() - before);
    if (got < 0) fail(zip_file_strerror(file.get()));
    bytes.resize(before + static_cast<std::size_t>(got));
    if (got == 0) fail("wanted " + std::to_string(place(entry).size) + " bytes, got " + std::to_string(before));
  }
  if (!whole) return bytes;
  // libzip compares the checksum at the end of the entry.
  std::byte more{};
  const auto rest = zip_fread(file.get(), &more, 1);
  if (rest < 0) fail(zip_file_strerror(file.get()));
  if (rest > 0) fail("wanted " + std::to_string(size) + " bytes, got more");
  return bytes;
}

}  // namespace gloss
