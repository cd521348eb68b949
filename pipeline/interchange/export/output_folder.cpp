#include "pipeline/interchange/export/output_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/system/process_id.h"
#include "common/text/printable.h"
#include "common/text/split_text.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeginning = ".gloss-export.", kEnding = ".tmp";
// First line of README.md: these, and the names of all files between them.
constexpr std::string_view kMarkBeginning = "<!-- gloss export wrote: ", kMarkEnding = " -->";
constexpr std::size_t kMaxReadme = 1 << 20;  // bytes

/// Returns the names of the files in an exported folder; empty if it is not one.
std::vector<std::string> exported_files(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "README.md", error)) return {};
  const auto text = read_file(folder / "README.md", kMaxReadme);
  const auto line = std::string_view(text).substr(0, text.find('\n'));
  if (!line.starts_with(kMarkBeginning) || !line.ends_with(kMarkEnding)) return {};
  std::vector<std::string> names;
  const auto list = line.substr(kMarkBeginning.size(), line.size() - kMarkBeginning.size() - kMarkEnding.size());
  for (const auto name : split_text(list, ' ')) names.emplace_back(name);
  return names;
}

/// Throws UsageError unless the folder may be written: it is missing or empty, or `overwrite` is set and an export
/// wrote all that is in it. Throws IoError.
void expect_replaceable(const fs::path& folder, bool overwrite) try {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder))
    throw UsageError("--output: wanted the name of a folder to write, got the file " + printable(folder.string()));
  const auto start = "--output: the folder " + printable(folder.string());
  if (fs::is_empty(folder)) return;
  if (!overwrite)
    throw UsageError(start + " has files; give another name, or --overwrite to replace an earlier export");
  const auto known = exported_files(folder);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    const bool is_file = fs::is_regular_file(fs::symlink_status(entry.path()));
    if (!is_file || std::ranges::find(known, name) == known.end())
      throw UsageError(start + " has " + printable(name) +
                       ", which no export wrote, so it is not replaced; remove it, or give another name");
  }
} catch (const fs::filesystem_error& error) {
  throw IoError(printable(folder.string()) + ": cannot read: " + error.code().message());
}

/// Removes the folders that killed processes left.
void remove_stray_folders(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> strays;
  for (auto entry = fs::directory_iterator(parent, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.size() < kBeginning.size() + kEnding.size() || !name.starts_with(kBeginning) || !name.ends_with(kEnding) ||
        !entry->is_directory(error))
      continue;
    const auto number =
        std::string_view(name).substr(kBeginning.size(), name.size() - kBeginning.size() - kEnding.size());
    const auto process = parse_process_id(number);
    if (process && !is_running(*process)) strays.push_back(entry->path());
  }
  for (const auto& stray : strays) fs::remove_all(stray, error);
}

/// Renames the folder `from` to `to`. If `to` is a folder with files, the two exchange their names. Returns false, with
/// errno set, if that fails.
bool rename_folder(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return false;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  const auto aside = from.string() + ".old";  // a file system that cannot exchange two names
  if (std::rename(to.c_str(), aside.c_str()) != 0) return false;
  if (std::rename(from.c_str(), to.c_str()) == 0) return std::rename(aside.c_str(), from.c_str()) == 0;
  const int reason = errno;
  std::rename(aside.c_str(), to.c_str());
  errno = reason;
  return false;
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& path, bool overwrite) : overwrite_(overwrite) {
  try {
    path_ = fs::weakly_canonical(fs::absolute(path));
    if (!path_.has_filename()) path_ = path_.parent_path();
    expect_replaceable(path_, overwrite_);
    fs::create_directories(path_.parent_path());
    remove_stray_folders(path_.parent_path());
    temporary_ = path_.parent_path() / (std::string(kBeginning) + std::to_string(::getpid()) + std::string(kEnding));
    fs::remove_all(temporary_);
    fs::create_directory(temporary_);
  } catch (const fs::filesystem_error& error) {
    throw IoError(printable(path.string()) + ": cannot create: " + error.code().message());
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

fs::path OutputFolder::file(const std::string& name) {
  if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
  return temporary_ / name;
}

void OutputFolder::commit(std::string_view readme) {
  std::string text(kMarkBeginning);
  for (const auto& name : names_) text += (name == names_.front() ? "" : " ") + name;
  write_file(file("README.md"), text.append(kMarkEnding).append("\n").append(readme));
  flush_folder(temporary_);
  expect_replaceable(path_, overwrite_);  // another program may have written into it since
  if (!rename_folder(temporary_, path_)) throw_io_error(path_, "rename into place");
  flush_folder(path_.parent_path());
}

}  // namespace gloss
