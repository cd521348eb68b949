// Replaces yaml.cpp in a build without yaml-cpp.
#include "common/error.h"
#include "interchange/formats/yaml.h"

namespace gloss {

YamlNode parse_yaml(std::string_view, const std::string& name, const YamlLimits&) {
  throw UsageError(name + ": YAML: this gloss was built without yaml-cpp; install libyaml-cpp-dev and build it again");
}

bool has_yaml() { return false; }

}  // namespace gloss
