#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace gloss {

/// An empty folder, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto form = (std::filesystem::temp_directory_path() / "gloss-test-XXXXXX").string();
    if (::mkdtemp(form.data()) == nullptr) throw std::runtime_error(form + ": cannot create");
    path_ = form;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace gloss
