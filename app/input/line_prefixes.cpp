#include "app/input/line_prefixes.h"

#include <string>

#include "app/options/command_options.h"
#include "common/error.h"
#include "common/files/text_pairs.h"
#include "common/text/counted.h"
#include "common/text/printable.h"

namespace gloss {

LinePrefixes::LinePrefixes(const std::optional<std::filesystem::path>& file) : file_(file) {
  if (!file_) return;
  expect_input_file("--prefix", *file_);
  prefixes_ = read_lines(*file_, Passes::kOne);
}

std::span<const std::string> LinePrefixes::of(std::int64_t first, std::size_t count) const {
  if (!file_) return {};
  if (static_cast<std::size_t>(first) + count > prefixes_.size())
    throw DataError("--prefix " + printable(file_->string()) + ": wanted a line for each line of the input, got " +
                    std::to_string(prefixes_.size()) + " for at least " +
                    std::to_string(static_cast<std::size_t>(first) + count) + "; a line may be empty");
  return std::span(prefixes_).subspan(static_cast<std::size_t>(first), count);
}

void LinePrefixes::expect_end(std::int64_t lines) const {
  if (!file_ || std::ssize(prefixes_) == lines) return;
  throw DataError("--prefix " + printable(file_->string()) + ": wanted a line for each line of the input, which has " +
                  counted(lines, "line") + ", got " + std::to_string(prefixes_.size()) +
                  "; the translations may belong to other lines");
}

}  // namespace gloss
