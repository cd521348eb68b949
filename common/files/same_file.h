#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace gloss {

/// A file of a command and the option that names it.
struct NamedFile {
  std::string name;  ///< the option or key that names it: "--output", "data.train_source"
  std::filesystem::path path;
};

/// Returns whether both paths lead to one regular file: the same device and inode, through symbolic and hard links. If
/// neither exists, the paths are compared with links to folders resolved. Devices and pipes are never the same.
bool same_file(const std::filesystem::path& first, const std::filesystem::path& second);

/// Throws UsageError with both names if `output` is one of `inputs`. Reads and writes nothing.
///
///     expect_no_input({"--output", output}, {{"--input", input}, {"stdin", "/dev/stdin"}});
void expect_no_input(const NamedFile& output, const std::vector<NamedFile>& inputs);

/// Throws UsageError with both names if two of `outputs` are the same file.
void expect_distinct(std::span<const NamedFile> outputs);

}  // namespace gloss
