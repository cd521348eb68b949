#include "app/output/labeled_line.h"

#include <algorithm>

namespace gloss {

std::string labeled_line(std::string label, const std::string& text, std::size_t width) {
  label.resize(std::max(label.size(), width), ' ');
  return label + text + '\n';
}

}  // namespace gloss
