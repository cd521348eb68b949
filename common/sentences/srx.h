#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "common/sentences/sentence_splitter.h"

namespace gloss {

/// Returns the splitter with the rules that an SRX file (Segmentation Rules eXchange 2.0, or 1.0) has for a language
/// (BCP 47; "" for an unknown one). Language patterns ignore case. A rule without a break sees 300 UTF-16 units on each
/// side of its place. Throws DataError naming the file and the rule if it cannot be used, UsageError in a build without
/// ICU or pugixml. sentences() throws DataError naming the rule whose search takes too many steps.
std::shared_ptr<const SentenceSplitter> srx_splitter(const std::filesystem::path& file, std::string_view language);

}  // namespace gloss
