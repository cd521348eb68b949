#pragma once

#include <string>

#include "common/config/json.h"
#include "explain/heads_report.h"

namespace gloss {

/// Returns the stages of each item of a document of docs/explanation_format.md, for a terminal.
std::string trace_text(const Json& document);

/// Returns a table of the parts, the greatest loss first.
std::string heads_text(const HeadsReport& report);
Json to_json(const HeadsReport& report);

}  // namespace gloss
