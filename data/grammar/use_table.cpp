#include "data/grammar/use_table.h"

#include <algorithm>
#include <array>

namespace gloss::grammar {
namespace {

constexpr auto kEn = Language::kEnglish;
constexpr auto kDe = Language::kGerman;
constexpr auto kZh = Language::kChinese;

constexpr auto kUses = std::to_array<UseEntry>({
    {kEn, 'n', "", Use::kPlain, false},
    {kEn, 'n', "object", Use::kObject, false},
    {kEn, 'n', "pronoun", Use::kPronoun, false},
    {kEn, 'n', "pronoun object", Use::kPronounObject, false},
    {kEn, 'n', "relative", Use::kRelative, false},
    {kEn, 'n', "at", Use::kAt, false},
    {kEn, 'n', "to", Use::kTo, false},
    {kEn, 'v', "base", Use::kBase, false},
    {kEn, 'v', "present", Use::kPresent, true},
    {kEn, 'v', "past", Use::kPast, false},
    {kEn, 'v', "ing", Use::kIng, false},
    {kEn, 'a', "", Use::kPlain, false},
    {kEn, 'a', "comparative", Use::kComparative, false},
    {kEn, 't', "", Use::kPlain, false},
    {kEn, 'm', "", Use::kPlain, true},
    {kEn, 'm', "no", Use::kNo, true},
    {kDe, 'n', "nom", Use::kNominative, false},
    {kDe, 'n', "acc", Use::kAccusative, false},
    {kDe, 'n', "dat", Use::kDative, false},
    {kDe, 'n', "object", Use::kGoverned, true},
    {kDe, 'n', "pronoun nom", Use::kPronounNominative, false},
    {kDe, 'n', "pronoun acc", Use::kPronounAccusative, false},
    {kDe, 'n', "pronoun object", Use::kPronounGoverned, true},
    {kDe, 'n', "relative nom", Use::kRelativeNominative, false},
    {kDe, 'n', "relative object", Use::kRelativeGoverned, true},
    {kDe, 'n', "at", Use::kAt, false},
    {kDe, 'n', "to", Use::kTo, false},
    {kDe, 'n', "onto", Use::kOnto, false},
    {kDe, 'v', "finite", Use::kFinite, true},
    {kDe, 'v', "joined", Use::kJoined, true},
    {kDe, 'v', "prefix", Use::kPrefix, false},
    {kDe, 'v', "infinitive", Use::kInfinitive, false},
    {kDe, 'v', "zu", Use::kZu, false},
    {kDe, 'v', "participle", Use::kParticiple, false},
    {kDe, 'v', "aux", Use::kAux, true},
    {kDe, 'a', "", Use::kPlain, false},
    {kDe, 'a', "comparative", Use::kComparative, false},
    {kDe, 't', "", Use::kPlain, false},
    {kDe, 'm', "", Use::kPlain, true},
    {kZh, 'n', "", Use::kPlain, false},
    {kZh, 'n', "to", Use::kTo, false},
    {kZh, 'n', "pronoun", Use::kPronoun, false},
    {kZh, 'n', "at", Use::kAt, false},
    {kZh, 'n', "local", Use::kLocal, false},
    {kZh, 'v', "", Use::kPlain, false},
    {kZh, 'v', "past", Use::kPast, false},
    {kZh, 'v', "not", Use::kNot, false},
    {kZh, 'a', "", Use::kPlain, false},
    {kZh, 'a', "stem", Use::kStem, false},
    {kZh, 'a', "not", Use::kNot, false},
    {kZh, 'a', "ask", Use::kAsk, false},
    {kZh, 't', "", Use::kPlain, false},
    {kZh, 'm', "", Use::kPlain, false},
    {kZh, 'm', "not", Use::kNot, false},
});

char word_of(SlotKind kind) {
  switch (kind) {
    case SlotKind::kVerb:
      return 'v';
    case SlotKind::kAdjective:
      return 'a';
    case SlotKind::kAdverb:
      return 't';
    case SlotKind::kModal:
      return 'm';
    default:
      return 'n';
  }
}

}  // namespace

const UseEntry* find_use(Language language, SlotKind kind, std::string_view text) {
  const auto found = std::ranges::find_if(kUses, [&](const auto& entry) {
    return entry.language == language && entry.word == word_of(kind) && entry.text == text;
  });
  return found == kUses.end() ? nullptr : &*found;
}

}  // namespace gloss::grammar
