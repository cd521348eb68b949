#include "documents/markup/html_elements.h"

#include <unordered_map>
#include <utility>

#include "common/text/split.h"

namespace gloss {

HtmlRole html_role(std::string_view element) {
  constexpr std::pair<HtmlRole, std::string_view> kRoles[] = {
      {HtmlRole::kBlock,
       "address article aside audio blockquote body button canvas caption center datalist dd details dialog dir div dl "
       "dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html legend li main "
       "menu nav noembed noframes noscript object ol optgroup option p plaintext pre search section select summary "
       "table tbody td tfoot th thead title tr ul video xmp"},
      {HtmlRole::kBlockMark, "br col frame hr"},
      {HtmlRole::kMark, "area base basefont bgsound embed keygen link meta param source track wbr"},
      {HtmlRole::kPicture, "image img input"},
      {HtmlRole::kOpaqueWord, "code kbd math samp tt var"},
      {HtmlRole::kOpaquePicture, "iframe svg textarea"},
      {HtmlRole::kOpaqueMark, "script style template"}};
  static const auto roles = [&] {
    std::unordered_map<std::string_view, HtmlRole> by_name;
    for (const auto& [role, names] : kRoles)
      for (const auto name : split_text(names, ' ')) by_name[name] = role;
    return by_name;
  }();
  const auto found = roles.find(element);
  return found == roles.end() ? HtmlRole::kInline : found->second;
}

bool ends_element(std::string_view tag, std::string_view open) {
  if (open == "p") return true;
  for (const auto* group : {"dd dt", "td th"})
    if (is_in_words(open, group)) return is_in_words(tag, group) || tag == "tr";
  return is_in_words(open, "li option tr") && tag == open;
}

bool is_text_attribute(std::string_view element, std::string_view attribute) {
  return is_in_words(attribute, "alt aria-label placeholder title") && !is_in_words(element, "link style");
}

bool is_in_words(std::string_view name, std::string_view words) {
  if (name.empty() || name.find(' ') != name.npos) return false;
  for (auto at = words.find(name); at != words.npos; at = words.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace gloss
