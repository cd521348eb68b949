#pragma once

#include <string>
#include <string_view>

#include "documents/model/passage.h"

namespace gloss {

/// Returns whether two language tags are known and name different languages: "de" and "pt-BR", but not "pt" and
/// "pt_BR". Codes of two and of three letters are not compared.
bool is_other_language(std::string_view a, std::string_view b);

/// Throws DataError if a document states another language than `wanted`, that of the translation or its source. `role`
/// is "source" or "target".
void require_language(std::string_view stated, std::string_view wanted, std::string_view role,
                      const DocumentOptions& options);

}  // namespace gloss
