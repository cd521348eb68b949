#pragma once

#include <cstdint>

#include "common/config/json.h"
#include "common/text/format.h"
#include "data/aligned_reader.h"

namespace gloss {

/// The pairs of a text that encoding used and left out.
struct CorpusReport {
  std::int64_t lines = 0;
  std::int64_t pairs = 0;        ///< pairs in use
  NotedLines invalid_utf8 = {};  ///< or with a NUL
  NotedLines empty = {};         ///< no piece on one side or both
  NotedLines too_long = {};
  NotedLines ratio = {};     ///< skipped by PairFilters::max_ratio
  NotedLines copied = {};    ///< skipped by PairFilters::skip_copied
  NotedLines repeated = {};  ///< skipped by PairFilters::skip_repeated
  bool crlf = false;         ///< some lines ended in CRLF; the CR was dropped
};

/// Throws DataError if more than 1 % of the pairs are not UTF-8.
void expect_utf8(const TextFiles& files, const CorpusReport& report);
/// Throws DataError if the text has no pairs, or if none is in use. `max_length` is EncodingOptions::max_length.
void expect_usable(const TextFiles& files, const CorpusReport& report, std::int64_t max_length);

Json to_json(const CorpusReport& report);
/// Parses a report, also of a version without filters. Throws Json's own exceptions if a key is missing or has another
/// type.
CorpusReport read_corpus_report(const Json& json);

}  // namespace gloss
