#include "documents/markup/document_language.h"

#include "common/error.h"
#include "common/text/language_tag.h"
#include "common/text/letter_case.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

/// Returns the primary subtag; empty for a text that is no language tag.
std::string primary_language(std::string_view tag) {
  const auto language = with_hyphens(std::string(tag));
  const auto primary = is_language_tag(language) ? lower_ascii(language.substr(0, language.find('-'))) : "";
  return primary == "nb" ? "no" : primary;  // Norwegian
}

}  // namespace

bool is_other_language(std::string_view a, std::string_view b) {
  const auto first = primary_language(a), second = primary_language(b);
  return !first.empty() && first.size() == second.size() && first != second;
}

void require_language(std::string_view stated, std::string_view wanted, std::string_view role,
                      const DocumentOptions& options) {
  if (is_other_language(stated, wanted))
    throw DataError(options.name + ": wanted the " + std::string(role) + " language " + std::string(wanted) + ", got " +
                    printable(stated, 40) + "; choose another model, or correct the language in the document");
}

}  // namespace gloss
