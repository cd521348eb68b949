#include "interchange/formats/model_text.h"

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

}  // namespace gloss
