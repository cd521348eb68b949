#include "interchange/formats/model_text.h"

#include <stdexcept>

#include "common/error.h"
#include "common/files/atomic_file.h"

namespace gloss {

std::string read_model_text(const std::filesystem::path& path, std::size_t limit) {
  try {
    return read_file(path, limit);
  } catch (const DataError& error) {
    throw ModelError(error.what());
  }
}

Json parse_model_json(std::string_view text, const std::string& name, int max_depth) {
  try {
    return parse_json(text, max_depth);
  } catch (const std::invalid_argument& error) {
    throw ModelError(name + ": " + error.what());
  }
}

}  // namespace gloss
