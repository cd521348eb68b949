#include "common/text/line_counts.h"

#include "common/error.h"
#include "common/text/counted.h"
#include "common/text/printable.h"

namespace gloss {

void expect_equal_lines(const std::string& name, std::int64_t lines, const std::string& reference_name,
                        std::int64_t reference_lines) {
  if (lines != reference_lines)
    throw DataError(printable(name) + " has " + counted(lines, "line") + ", " + printable(reference_name) + " " +
                    std::to_string(reference_lines) + "; line n of one must belong to line n of the other");
}

}  // namespace gloss
