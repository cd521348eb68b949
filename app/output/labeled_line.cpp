#include "app/output/labeled_line.h"

#include <algorithm>

#include "common/text/printable.h"

namespace gloss {

std::string labeled_line(std::string label, const std::string& text, std::size_t width) {
  label.resize(std::max(label.size(), width), ' ');
  return label + printable(text, std::string::npos) + '\n';
}

}  // namespace gloss
