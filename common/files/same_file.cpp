#include "common/files/same_file.h"

#include <system_error>

#include <sys/stat.h>

#include "common/error.h"
#include "common/files/text_path.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

std::string described(const NamedFile& file) { return file.name + " (" + printable(file.path.string()) + ')'; }

[[noreturn]] void refuse(const NamedFile& output, const NamedFile& other, const std::string& what) {
  throw UsageError(described(output) + " is the same file as " + described(other) + what +
                   "; name another file for the output");
}

}  // namespace

bool same_file(const std::filesystem::path& first, const std::filesystem::path& second) {
  using Status = struct stat;
  Status first_status{}, second_status{};
  const bool has_first = ::stat(first.c_str(), &first_status) == 0,
             has_second = ::stat(second.c_str(), &second_status) == 0;
  if (has_first && has_second)
    return S_ISREG(first_status.st_mode) && first_status.st_dev == second_status.st_dev &&
           first_status.st_ino == second_status.st_ino;
  std::error_code error;
  return !has_first && !has_second &&
         std::filesystem::weakly_canonical(first, error) == std::filesystem::weakly_canonical(second, error) && !error;
}

void expect_no_input(const NamedFile& output, const std::vector<NamedFile>& inputs) {
  for (const auto& input : inputs)
    if (same_file(output.path, TextPath::of(input.path).file)) refuse(output, input, ", which is read");
}

void expect_distinct(std::span<const NamedFile> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = i + 1; j < outputs.size(); ++j)
      if (same_file(outputs[i].path, outputs[j].path)) refuse(outputs[i], outputs[j], ", which is written, too");
}

}  // namespace gloss
