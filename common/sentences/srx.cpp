#include "common/sentences/srx.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <pugixml.hpp>
#include <unicode/regex.h>
#include <unicode/unistr.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr std::uintmax_t kMaxSrxBytes = 16 << 20;
constexpr std::size_t kMaxSrxRules = 20'000;  ///< of a language
constexpr std::size_t kMaxUnits = 300;        ///< that a rule without a break sees before, and after, its place
constexpr std::int32_t kMaxRegexStackBytes = 16 << 20;
/// Limits of steps are in ICU's unit, 10,000 steps back. A search may take 100 per UTF-16 unit and one million.
constexpr std::int32_t kMinSearchLimit = 100, kUnitsPerLimit = 100;

/// A rule of the file, compiled.
struct SrxRule {
  using Regex = std::unique_ptr<const icu::RegexPattern>;
  std::string name;     ///< "rules.srx: rule 3 of English", for messages
  bool breaks = false;  ///< a sentence ends at its places
  Regex search;         ///< finds its places, or, without a break, texts that match beforebreak
  Regex before, after;  ///< only without a break: match a text that ends, or begins, at a place
};

icu::UnicodeString utf16_of(std::string_view text) {
  if (text.size() > std::numeric_limits<std::int32_t>::max())
    throw DataError("SRX: wanted a paragraph of at most 2 GiB; put line ends into the text");
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
}

std::unique_ptr<const icu::RegexPattern> compile_regex(const std::string& pattern, std::uint32_t flags,
                                                       const std::string& name) {
  auto status = is_text(pattern) ? U_ZERO_ERROR : U_INVALID_CHAR_FOUND;
  UParseError place;
  std::unique_ptr<const icu::RegexPattern> compiled(
      icu::RegexPattern::compile(utf16_of(pattern), flags, place, status));
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (U_FAILURE(status))
    throw DataError(name + ": wanted a regular expression of ICU, got \"" + printable(pattern, 80) + "\" (" +
                    u_errorName(status) + "); correct the rule");
  return compiled;
}

/// Searches a text, within limits.
class RegexSearch {
 public:
  RegexSearch(const icu::RegexPattern& pattern, const icu::UnicodeString& text, const std::string& name) : name_(name) {
    matcher_.reset(pattern.matcher(text, status_));
    checked(true);
    matcher_->setTimeLimit(kMinSearchLimit + text.length() / kUnitsPerLimit, status_);
    matcher_->setStackLimit(kMaxRegexStackBytes, status_);
    matcher_->useAnchoringBounds(false);  // ^ is the beginning of the text, and what follows a region is seen
    matcher_->useTransparentBounds(true);
  }

  /// Finds the next match.
  bool find() { return checked(matcher_->find(status_)); }
  /// Finds the first match within a range.
  bool find(TextSpan range) { return checked(region(range).find(status_)); }
  /// Returns whether the pattern matches the beginning of a range, or all of it.
  bool begins(TextSpan range) { return checked(region(range).lookingAt(status_)); }
  bool matches(TextSpan range) { return checked(region(range).matches(status_)); }
  /// Range of the match that was found.
  std::size_t begin() { return static_cast<std::size_t>(matcher_->start(status_)); }
  std::size_t end() { return static_cast<std::size_t>(matcher_->end(status_)); }

 private:
  icu::RegexMatcher& region(TextSpan range) {
    return matcher_->region(static_cast<std::int64_t>(range.begin), static_cast<std::int64_t>(range.end), status_);
  }
  bool checked(bool result) const {
    if (status_ == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    if (U_SUCCESS(status_)) return result;
    throw DataError(name_ + ": the search takes too many steps (" + u_errorName(status_) +
                    "); simplify the rule, or shorten the paragraphs of the text");
  }

  const std::string& name_;
  UErrorCode status_ = U_ZERO_ERROR;
  std::unique_ptr<icu::RegexMatcher> matcher_;
};

/// Finds the places of a rule without a break. They are asked for in ascending order.
class SrxExceptions {
 public:
  SrxExceptions(const SrxRule& rule, const icu::UnicodeString& text)
      : size_(static_cast<std::size_t>(text.length())),
        search_(*rule.search, text, rule.name),
        before_(*rule.before, text, rule.name),
        after_(*rule.after, text, rule.name) {}

  bool contains(std::size_t place) {
    const TextSpan seen{place - std::min(place, kMaxUnits), std::min(place + kMaxUnits, size_)};
    if (next_ < seen.begin || place > searched_) {
      next_ = search_.find(seen) ? search_.begin() : seen.end + 1;
      searched_ = seen.end;
    }
    return next_ <= place && after_.begins({place, seen.end}) && before_.matches({next_, place});
  }

 private:
  std::size_t size_;
  RegexSearch search_, before_, after_;
  std::size_t next_ = 0;      ///< beforebreak matches from here on, and from no earlier place that is near enough
  std::size_t searched_ = 0;  ///< end of the range that was searched
};

class SrxSplitter final : public SentenceSplitter {
 public:
  explicit SrxSplitter(std::vector<SrxRule> rules) : rules_(std::move(rules)) {}

  std::vector<TextSpan> sentences(std::string_view paragraph) const override {
    const auto text = utf16_of(paragraph);
    auto places = break_places(text);
    places.emplace(static_cast<std::size_t>(text.length()), rules_.size());
    std::vector<TextSpan> found;
    std::size_t begin = 0, end = 0, units = 0;
    for (const auto& [place, rule] : places) {
      for (; units < place; end += decode_utf8(paragraph, end).bytes)
        units += decode_utf8(paragraph, end).bytes == 4 ? 2 : 1;
      const auto sentence = without_outer_space(paragraph, {begin, end});
      if (!sentence.empty()) found.push_back(sentence);
      begin = end;
    }
    return found;
  }

 private:
  /// Returns the places where sentences end, in UTF-16 units, and the rule of each. The first rule of a place decides.
  std::map<std::size_t, std::size_t> break_places(const icu::UnicodeString& text) const {
    std::map<std::size_t, std::size_t> places;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (!rules_[i].breaks) continue;
      RegexSearch search(*rules_[i].search, text, rules_[i].name);
      while (search.find()) places.emplace(search.end(), i);
    }
    for (std::size_t i = 0; i < rules_.size() && !places.empty(); ++i) {
      if (rules_[i].breaks) continue;
      SrxExceptions exceptions(rules_[i], text);
      std::erase_if(places, [&](const auto& place) { return place.second > i && exceptions.contains(place.first); });
    }
    return places;
  }

  std::vector<SrxRule> rules_;
};

SrxRule compile_rule(pugi::xml_node element, std::string name) {
  const std::string_view breaks = element.attribute("break").as_string("yes");
  if (breaks != "yes" && breaks != "no")
    throw DataError(name + ": wanted break=\"yes\" or \"no\", got \"" + printable(breaks, 80) + '"');
  std::string before, after;
  for (const auto part : element.child("beforebreak").children()) before += part.value();
  for (const auto part : element.child("afterbreak").children()) after += part.value();
  SrxRule rule{.name = std::move(name), .breaks = breaks == "yes", .search = {}, .before = {}, .after = {}};
  before = "(?:" + before + ')';
  rule.search = compile_regex(rule.breaks ? before + "(?=" + after + ')' : before, 0, rule.name);
  if (!rule.breaks) {
    rule.before = compile_regex("[\\s\\S]*?" + before, 0, rule.name);
    rule.after = compile_regex(after, 0, rule.name);
  }
  return rule;
}

/// Reads a file. Its header may describe how tags are split off (segmentsubflows, formathandle). The paragraphs that
/// gloss splits have no tags, so that is ignored.
pugi::xml_document load_srx(const std::filesystem::path& file, const std::string& name) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) throw DataError(name + ": wanted a file of SRX rules: " + error.message());
  if (size > kMaxSrxBytes)
    throw DataError(name + ": wanted SRX rules of at most 16 MiB, got " + std::to_string(size) + " bytes");
  pugi::xml_document tree;
  const auto result = tree.load_file(file.c_str(), pugi::parse_default | pugi::parse_ws_pcdata);
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  if (!result || !tree.child("srx").child("body"))
    throw DataError(name + ": byte " + std::to_string(result.offset) +
                    ": wanted SRX 2.0: an element srx with a body (" + result.description() + ')');
  if (tree.child("srx").child("header").child("okpsrx:options").attribute("useIcu4jBreakRules").as_bool())
    throw DataError(name + ": wanted rules with break=\"yes\", got Okapi's option useIcu4jBreakRules; use others");
  return tree;
}

/// Returns the rules for a language. They are those of the first map that matches it, or with a cascade of all.
std::vector<SrxRule> rules_of(pugi::xml_node srx, std::string_view language, const std::string& name) {
  const bool cascade = srx.child("header").attribute("cascade").as_bool();  // SRX 1.0 has none
  const auto code = utf16_of(language);
  std::vector<SrxRule> rules;
  for (const auto& map : srx.child("body").child("maprules").select_nodes("languagemap|maprule/languagemap")) {
    const auto map_name = name + ": languagepattern";
    const auto pattern =
        compile_regex(map.node().attribute("languagepattern").value(), UREGEX_CASE_INSENSITIVE, map_name);
    if (!RegexSearch(*pattern, code, map_name).matches({0, static_cast<std::size_t>(code.length())})) continue;
    const char* const rule_name = map.node().attribute("languagerulename").value();
    const auto group = srx.child("body").child("languagerules").find_child_by_attribute("languagerulename", rule_name);
    if (!group) throw DataError(name + ": wanted a languagerule \"" + printable(rule_name, 80) + "\", got none");
    std::size_t number = 0;
    for (const auto rule : group.children("rule")) {
      if (rules.size() == kMaxSrxRules) throw DataError(name + ": wanted at most 20,000 rules of a language, got more");
      rules.push_back(
          compile_rule(rule, name + ": rule " + std::to_string(++number) + " of " + printable(rule_name, 80)));
    }
    if (!cascade) break;
  }
  if (std::ranges::any_of(rules, [](const auto& rule) { return rule.breaks; })) return rules;
  throw DataError(name + ": no rule with break=\"yes\" for the language \"" + printable(language, 80) +
                  "\"; add a languagemap with its rules");
}

}  // namespace

std::shared_ptr<const SentenceSplitter> srx_splitter(const std::filesystem::path& file, std::string_view language) {
  const auto name = printable(file.string());
  const auto tree = load_srx(file, name);
  return std::make_shared<SrxSplitter>(rules_of(tree.child("srx"), language, name));
}

}  // namespace gloss
