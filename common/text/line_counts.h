#pragma once

#include <cstdint>
#include <string>

namespace gloss {

/// Throws DataError with both names and numbers unless two texts, or the statistics of two texts, have equally many
/// lines.
///
///     expect_equal_lines("out.txt", 3, "test.de", 4);  // out.txt has 3 lines, test.de 4; ...
void expect_equal_lines(const std::string& name, std::int64_t lines, const std::string& reference_name,
                        std::int64_t reference_lines);

}  // namespace gloss
