#pragma once

#include <cstdint>

#include "common/config/json.h"
#include "common/text/noted_lines.h"

namespace gloss {

/// Why pairs were left out, and which.
struct CorpusReport {
  std::int64_t lines = 0;
  NotedLines invalid_utf8;  ///< or with a NUL
  NotedLines empty;         ///< no piece on one side or both
  NotedLines too_long;
  bool crlf = false;  ///< lines ended in CRLF; the CR was dropped
};

Json to_json(const CorpusReport& report);
/// Throws Json's own exceptions where it is none.
CorpusReport read_corpus_report(const Json& json);

}  // namespace gloss
