// Replaces srx.cpp in a build without ICU or pugixml.
#include "common/error.h"
#include "common/sentences/srx.h"
#include "common/text/printable.h"

namespace gloss {

std::shared_ptr<const SentenceSplitter> srx_splitter(const std::filesystem::path& file, std::string_view) {
  throw UsageError(printable(file.string()) +
                   ": SRX: this gloss was built without ICU or pugixml; install libicu-dev and libpugixml-dev and "
                   "build it again");
}

}  // namespace gloss
