#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/files/line_reader.h"
#include "common/text/format.h"
#include "data/pair_verdict.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// Problems of a text, by its lines.
struct TextReport {
  std::int64_t lines = 0;
  bool begins_with_mark = false;  ///< begins with a byte order mark, which is dropped
  NotedLines invalid_utf8;
  NotedLines nul;
  NotedLines windows_end;      ///< ended by CRLF; the CR is dropped
  NotedLines control;          ///< control characters (Unicode category Cc) without tabs and separators; U+FEFF within
  NotedLines line_separator;   ///< with a character at which other programs end a line (is_line_separator)
  NotedLines invisible;        ///< with a character that visible_text leaves out
  NotedLines changed;          ///< with a character that the normalization changes (is_changed_by_nfkc)
  char32_t first_changed = 0;  ///< the first such character
  NotedLines replacement;      ///< U+FFFD: an earlier program could not read a character
  NotedLines cut;              ///< longer than LineSplitter::kMaxLineBytes
  NotedLines empty;            ///< blank, no piece, or no word
  NotedLines unknown;          ///< with unknown pieces
  std::int64_t units = 0;      ///< pieces without eos; without a tokenizer, words
  std::int64_t unknown_pieces = 0;
  /// Characters outside the tokenizer's vocabulary and their counts, the most frequent first.
  std::vector<std::pair<char32_t, std::int64_t>> unknown_characters;
};

/// Checks the lines of one text, in order.
class TextCheck {
 public:
  /// `path` is only searched for a byte order mark. `normalization` is that of the tokenizer. If `tokenizer` is null,
  /// words are counted after it.
  TextCheck(const std::filesystem::path& path, const Tokenizer* tokenizer,
            Normalization normalization = Normalization::kNmtNfkc);

  /// Checks the next line of the text and returns its properties. Without a tokenizer, words count as pieces: a line
  /// has at least as many pieces as words.
  JudgedLine add(const TextLine& line);

  std::int64_t units() const { return units_; }  ///< of the last line, as in the report; 0 if it is cut or invalid
  std::int64_t characters() const { return characters_; }  ///< of the last line

  /// Returns the report on the lines so far.
  TextReport report() const;

 private:
  void check_characters(std::string_view line);
  void count_units(std::string_view line);
  void count_unknown_characters(std::string_view line);

  const Tokenizer* tokenizer_;
  Normalization normalization_;
  bool is_text_ = false;
  std::int64_t units_ = 0, characters_ = 0;
  TextReport report_;
  struct Occurrences {
    bool known = false;
    std::int64_t count = 0;
  };
  std::unordered_map<char32_t, Occurrences> seen_;  ///< of the characters of lines with unknown pieces
};

}  // namespace gloss
