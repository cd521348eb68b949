#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gloss {

/// Phrases with required translations. Finds them in a text.
class TermList {
 public:
  struct Entry {
    std::string source;       ///< trimmed, with one space for each run of white space, composed (composed())
    std::string target;       ///< trimmed alike; may be several alternatives with `|` between
    std::int64_t number = 0;  ///< line of the file, or number of the entry, from 1
  };

  /// Reads `source phrase<TAB>target phrase` line by line. White space at the ends of a phrase is ignored, and so are
  /// empty lines, lines without a tab that begin with `#`, and repeated entries. Throws DataError naming file and
  /// line if a line does not have two phrases, is not UTF-8 or too long, or translates an earlier phrase in another
  /// way; and as LineReader.
  static TermList read(const std::filesystem::path& path);

  /// Makes a glossary of (source, target) pairs. Throws DataError naming the entry if a phrase is empty or not UTF-8,
  /// or if a source has two translations.
  static TermList from_entries(std::span<const std::pair<std::string, std::string>> entries);

  /// An occurrence of an entry's source in a line.
  struct Occurrence {
    std::size_t entry = 0;           ///< index
    std::size_t begin = 0, end = 0;  ///< bytes of the line

    bool operator==(const Occurrence&) const = default;
  };
  /// Returns the occurrences of sources in a line of valid UTF-8, from left to right: the longest at each position,
  /// without overlaps, and whole words (is_word_boundary). Letters match in both cases unless the source has an
  /// upper-case one; a letter with a combining mark matches the composed letter. Only occurrences that end within the
  /// first `end` bytes count.
  std::vector<Occurrence> find(std::string_view line, std::size_t end = std::string_view::npos) const;

  const std::vector<Entry>& entries() const { return entries_; }
  /// Start of a message about an entry: "file: line 3: " or "glossary: entry 3: ".
  std::string where(std::int64_t number) const { return name_ + ": " + unit_ + " " + std::to_string(number) + ": "; }

 private:
  TermList(std::string name, std::string unit) : name_(std::move(name)), unit_(std::move(unit)) {}
  void add(Entry entry);
  void link_prefixes();
  /// Returns the longest entry at `offset` of a text; entries().size() if there is none.
  std::size_t longest_at(std::string_view text, std::size_t offset) const;

  std::string name_, unit_;  ///< safe to print
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> by_source_;
  std::vector<std::size_t> prefixes_;  ///< of each entry the longest other source that begins it, or entries_.size()
};

}  // namespace gloss
