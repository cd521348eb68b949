#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "documents/document.h"
#include "documents/unit_translator.h"

namespace gloss {

/// Translates a document and returns the numbers of the job. `progress` gets the share that is done, 0 to 1. Memory
/// holds some hundred units of a document that is read as a stream. If the translator leaves units, because its
/// deadline passed or its caller left, the document is not finished.
UnitCounts translate_document(Document& document, const UnitTranslator& translator,
                              const std::function<void(double share)>& progress = {});

}  // namespace gloss
