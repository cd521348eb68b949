#include "documents/office/zip_document.h"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <span>
#include <utility>

#include <zip.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/file_kind.h"
#include "common/files/zip_entries.h"
#include "common/system/descriptor.h"
#include "common/text/printable.h"
#include "documents/office/epub.h"
#include "documents/office/ooxml.h"
#include "documents/office/open_document.h"

namespace gloss {
namespace {

using namespace std::string_view_literals;

struct FreeZipSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
struct CloseZipEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// Returns the name of an entry as documents refer to it: Office ignores case, and some programs write backslashes.
std::string entry_key(std::string_view name) {
  std::string key;
  for (const auto c : name) key += c == '\\' ? '/' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return key;
}

void check_entry_name(const std::string& key, const std::string& document) {
  constexpr std::size_t kMaxNameBytes = 1000;
  const bool is_outside = key.starts_with('/') || ("/" + key + "/").find("/../") != std::string::npos;
  if (!key.empty() && key.size() <= kMaxNameBytes && !is_outside) return;
  throw DataError(document + ": name of an entry: wanted a place within the archive, got \"" + printable(key, 80) +
                  "\"; the file is damaged or hostile");
}

[[noreturn]] void refuse_file(const std::string& name, std::string_view start, int code) {
  if (start.starts_with("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv))
    throw DataError(name +
                    ": wanted a document in a ZIP archive, got the older format of Office (.doc, .xls, .ppt) or one "
                    "with a password; save it as .docx, .xlsx or .pptx without a password");
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  const auto kind = file_kind(start);
  throw DataError(name + ": wanted a document in a ZIP archive, got " +
                  (kind.empty() || start.starts_with("PK") ? "one that cannot be read: " + reason : std::string(kind)));
}

std::vector<ZipPart> parts_of(ZipFormat format, const ReadEntry& read, const DocumentOptions& options) {
  switch (format) {
    case ZipFormat::kOoxml:
      return ooxml_parts(read, options);
    case ZipFormat::kOpenDocument:
      return open_document_parts(read, options);
    case ZipFormat::kEpub:
      return epub_parts(read, options);
  }
  return {};
}

[[noreturn]] void fail_to_pack(const std::string& reason) { throw IoError("cannot build the archive: " + reason); }

}  // namespace

ZipDocument::ZipDocument(const std::filesystem::path& path, DocumentOptions options, ZipFormat format)
    : options_(std::move(options)), archive_(nullptr, zip_discard) {
  const auto& name = options_.name;
  auto file = open_regular_file(path);
  if (!file) throw DataError(name + ": wanted a regular file, got a folder or a device");
  std::string start(8, '\0');
  start.resize(read_up_to(file->descriptor, 0, std::as_writable_bytes(std::span(start)), path));
  const auto stated = stated_zip_entries(*file, path);
  if (stated > kMaxEntries)
    throw DataError(name + ": wanted at most " + std::to_string(kMaxEntries) + " entries, got " +
                    std::to_string(stated));
  int code = 0;
  archive_.reset(zip_fdopen(file->descriptor.get(), 0, &code));
  if (!archive_) refuse_file(name, start, code);
  file->descriptor.release();  // closed by libzip
  text_bytes_left_ = std::min(options_.max_text_bytes, kMaxRatio * file->size + kSmallBytes);
  add_entries(static_cast<std::uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive_.get(), 0), 0)));
  parts_ = parts_of(
      format, [this](const std::string& entry) { return read(entry); }, options_);
  for (const auto& part : parts_) part_bytes_ += size_of(part);
  if (parts_.empty()) throw DataError(name + ": wanted a document with text, got an archive without such parts");
}

void ZipDocument::add_entries(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kWanted = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive_.get(), i, 0, &stat) != 0 || (stat.valid & kWanted) != kWanted)
      throw DataError(options_.name + ": entry " + std::to_string(i + 1) +
                      " cannot be read: " + zip_strerror(archive_.get()));
    const auto key = entry_key(stat.name);
    check_entry_name(key, options_.name);
    const auto fault = [&](const std::string& what) {
      throw DataError(options_.name + ": entry " + printable(key) + ": " + what);
    };
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
      fault("wanted a document without a password, got an encrypted one");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
      fault("wanted it stored (method 0) or deflated (8), got method " + std::to_string(stat.comp_method));
    if (!entries_.emplace(key, Entry{i, stat.size}).second) fault("wanted each name once, got it twice");
  }
}

std::uint64_t ZipDocument::size_of(const ZipPart& part) const {
  const auto found = entries_.find(entry_key(part.name));
  return found == entries_.end() ? 0 : found->second.size;
}

double ZipDocument::share_read() const {
  return part_bytes_ == 0 ? 1 : static_cast<double>(part_bytes_read_) / static_cast<double>(part_bytes_);
}

std::optional<std::string> ZipDocument::read(const std::string& name) {
  const auto found = entries_.find(entry_key(name));
  if (found == entries_.end()) return std::nullopt;
  const auto [index, size] = found->second;
  const auto fail = [&](const std::string& what) {
    throw DataError(options_.name + ": entry " + printable(name) + ": " + what);
  };
  if (size > kMaxTreeBytes) fail("wanted at most " + std::to_string(kMaxTreeBytes) + " bytes, got more");
  if (size > text_bytes_left_)
    fail("wanted at most " + std::to_string(options_.max_text_bytes) + " bytes in all parts with text and " +
         std::to_string(kMaxRatio) + " times the file, got more");
  text_bytes_left_ -= size;
  const std::unique_ptr<zip_file_t, CloseZipEntry> file(zip_fopen_index(archive_.get(), index, 0));
  if (!file) fail(std::string("cannot be read: ") + zip_strerror(archive_.get()));
  std::string bytes(size + 1, '\0');  // one more byte finds an entry that is longer than stated
  std::size_t done = 0;
  for (zip_int64_t got = 1; got > 0 && done < bytes.size(); done += static_cast<std::size_t>(got)) {
    got = zip_fread(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0) fail(std::string("cannot be read: ") + zip_file_strerror(file.get()) + "; the file is damaged");
  }
  if (done != size) fail("wanted " + std::to_string(size) + " bytes, got another number; the file is damaged");
  bytes.resize(size);
  return bytes;
}

std::optional<Passage> ZipDocument::next() {
  while (next_part_ < parts_.size()) {
    const auto& part = parts_[next_part_++];
    auto bytes = read(part.name);
    part_bytes_read_ += size_of(part);
    if (!bytes) continue;
    auto options = options_;
    options.name += ": " + printable(part.name);
    auto input = DocumentInput::of(std::move(*bytes), options.name);
    const auto encoding = input.encoding();
    auto passage = part.read(input.rest(kMaxTreeBytes), options);
    if (passage.units.empty()) continue;
    handed_.push_back({entries_.at(entry_key(part.name)).index, encoding});
    return passage;
  }
  return std::nullopt;
}

void ZipDocument::write(std::string bytes) {
  const auto [index, encoding] = handed_.front();
  handed_.pop_front();
  written_[index] = std::string(byte_order_mark(encoding)) + encode_text(bytes, encoding);
}

void ZipDocument::pack(zip* archive) const {
  const auto check = [&](bool worked) {
    if (!worked) fail_to_pack(zip_strerror(archive));
  };
  for (std::uint64_t i = 0; i < entries_.size(); ++i) {
    const auto found = written_.find(i);
    auto* source = found == written_.end() ? zip_source_zip(archive, archive_.get(), i, 0, 0, -1)
                                           : zip_source_buffer(archive, found->second.data(), found->second.size(), 0);
    check(source != nullptr);
    const auto index = zip_file_add(archive, zip_get_name(archive_.get(), i, 0), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_source_free(source);
    check(index >= 0);
    zip_stat_t stat;
    zip_stat_init(&stat);
    check(zip_stat_index(archive_.get(), i, 0, &stat) == 0);
    check(zip_file_set_mtime(archive, i, (stat.valid & ZIP_STAT_MTIME) != 0 ? stat.mtime : std::time(nullptr), 0) == 0);
    check(zip_set_file_compression(archive, i, stat.comp_method, 0) == 0);
  }
}

void ZipDocument::finish(const std::filesystem::path& path) {
  AtomicFile file(path);
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, FreeZipSource> result(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!result) fail_to_pack(zip_error_strerror(&error));
  Archive archive(zip_open_from_source(result.get(), ZIP_TRUNCATE, &error), zip_discard);
  if (!archive) fail_to_pack(zip_error_strerror(&error));
  zip_source_keep(result.get());  // the archive has taken the first reference
  pack(archive.get());
  if (zip_close(archive.get()) != 0) fail_to_pack(zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closed
  if (zip_source_open(result.get()) != 0) fail_to_pack(zip_error_strerror(zip_source_error(result.get())));
  std::vector<std::byte> block(std::size_t{1} << 20);
  while (true) {
    const auto got = zip_source_read(result.get(), block.data(), block.size());
    if (got < 0) fail_to_pack(zip_error_strerror(zip_source_error(result.get())));
    if (got == 0) break;
    file.write(std::span(block).first(static_cast<std::size_t>(got)));
  }
  zip_source_close(result.get());
  file.commit();
}

}  // namespace gloss
