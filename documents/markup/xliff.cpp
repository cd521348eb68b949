#include "documents/markup/xliff.h"

#include <array>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "documents/markup/document_language.h"

namespace gloss {
namespace {

/// A <target> that is written.
struct XliffTarget {
  TextSpan range;                                                         ///< of the old one; empty: an insertion
  std::string start, end;                                                 ///< its tags, the first one without >
  std::vector<std::variant<std::string, TextSpan, std::size_t>> content;  ///< the last: index of a unit
  std::vector<std::size_t> units;                                         ///< in it
  TextSpan segment;                                                       ///< 2.x: start tag of the <segment>
  std::string segment_start;
};

/// Everything that render needs. Offsets only, so that the tree is freed.
struct XliffPlan {
  bool is_version_2 = false;
  std::string prefix;  ///< of the names of elements
  std::vector<XmlText> texts;
  std::vector<std::string> segment_ids;  ///< 1.2: mid of each text for its proposal, as in the document; may be empty
  std::vector<XliffTarget> targets;
  std::vector<Replacement> edits;  ///< of attributes, and of old proposals, which go
};

std::string_view value_of(pugi::xml_node element, const char* attribute) {
  return element.attribute(attribute).value();
}

/// Returns the attribute of the element or of the innermost one around it that has it.
std::string_view inherited(pugi::xml_node element, const char* attribute) {
  while (element && !element.attribute(attribute)) element = element.parent();
  return value_of(element, attribute);
}

class XliffReader {
 public:
  XliffReader(const XmlDocument& document, const DocumentOptions& options) : document_(document), options_(options) {}

  void read() {
    const std::string_view name = document_.root().name(), version = value_of(document_.root(), "version");
    plan.prefix = name.substr(0, name.find(':') + 1);
    if (name != plan.prefix + "xliff" || (!version.starts_with("1.") && !version.starts_with("2.")))
      throw DataError(options_.name + ": wanted <xliff> of version 1.0 to 2.2, got <" + printable(name, 40) +
                      "> of version \"" + printable(version, 40) + "\"");
    plan.is_version_2 = version.starts_with('2');
    for_each_element(document_, [&](pugi::xml_node element) {
      const std::string_view element_name = element.name();
      if (element_name == plan.prefix + "trans-unit" && !plan.is_version_2) add_trans_unit(element);
      if (element_name == plan.prefix + "segment" && plan.is_version_2) add_segment(element);
      if (element_name == plan.prefix + "file" && !plan.is_version_2)
        read_languages(element, "source-language", "target-language");
    });
    if (plan.is_version_2) read_languages(document_.root(), "srcLang", "trgLang");
  }

  XliffPlan plan;
  std::vector<Unit> units;

 private:
  using Segments = std::vector<std::pair<pugi::xml_node, pugi::xml_node>>;  ///< source, and place in the target

  pugi::xml_node child(pugi::xml_node element, const char* name) const {
    return element.child((plan.prefix + name).c_str());
  }

  /// Checks the languages of an element, and sets that of the translation if it lacks it.
  void read_languages(pugi::xml_node element, const char* source, const char* target) {
    require_language(value_of(element, source), options_.source_language, "source", options_);
    require_language(value_of(element, target), options_.target_language, "target", options_);
    if (is_language_tag(with_hyphens(std::string(value_of(element, target))))) return;
    if (!options_.target_language.empty())
      plan.edits.push_back(set_attribute(document_, element, target, options_.target_language));
    else if (plan.is_version_2 && !plan.targets.empty())
      throw DataError(options_.name +
                      ": wanted the target language, because XLIFF 2 states it, and the document lacks " + target);
  }

  void add_trans_unit(pugi::xml_node unit) {
    const auto source = child(unit, "source"), segmented = child(unit, "seg-source"), old = child(unit, "target");
    if (!source || inherited(unit, "translate") == "no") return;
    const bool is_approved = value_of(unit, "approved") == "yes";
    const bool is_new = value_of(old, "state") == "new" || value_of(old, "state") == "needs-translation";
    const bool is_kept = has_xml_text(old) && (is_approved || !is_new) && !options_.overwrite_translations;
    Segments segments;
    if (is_kept)
      add_missing_segments(old, segmented, segments);
    else if (segmented)
      for (const auto segment : segments_of(segmented)) segments.emplace_back(segment, segment);
    if (!is_kept && segments.empty()) segments.emplace_back(source, source);
    const auto frame = is_kept ? old : segments.front().first == source ? source : segmented;
    const auto id = "unit " + printable(decode_xml(value_of(unit, "id")), 80);
    static constexpr std::array<std::string_view, 2> kStates = {"state", "state-qualifier"};
    if (!add_target(frame, segments, id)) return;
    place_target(source, segmented ? segmented : source, old, kStates);
    for (const auto node : unit.children())  // proposals of a translation that is written over
      if (!is_kept && node.name() == plan.prefix + "alt-trans" && value_of(node, "origin") == "gloss")
        plan.edits.push_back({document_.range(node), {}});
    if (is_approved) plan.edits.push_back(set_attribute(document_, unit, "approved", "no"));
  }

  /// Finds the segments of a source that a translation has left empty.
  void add_missing_segments(pugi::xml_node target, pugi::xml_node segmented, Segments& segments) const {
    std::unordered_map<std::string_view, pugi::xml_node> sources;
    for (const auto segment : segments_of(segmented)) sources[value_of(segment, "mid")] = segment;
    for (const auto segment : segments_of(target)) {
      const auto source = sources.find(value_of(segment, "mid"));
      if (source != sources.end() && !has_xml_text(segment)) segments.emplace_back(source->second, segment);
    }
  }

  std::vector<pugi::xml_node> segments_of(pugi::xml_node element) const {
    std::vector<pugi::xml_node> found;
    for (const auto node : element.children()) {
      if (node.name() == plan.prefix + "mrk" && value_of(node, "mtype") == "seg") {
        found.push_back(node);
      } else {
        const auto inner = segments_of(node);
        found.insert(found.end(), inner.begin(), inner.end());
      }
    }
    return found;
  }

  void add_segment(pugi::xml_node segment) {
    static constexpr std::array<std::string_view, 2> kStates = {"state", "subState"};
    const auto source = child(segment, "source"), old = child(segment, "target"), unit = segment.parent();
    if (!source || inherited(segment, "translate") == "no") return;
    // Other programs write targets without a state. Those of gloss have one.
    const bool is_new = value_of(segment, "state") == "initial" && !value_of(segment, "subState").starts_with("gloss:");
    if (has_xml_text(old) && !is_new && !options_.overwrite_translations) return;
    const auto id = "unit " + printable(decode_xml(value_of(unit, "id")), 80);
    if (!add_target(source, {{source, source}}, id)) return;
    place_target(source, source, old, {});
    plan.targets.back().segment = document_.start_tag(segment);
    plan.targets.back().segment_start = start_without(document_, segment, kStates);
  }

  /// Adds a target with the content of `frame`, where translations stand in place of the texts of the segments.
  bool add_target(pugi::xml_node frame, const Segments& segments, const std::string& id) {
    XliffTarget target;
    auto copied = document_.content(frame).begin;
    for (const auto& [source, place] : segments) {
      auto text = read_xml_text(document_, source, xliff_role);
      if (!text) continue;
      const auto content = document_.content(source), old = document_.range(place);
      const bool is_filled = source != place;  // an empty element is written anew
      target.content.emplace_back(TextSpan{copied, is_filled ? old.begin : text->range.begin});
      if (is_filled) target.content.emplace_back(start_without(document_, place, {}) + '>');
      if (is_filled) target.content.emplace_back(TextSpan{content.begin, text->range.begin});
      target.content.emplace_back(plan.texts.size());
      if (is_filled) target.content.emplace_back(TextSpan{text->range.end, content.end});
      if (is_filled) target.content.emplace_back(std::string("</") + place.name() + '>');
      copied = is_filled ? old.end : text->range.end;
      target.units.push_back(plan.texts.size());
      add_unit(source, id, std::move(*text));
    }
    target.content.emplace_back(TextSpan{copied, document_.content(frame).end});
    if (target.units.empty()) return false;
    plan.targets.push_back(std::move(target));
    return true;
  }

  void add_unit(pugi::xml_node source, const std::string& id, XmlText text) {
    const std::string segment(value_of(source, "mid"));
    const bool keeps_lines = inherited(source, "xml:space") == "preserve";
    units.push_back({segment.empty() ? id : id + ", segment " + printable(segment, 80), text.source,
                     keeps_lines ? SentenceMode::kParagraph : SentenceMode::kWrapped});
    plan.texts.push_back(std::move(text));
    // A proposal can name the segments right below seg-source only.
    plan.segment_ids.push_back(source.parent().name() == plan.prefix + "seg-source" ? segment : "");
  }

  /// Lets the last target replace the old one, or follow `before` like `source` follows its predecessor.
  void place_target(pugi::xml_node source, pugi::xml_node before, pugi::xml_node old,
                    std::span<const std::string_view> states) {
    auto& target = plan.targets.back();
    const auto end = document_.range(before).end;
    const std::string_view space = source.previous_sibling().value();
    target.range = old ? document_.range(old) : TextSpan{end, end};
    if (old)
      target.start = start_without(document_, old, states);
    else if (space.find_first_not_of(kAsciiSpace) == space.npos)
      target.start = space;
    if (!old) target.start += '<' + plan.prefix + "target";
    target.end = "</" + plan.prefix + "target>";
  }

  const XmlDocument& document_;
  const DocumentOptions& options_;
};

std::string percent_of(const UnitTranslation& translation) {
  return std::to_string(std::lround(100 * translation.confidence));
}

/// Returns a proposal with the confidence of a unit, for XLIFF 1.2.
TextParts alternative(const XliffPlan& plan, std::size_t unit, const UnitTranslation& translation) {
  const auto& id = plan.segment_ids[unit];
  const auto content = render_xml_text(plan.texts[unit], translation.target);
  TextParts parts = {'<' + plan.prefix + "alt-trans" + (id.empty() ? "" : " mid=\"" + id + '"') + " match-quality=\"" +
                     percent_of(translation) + "%\" origin=\"gloss\"><" + plan.prefix + "target>"};
  if (plan.texts[unit].is_cdata) parts.emplace_back("<![CDATA[");
  parts.insert(parts.end(), content.begin(), content.end());
  if (plan.texts[unit].is_cdata) parts.emplace_back("]]>");
  parts.emplace_back("</" + plan.prefix + "target></" + plan.prefix + "alt-trans>");
  return parts;
}

Replacement target_replacement(const XliffPlan& plan, const XliffTarget& target,
                               std::span<const UnitTranslation> translations) {
  Replacement result{target.range, {target.start}};
  auto& parts = result.parts;
  bool from_memory = true;
  for (const auto unit : target.units) from_memory = from_memory && translations[unit].from_memory;
  if (!plan.is_version_2)
    parts.emplace_back(std::string(" state=\"needs-review-translation\" state-qualifier=\"") +
                       (from_memory ? "exact-match" : "leveraged-mt") + '"');
  parts.emplace_back(">");
  for (const auto& part : target.content) {
    if (const auto* unit = std::get_if<std::size_t>(&part)) {
      const auto content = render_xml_text(plan.texts[*unit], translations[*unit].target);
      parts.insert(parts.end(), content.begin(), content.end());
    } else if (const auto* span = std::get_if<TextSpan>(&part)) {
      parts.emplace_back(*span);
    } else {
      parts.emplace_back(std::get<std::string>(part));
    }
  }
  parts.emplace_back(target.end);
  for (const auto unit : target.units) {
    if (plan.is_version_2) continue;
    const auto proposal = alternative(plan, unit, translations[unit]);
    parts.insert(parts.end(), proposal.begin(), proposal.end());
  }
  return result;
}

std::vector<Replacement> render_xliff(const XliffPlan& plan, std::span<const UnitTranslation> translations) {
  auto replacements = plan.edits;
  for (const auto& target : plan.targets) {
    replacements.push_back(target_replacement(plan, target, translations));
    if (!plan.is_version_2) continue;
    const auto& translation = translations[target.units.front()];
    const auto origin = translation.from_memory ? "memory" : "mt-" + percent_of(translation);
    replacements.push_back(
        {target.segment, {target.segment_start + " state=\"initial\" subState=\"gloss:" + origin + "\">"}});
  }
  return replacements;
}

}  // namespace

Passage read_xliff(std::string bytes, const DocumentOptions& options) {
  Passage passage{std::move(bytes), {}, {}};
  const XmlDocument document(passage.bytes, options.name);
  XliffReader reader(document, options);
  reader.read();
  passage.units = std::move(reader.units);
  if (passage.units.empty()) return passage;
  passage.render = [plan = std::make_shared<const XliffPlan>(std::move(reader.plan))](auto translations) {
    return render_xliff(*plan, translations);
  };
  return passage;
}

}  // namespace gloss
