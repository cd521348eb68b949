#include "serve/service/private_folder.h"

#include <cstdlib>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/system/descriptor.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBeginning = "gloss-documents-";

bool is_own_folder(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

/// Removes the folders of processes that do not run any more: their locks can be taken.
void remove_stray_folders(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(kBeginning) || !is_own_folder(entry->path())) continue;
    try {
      const FileLock lock(entry->path(), FileLock::kExisting);
      std::error_code ignored;
      fs::remove_all(entry->path(), ignored);
    } catch (const Error&) {  // another server runs
    }
  }
}

}  // namespace

PrivateFolder::PrivateFolder(fs::path parent) {
  std::error_code error;
  if (parent.empty()) parent = fs::temp_directory_path(error);
  remove_stray_folders(parent);
  auto form = (parent / (std::string(kBeginning) + "XXXXXX")).string();
  if (error || ::mkdtemp(form.data()) == nullptr) throw_io_error(parent, "create a folder for documents in it");
  path_ = form;
  lock_.emplace(path_);
}

PrivateFolder::~PrivateFolder() {
  lock_.reset();
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace gloss
