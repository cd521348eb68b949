// Replaces yaml_strings.cpp in a build without yaml-cpp.
#include "common/error.h"
#include "documents/formats/yaml_strings.h"

namespace gloss {

Passage read_yaml(std::string, const DocumentOptions& options) {
  throw UsageError(options.name +
                   ": YAML: this gloss was built without yaml-cpp; install libyaml-cpp-dev and build it again");
}

}  // namespace gloss
