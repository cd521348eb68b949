#include "app/output/output_file.h"

#include "app/output/standard_output.h"

namespace gloss {

OutputFile::OutputFile(const std::optional<std::filesystem::path>& path) {
  if (path) file_.emplace(*path);
}

void OutputFile::write(std::string_view text) {
  if (file_) return file_->write(text);
  write_result(text);
}

void OutputFile::commit() {
  if (file_) file_->commit();
}

}  // namespace gloss
