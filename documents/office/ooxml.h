#pragma once

#include <set>
#include <string>
#include <vector>

#include "documents/model/passage.h"
#include "documents/office/zip_document.h"

namespace gloss {

/// Reads a part of an Office document with the text of DrawingML: a slide or its notes (.pptx), a drawing on a sheet
/// (.xlsx), a chart or a diagram. Each paragraph (a:p) is a unit. Fields are kept: numbers of slides, dates. Throws
/// DataError.
Passage read_drawing_part(std::string bytes, const DocumentOptions& options);

/// Reads a part of an Excel workbook (.xlsx): the shared strings, a sheet with strings in its cells, or comments. Each
/// string is a unit. Formulas, numbers and names of sheets are no strings. Strings in `kept` stay: names of the columns
/// of tables, which must be equal to their cells. Throws DataError.
Passage read_spreadsheet_part(std::string bytes, const DocumentOptions& options, const std::set<std::string>& kept);

/// Returns the parts of an Office document (.docx, .pptx, .xlsx) that have text, by their content types: bodies,
/// headers, footers, notes, comments, slides, strings, charts, diagrams, the title. Throws DataError.
std::vector<ZipPart> ooxml_parts(const ReadEntry& read, const DocumentOptions& options);

}  // namespace gloss
