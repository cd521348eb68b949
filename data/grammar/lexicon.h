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

enum class EntryKind { kDeterminer, kNoun, kVerb, kAdjective, kAdverb, kModal, kAgreement, kEndings, kContraction };

/// What a line gives for one language: words in the order of its kind, and key=value behind them.
struct Forms {
  std::vector<std::string> words;
  std::map<std::string, std::string> options;

  /// The option's value, or `otherwise`.
  std::string option(const std::string& name, const std::string& otherwise = "") const;
};

/// A line of the lexicon: one meaning and its forms.
struct Entry {
  std::string name;
  std::vector<std::string> classes;
  std::map<std::string, std::vector<std::string>> roles;  ///< of a verb's noun, say: the classes that fit, by role
  std::array<Forms, kLanguages> forms;

  bool is(std::string_view name_of_class) const;
  /// Whether `noun` has one of the classes that fit the role, or is named there.
  bool takes(const std::string& role, const Entry& noun) const;
  const Forms& in(Language language) const { return forms[static_cast<std::size_t>(language)]; }
};

/// The words of a grammar. The head of lexicon.txt describes the format.
class Lexicon {
 public:
  /// Throws DataError that names the line and what is wrong with it.
  explicit Lexicon(std::string_view text);

  const std::vector<Entry>& entries(EntryKind kind) const { return entries_[static_cast<std::size_t>(kind)]; }
  /// Null where there is none.
  const Entry* find(EntryKind kind, std::string_view name) const;
  /// The entry that the program itself needs; DataError where there is none.
  const Entry& get(EntryKind kind, std::string_view name) const;

 private:
  std::array<std::vector<Entry>, 9> entries_;
};

}  // namespace gloss::grammar
