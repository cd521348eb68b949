#include "interchange/formats/model_files.h"

#include <algorithm>
#include <string_view>

#include "common/error.h"
#include "common/text/printable.h"
#include "interchange/formats/packed_file.h"
#include "interchange/formats/settings_file.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// Returns the top folder of an archive, with its '/' at the end: the shortest one with one of the files.
std::string top_folder(const std::vector<std::string>& entries) {
  for (const std::string_view file : {"metadata.json", "model.bin"}) {
    std::optional<std::string> top;
    for (const auto& entry : entries) {
      if (entry != file && !entry.ends_with('/' + std::string(file))) continue;
      const auto folder = entry.substr(0, entry.size() - file.size());
      if (!top || folder.size() < top->size()) top = folder;
    }
    if (top) return *top;
  }
  return {};
}

}  // namespace

std::vector<fs::path> regular_files(const fs::path& folder) {
  constexpr std::size_t kMaxFiles = 10'000;
  std::vector<fs::path> files;
  std::error_code error, dangling;  // a link to nothing is no fault
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(dangling) && files.size() < kMaxFiles) files.push_back(entry->path());
  if (error) throw IoError(printable(folder.string()) + ": " + error.message());
  std::ranges::sort(files);
  return files;
}

ModelFiles::ModelFiles(const fs::path& path) : path_(path) {
  std::vector<std::string> entries;
  if (fs::is_directory(path)) {
    std::error_code missing;
    for (const auto& folder : {path, path / "model"})
      if (fs::is_directory(folder, missing))
        for (const auto& file : regular_files(folder))
          entries.push_back(file.lexically_relative(path).generic_string());
  } else {
    archive_ = ZipFile::open(path);
    entries = archive_->entries();
  }
  const auto top = archive_ ? top_folder(entries) : "";
  for (const auto& folder : {top, top + "model/"})
    for (const auto& entry : entries)
      if (entry.starts_with(folder) && entry.find('/', folder.size()) == entry.npos)
        places_[entry.substr(folder.size())] = entry;
}

std::vector<std::string> ModelFiles::names() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : places_) names.push_back(name);
  return names;
}

const std::string& ModelFiles::place(const std::string& name) const {
  const auto found = places_.find(name);
  if (found == places_.end()) throw ModelError(printable(path_.string()) + ": wanted " + name + ", found none");
  return found->second;
}

std::string ModelFiles::shown(const std::string& name) const { return printable((path_ / place(name)).string()); }

fs::path ModelFiles::on_disk(const std::string& name) const { return archive_ ? path_ : path_ / place(name); }

std::string ModelFiles::read(const std::string& name, std::size_t limit) const {
  if (!archive_) return read_model_text(on_disk(name), limit);
  if (const auto size = archive_->size(place(name)); size > limit)
    throw ModelError(shown(name) + ": wanted at most " + std::to_string(limit) + " bytes, got " + std::to_string(size));
  return archive_->read(place(name));
}

RegularFile ModelFiles::open(const std::string& name, std::size_t limit) const {
  return archive_ ? memory_file(read(name, limit)) : open_unpacked(on_disk(name), limit);
}

}  // namespace gloss
