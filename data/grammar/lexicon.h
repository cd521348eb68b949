#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gloss::grammar {

enum class Language { kEnglish, kGerman, kChinese };
constexpr std::size_t kLanguages = 3;

/// The sections of a lexicon.
enum class EntryKind { kDeterminer, kNoun, kVerb, kAdjective, kAdverb, kModal, kAgreement, kEndings, kContraction };

/// The forms of an entry in one language: words in the order of its kind, then key=value options.
struct Forms {
  std::vector<std::string> words;
  std::map<std::string, std::string> options;

  /// Returns the option's value, or `otherwise` if it is not set.
  std::string option(const std::string& name, const std::string& otherwise = "") const;
};

/// A line of the lexicon: one meaning and its forms.
struct Entry {
  std::string name;
  std::vector<std::string> classes;
  std::map<std::string, std::vector<std::string>> roles;  ///< by role, such as a verb's object: the classes that fit
  std::array<Forms, kLanguages> forms;

  bool is(std::string_view name_of_class) const;
  /// Returns whether `noun` fits the role by one of its classes or by its name.
  bool takes(const std::string& role, const Entry& noun) const;
  const Forms& in(Language language) const { return forms[static_cast<std::size_t>(language)]; }
};

/// A line of a grammar's text, without comment and outer white space.
struct Line {
  std::string_view text;
  std::size_t number;     ///< from 1
  std::string_view file;  ///< its name in messages

  /// Throws DataError with file, line and `what`.
  [[noreturn]] void refuse(const std::string& what) const;
};

/// Returns the lines that are not empty. Throws DataError if the text is not UTF-8.
std::vector<Line> grammar_lines(std::string_view text, std::string_view file);

/// Returns the text without white space at its ends.
std::string_view trim(std::string_view text);
/// Returns the parts between separators, trimmed.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Returns the words between white space.
std::vector<std::string> split_words(std::string_view text);

/// The words of a grammar. lexicon.txt describes the format at its head.
class Lexicon {
 public:
  /// Parses the text. Throws DataError with the line and the reason.
  explicit Lexicon(std::string_view text);

  const std::vector<Entry>& entries(EntryKind kind) const { return entries_[static_cast<std::size_t>(kind)]; }
  /// Returns the entry, or null if there is none.
  const Entry* find(EntryKind kind, std::string_view name) const;
  /// Returns the entry. Throws DataError if there is none.
  const Entry& get(EntryKind kind, std::string_view name) const;

 private:
  std::array<std::vector<Entry>, 9> entries_;
};

}  // namespace gloss::grammar
