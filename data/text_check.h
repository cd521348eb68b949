#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/files/line_reader.h"
#include "common/text/noted_lines.h"
#include "data/pair_verdict.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// What is odd about a text, by its lines.
struct TextReport {
  std::int64_t lines = 0;
  bool begins_with_mark = false;  ///< a byte order mark, which is dropped
  NotedLines invalid_utf8;
  NotedLines nul;
  NotedLines windows_end;  ///< ended by CRLF, of which the CR is dropped
  NotedLines control;      ///< control characters (Unicode's category Cc) but tabs, or U+FEFF within the text
  NotedLines replacement;  ///< U+FFFD: a character that some program before could not read
  NotedLines cut;          ///< longer than LineReader::kMaxLineBytes
  NotedLines empty;        ///< no piece, or no word
  NotedLines unknown;      ///< with pieces that are unknown to the tokenizer
  std::int64_t units = 0;  ///< pieces, eos left out; without a tokenizer words
  std::int64_t unknown_pieces = 0;
  /// Those that the tokenizer does not know, and how often they are there; the most frequent first.
  std::vector<std::pair<char32_t, std::int64_t>> unknown_characters;
};

/// The lines of one text, each looked at as it comes.
class CheckedText {
 public:
  /// `tokenizer` may be null: then words are counted, as they are after `normalization`. Throws as LineReader.
  CheckedText(const std::filesystem::path& path, const Tokenizer* tokenizer,
              Normalization normalization = Normalization::kNmtNfkc);

  /// False at the end. Throws IoError.
  bool next();
  const std::string& line() const { return line_; }
  /// Without a tokenizer by its words, of which a line has at most as many as pieces.
  JudgedLine judged() const { return {.cut = reader_.overlong(), .is_text = is_text_, .pieces = units_}; }
  bool empty() const { return units_ == 0; }     ///< of a text
  std::int64_t units() const { return units_; }  ///< of the line, as in the report; 0 where it is cut or no text
  std::int64_t characters() const { return characters_; }

  /// Of the lines so far.
  TextReport report() const;

 private:
  void look_at_characters();
  void count_units();
  void count_unknown_characters();

  LineReader reader_;
  const Tokenizer* tokenizer_;
  Normalization normalization_;
  std::string line_;
  bool is_text_ = false;
  std::int64_t units_ = 0, characters_ = 0;
  TextReport report_;
  struct Occurrences {
    bool known;
    std::int64_t count;
  };
  std::unordered_map<char32_t, Occurrences> seen_;  ///< of the characters of lines with unknown pieces
};

}  // namespace gloss
