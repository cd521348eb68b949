#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// A lexical table of Marian in its binary format (lex.s2t.bin), by the other program's ids.
struct LexicalTable {
  std::uint64_t frequent = 0;          ///< the target pieces 0 to frequent-1 are in each list
  std::vector<std::uint64_t> offsets;  ///< [source pieces + 1]: piece s proposes tokens[offsets[s]] to [offsets[s + 1]]
  std::vector<std::uint32_t> tokens;   ///< target pieces
};

/// Numbers of pieces of the two languages.
struct LexicalSizes {
  std::uint64_t source = 0, target = 0;
};

/// Parses a table for vocabularies of these sizes. Throws ModelError with `name` and the fault: no such table, other
/// vocabularies, damaged bytes.
LexicalTable parse_lexical_table(std::string_view bytes, const std::string& name, const LexicalSizes& sizes);
/// Returns the bytes of a table; the pieces of each list ascend.
std::string lexical_table_bytes(const LexicalTable& table);
/// Reads a table, decompressed if its name ends in .gz. Throws as parse_lexical_table; IoError.
LexicalTable read_lexical_table(const std::filesystem::path& path, const LexicalSizes& sizes);

}  // namespace gloss
