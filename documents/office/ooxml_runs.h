#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "documents/markup/xml_document.h"
#include "documents/office/styled_paragraph.h"

namespace gloss {

/// Runs of text in the formats of Office Open XML. A run has properties (rPr) and texts (t).
class OoxmlRuns {
 public:
  /// How a line break within a text is written.
  enum class LineBreak {
    kInRun,        ///< <w:r><w:br/></w:r>
    kBetweenRuns,  ///< <a:br/>
    kCharacter,    ///< as it is
  };
  /// `prefix` begins the names of elements: "w:", or empty.
  OoxmlRuns(const XmlDocument& xml, std::string prefix, LineBreak line_break)
      : xml_(xml), prefix_(std::move(prefix)), line_break_(line_break) {}

  /// Returns the name of an element without the prefix; names with another prefix are returned as they are.
  std::string_view name(pugi::xml_node element) const;
  pugi::xml_node child(pugi::xml_node element, std::string_view name) const {
    return element.child((prefix_ + std::string(name)).c_str());
  }
  /// Returns bytes with a run around them, which has the properties of another run.
  DocumentBytes in_run(pugi::xml_node run, DocumentBytes content) const;
  /// Returns a text in the format of a run, given by its element.
  ParagraphPiece text(pugi::xml_node run, TextSpan element, std::string text) const;
  TextWriter writer() const;

 private:
  std::string format_of(pugi::xml_node properties) const;

  const XmlDocument& xml_;
  std::string prefix_;
  LineBreak line_break_;
};

/// Returns the prefix of an element's name with its colon: "w:" for w:document, empty for sst.
std::string name_prefix(pugi::xml_node element);

}  // namespace gloss
