#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace gloss {

struct ManPage {
  std::string name;  ///< "gloss-translate"
  std::string text;  ///< in roff, for section 1
};

/// Returns the page of `program` and one page for each of its commands.
std::vector<ManPage> man_pages(const CLI::App& program);

}  // namespace gloss
