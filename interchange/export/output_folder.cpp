#include "interchange/export/output_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <random>
#include <span>
#include <system_error>
#include <utility>

#include <fcntl.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/system/descriptor.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeginning = ".gloss-export.", kEnding = ".tmp";
// First line of README.md: these, and the names of all files between them. Second line: their SHA-256 in the same
// order; that of README.md is of its text below both lines. Exports of early versions have no second line.
constexpr std::string_view kMarkBeginning = "<!-- gloss export wrote: ", kSumsBeginning = "<!-- SHA-256: ",
                           kMarkEnding = " -->";
constexpr std::size_t kMaxReadme = 1 << 20;  // bytes

/// Removes the first line of `text` if it is a comment that begins so, and returns its words.
std::vector<std::string> take_words(std::string_view& text, std::string_view beginning) {
  const auto line = text.substr(0, text.find('\n'));
  if (!line.starts_with(beginning) || !line.ends_with(kMarkEnding)) return {};
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  std::vector<std::string> words;
  for (const auto word :
       split_text(line.substr(beginning.size(), line.size() - beginning.size() - kMarkEnding.size()), ' '))
    words.emplace_back(word);
  return words;
}

std::string comment(std::string_view beginning, const std::vector<std::string>& words) {
  std::string text(beginning);
  for (const auto& word : words) text += (&word == &words.front() ? "" : " ") + word;
  return text.append(kMarkEnding).append("\n");
}

/// The files of an exported folder, as its README.md lists them; empty if no export wrote the folder.
class ExportedFiles {
 public:
  explicit ExportedFiles(const fs::path& folder) {
    std::error_code error;
    if (!fs::is_regular_file(folder / "README.md", error)) return;
    const auto readme = read_file(folder / "README.md", kMaxReadme);
    std::string_view text = readme;
    names_ = take_words(text, kMarkBeginning);
    sums_ = take_words(text, kSumsBeginning);
    readme_sum_ = sha256(text);
  }

  /// Returns whether the export wrote the file, with the bytes that it has now.
  bool wrote(const fs::path& file) const {
    const auto name = file.filename().string();
    const auto index = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    if (index == names_.size() || !fs::is_regular_file(fs::symlink_status(file))) return false;
    if (sums_.empty()) return true;
    return index < sums_.size() && sums_[index] == (name == "README.md" ? readme_sum_ : sha256_of_file(file));
  }

 private:
  std::vector<std::string> names_, sums_;
  std::string readme_sum_;
};

/// Throws UsageError unless the folder may be written: it is missing or empty, or `overwrite` is set, an export wrote
/// all that is in it, and none of its files is one of `inputs`. Throws IoError.
void expect_replaceable(const fs::path& folder, bool overwrite, const std::vector<NamedFile>& inputs) try {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder))
    throw UsageError("--output: wanted the name of a folder to write, got the file " + printable(folder.string()));
  const auto start = "--output: the folder " + printable(folder.string());
  if (fs::is_empty(folder)) return;
  if (!overwrite)
    throw UsageError(start + " has files; give another name, or --overwrite to replace an earlier export");
  for (const auto& entry : fs::directory_iterator(folder)) expect_no_input({"--output", entry.path()}, inputs);
  const ExportedFiles known(folder);
  for (const auto& entry : fs::directory_iterator(folder))
    if (!known.wrote(entry.path()))
      throw UsageError(start + " has " + printable(entry.path().filename().string()) +
                       ", which no export wrote, so it is not replaced; remove it, or give another name");
} catch (const fs::filesystem_error& error) {
  throw IoError(printable(folder.string()) + ": cannot read: " + error.code().message());
}

/// Removes the folders that killed processes left: their locks can be taken, on whatever machine the process ran. A
/// folder without a lock is being made or finished.
void remove_stray_folders(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> strays;
  for (auto entry = fs::directory_iterator(parent, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with(kBeginning) && name.ends_with(kEnding) && !entry->is_symlink())
      strays.push_back(entry->path());
  }
  for (const auto& stray : strays) try {
      const FileLock lock(stray, FileLock::kExisting);
      fs::remove_all(stray, error);
    } catch (const Error&) {
      continue;  // a running process holds it, or it has none
    }
}

/// Makes a folder with a new name in `parent`.
fs::path make_temporary_folder(const fs::path& parent) {
  std::random_device random;
  for (;;) {
    const auto name = formatted("%08x%08x", random(), random());
    auto path = parent / std::string(kBeginning).append(name).append(kEnding);
    if (fs::create_directory(path)) return path;
  }
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

OutputFolder::OutputFolder(const fs::path& path, bool overwrite, std::vector<NamedFile> inputs)
    : overwrite_(overwrite), inputs_(std::move(inputs)) {
  try {
    path_ = fs::weakly_canonical(fs::absolute(path));
    if (!path_.has_filename()) path_ = path_.parent_path();
    expect_replaceable(path_, overwrite_, inputs_);
    fs::create_directories(path_.parent_path());
    remove_stray_folders(path_.parent_path());
    temporary_ = make_temporary_folder(path_.parent_path());
    lock_.emplace(temporary_);
  } catch (const fs::filesystem_error& error) {
    throw IoError(printable(path.string()) + ": cannot create: " + error.code().message());
  }
}

OutputFolder::~OutputFolder() {
  lock_.reset();
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

fs::path OutputFolder::file(const std::string& name) {
  if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
  return temporary_ / name;
}

void OutputFolder::commit(std::string_view readme) {
  std::vector<std::string> sums;
  for (const auto& name : names_) sums.push_back(name == "README.md" ? sha256(readme) : sha256_of_file(file(name)));
  write_file(file("README.md"), comment(kMarkBeginning, names_) + comment(kSumsBeginning, sums) + std::string(readme));
  flush_folder(temporary_);
  expect_replaceable(path_, overwrite_, inputs_);  // another program may have written into it since
  lock_.reset();
  if (!rename_folder(temporary_, path_)) throw_io_error(path_, "rename into place");
  flush_folder(path_.parent_path());
}

}  // namespace gloss
