#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gloss {

/// Plural forms of a language, as a PO file's header describes them.
struct PluralForms {
  std::size_t count = 2;
  std::size_t singular = 0;  ///< the form of one thing; `count` if that is no form of its own
  bool is_of_one = true;     ///< that form is not of other numbers, such as 21, too

  /// Reads the value of a Plural-Forms field; nothing if it has no number of forms from 1 to 10.
  static std::optional<PluralForms> of(std::string_view field);
};

/// Returns gettext's Plural-Forms of a language (BCP 47); that of English for an unknown one.
std::string plural_forms_field(std::string_view language);

/// Returns a language in gettext's spelling: "pt_BR" for "pt-BR", "sr@latin" for "sr-Latn".
std::string po_language(std::string_view language);

/// Returns the text of a string in a PO file, of the bytes between its quotation marks. Nothing if an escape is wrong,
/// or it is not UTF-8 afterwards.
std::optional<std::string> decode_po(std::string_view bytes);

/// Returns a text as strings of a PO file, as gettext writes them: several lines, if it has a line end within.
std::string po_strings(std::string_view text, std::string_view line_end);

}  // namespace gloss
