#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "documents/document.h"
#include "documents/unit_translator.h"

namespace gloss {

/// Translates a document and returns the numbers of the job. `progress` gets the share that is done, 0 to 1. Memory
/// holds some hundred units of a document that is read as a stream. If the translator leaves units, because its
/// deadline passed or its caller left, the document is not finished.
UnitCounts translate_document(Document& document, const UnitTranslator& translator,
                              const std::function<void(double share)>& progress = {});

/// The outcome of documents that were translated together.
struct DocumentsTranslation {
  UnitCounts counts;                ///< if units are left, no document is finished
  std::vector<double> confidences;  ///< of each: the mean of its units, 1 if there is none
};

/// Translates small documents, those of a request, together. Memory holds all of them.
DocumentsTranslation translate_together(std::span<const std::unique_ptr<Document>> documents,
                                        const UnitTranslator& translator);

/// Translates plain text: a unit is a line or, with kWrapped, a paragraph. Every byte between two sentences stays.
/// Spans are in bytes of both texts. `translated` is false if the translator leaves units.
UnitTranslation translate_text(std::string_view text, SentenceMode mode, const UnitTranslator& translator,
                               UnitCounts& counts);

}  // namespace gloss
