#include "data/text_files.h"

#include "common/text/printable.h"

namespace gloss {

std::string names_of(const TextFiles& files) {
  return printable(files.source.string()) + " and " + printable(files.target.string());
}

}  // namespace gloss
