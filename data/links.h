#pragma once

#include <cstdint>
#include <string>

#include "common/files/line_reader.h"
#include "common/special_ids.h"

namespace gloss {

/// Word alignment of a pair: piece source[i] of the source belongs to piece target[i] of the target.
struct Links {
  Ids source, target;
};

/// Reads a line in Pharaoh's form: "0-0 1-2" joins piece 0 of the source to piece 0 of the target, and 1 to 2. Pieces
/// are counted from 0; language tags and eos do not count. Sets `links`, sorted by target, each once. Returns an empty
/// text, or the reason why the line is wrong: another form, or a piece that is not below the pieces of its side.
std::string read_links(const TextLine& line, std::int64_t source_pieces, std::int64_t target_pieces, Links& links);

}  // namespace gloss
