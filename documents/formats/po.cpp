#include "documents/formats/po.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "documents/formats/po_entry.h"
#include "documents/formats/po_strings.h"
#include "documents/markup/document_language.h"
#include "documents/markup/text_values.h"
#include "documents/model/placeholders.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxEntryBytes = 16 << 20;

/// A msgid, and the white space at its ends, which stays.
struct PoSource {
  std::string before, text, after;
  std::optional<std::size_t> unit;  ///< index; nothing: it is copied
};

/// Everything that render needs of an entry.
struct PoPlan {
  std::vector<PoSource> sources;   ///< msgid, and msgid_plural
  std::vector<std::size_t> forms;  ///< index of the source of each plural form
  bool is_plural = false;
  TextSpan translations;
  std::string line_end;
  std::optional<Replacement> flag;
};

PoSource po_source(std::string text) {
  PoSource source;
  const auto begin = std::min(text.find_first_not_of(kAsciiSpace), text.size());
  const auto end = std::max(text.find_last_not_of(kAsciiSpace) + 1, begin);
  source.before = text.substr(0, begin);
  source.text = text.substr(begin, end - begin);
  source.after = text.substr(end);
  return source;
}

std::vector<Replacement> render_po(const PoPlan& plan, std::span<const UnitTranslation> translations) {
  std::string strings;
  for (std::size_t form = 0; form < plan.forms.size(); ++form) {
    const auto& source = plan.sources[plan.forms[form]];
    const auto text = source.unit ? with_element_texts(translations[*source.unit]).target.text : source.text;
    if (form > 0) strings += plan.line_end;
    strings += plan.is_plural ? "msgstr[" + std::to_string(form) + "] " : "msgstr ";
    strings += po_strings(source.before + text + source.after, plan.line_end);
  }
  std::vector<Replacement> replacements{{plan.translations, {strings}}};
  if (plan.flag) replacements.push_back(*plan.flag);
  return replacements;
}

/// The fields of a header, in the bytes between quotation marks.
class PoHeader {
 public:
  explicit PoHeader(const PoEntry& entry) : entry_(entry) {}

  /// Returns the value of a field; nothing if the header lacks it.
  std::optional<std::string_view> value(const std::string& name) const {
    const auto place = find(entry_.translation, name, 0);
    if (!place) return {};
    const auto rest = std::string_view(entry_.translation).substr(*place);
    const auto text = rest.substr(0, rest.find("\\n"));
    const auto begin = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  }

  void set(const std::string& name, const std::string& text) {
    const auto place = find(entry_.bytes, name, entry_.translations.begin);
    const auto end = place ? entry_.bytes.find_first_of("\\\"", *place) : std::string::npos;
    if (end != std::string::npos) {
      replacements.push_back({{*place, end}, {' ' + text}});
    } else if (!value(name)) {
      const bool is_ended = entry_.translation.empty() || entry_.translation.ends_with("\\n");
      const auto last = entry_.translations.end;
      replacements.push_back(
          {{last, last},
           {std::string(entry_.line_end()) + (is_ended ? "\"" : "\"\\n") + name + ": " + text + "\\n\""}});
    }
  }

  std::vector<Replacement> replacements;

 private:
  /// Returns the place after the name and colon of a field that begins a string or a line.
  static std::optional<std::size_t> find(const std::string& bytes, const std::string& name, std::size_t place) {
    for (;; ++place) {
      place = bytes.find(name + ':', place);
      if (place == bytes.npos) return {};
      const auto before = std::string_view(bytes).substr(0, place);
      if (before.empty() || before.ends_with('"') || before.ends_with("\\n")) return place + name.size() + 1;
    }
  }

  const PoEntry& entry_;
};

class PoReader final : public PassageReader {
 public:
  PoReader(DocumentInput input, const DocumentOptions& options)
      : input_(std::move(input)),
        options_(options),
        plurals_(PluralForms::of(plural_forms_field(options.target_language)).value_or(PluralForms{})) {}

  std::optional<Passage> next() override {
    PoEntry entry;
    entry.line = line_number_ + (line_.empty() ? 1 : 0);
    while (!line_.empty() || next_line()) {
      if (entry.ends_before(line_)) break;
      if (const auto wanted = entry.add(line_)) fail(*wanted, line_);
      if (entry.bytes.size() > kMaxEntryBytes) fail("an entry of at most " + bytes_text(kMaxEntryBytes), "more");
      line_.clear();
    }
    if (entry.bytes.empty()) return {};
    if (entry.message && !entry.is_complete()) fail("msgstr after msgid", "the end");
    if (entry.is_header() && !std::exchange(has_header_, true)) return read_header(entry);
    return read_entry(entry);
  }

 private:
  bool next_line() {
    const bool is_open = line_open_;
    if (!input_.next_line(line_)) return false;
    line_number_ = input_.line_number();
    line_open_ = !line_.ends_with('\n') && !line_.ends_with('\r');
    if (is_open) fail("lines of at most " + bytes_text(DocumentInput::kMaxLineBytes), "a longer one");
    return true;
  }

  [[noreturn]] void fail(const std::string& wanted, std::string_view found) const {
    throw DataError(options_.name + ": line " + std::to_string(line_number_) + ": wanted " + wanted + ", got " +
                    printable(found, 80) + "; msgfmt -c checks PO files");
  }

  Passage read_header(const PoEntry& entry) {
    PoHeader header(entry);
    auto language = options_.target_language;
    const auto stated = header.value("Language").value_or("");
    require_language(stated, language, "target", options_);
    if (!stated.empty())
      language = stated;
    else if (!language.empty())
      header.set("Language", po_language(language));
    const auto plurals = PluralForms::of(header.value("Plural-Forms").value_or(""));
    const auto field = plural_forms_field(language);
    if (!plurals) header.set("Plural-Forms", field);
    plurals_ = plurals ? *plurals : PluralForms::of(field).value_or(PluralForms{});
    const auto type = header.value("Content-Type").value_or("");
    if (type.find("UTF-8") == type.npos && type.find("utf-8") == type.npos)
      header.set("Content-Type", "text/plain; charset=UTF-8");
    return {apply_replacements(entry.bytes, std::move(header.replacements)), {}, {}};
  }

  Passage read_entry(const PoEntry& entry) const {
    Passage passage{entry.bytes, {}, {}};
    if (!entry.message || entry.message->empty()) return passage;
    if (!entry.translation.empty() && !options_.overwrite_translations) return passage;
    PoPlan plan{{}, {0}, entry.plural.has_value(), entry.translations, std::string(entry.line_end()), {}};
    for (const auto* strings : {&entry.message, &entry.plural}) {
      if (!*strings) continue;
      auto text = decode_po(**strings);
      if (!text) return passage;
      plan.sources.push_back(po_source(std::move(*text)));
    }
    if (plan.is_plural) plan.forms = sources_of_forms(plan.sources[0].text, plan.sources[1].text);
    for (std::size_t i = 0; i < plan.sources.size(); ++i) {
      auto& source = plan.sources[i];
      if (std::ranges::count(plan.forms, i) == 0 || !is_translatable_value(source.text)) continue;
      source.unit = passage.units.size();
      passage.units.push_back({"line " + std::to_string(entry.line), {source.text, {}}});
    }
    if (passage.units.empty()) return passage;
    if (!entry.is_fuzzy) plan.flag = fuzzy_flag(entry);
    passage.render = [plan = std::move(plan)](auto translations) { return render_po(plan, translations); };
    return passage;
  }

  /// Returns 0 (msgid) or 1 (msgid_plural) for each plural form. "One file" does not suit 21 files.
  std::vector<std::size_t> sources_of_forms(std::string_view message, std::string_view plural) const {
    std::vector<std::size_t> forms(plurals_.count, 1);
    const bool has_number = find_placeholders(message).size() >= find_placeholders(plural).size();
    if (plurals_.singular < forms.size() && (plurals_.is_of_one || has_number)) forms[plurals_.singular] = 0;
    return forms;
  }

  static Replacement fuzzy_flag(const PoEntry& entry) {
    if (entry.flags) return {{*entry.flags, *entry.flags}, {" fuzzy,"}};
    return {{*entry.before, *entry.before}, {"#, fuzzy" + std::string(entry.line_end())}};
  }

  DocumentInput input_;
  DocumentOptions options_;
  PluralForms plurals_;
  bool has_header_ = false;
  std::string line_;  ///< read, but of no entry yet
  std::int64_t line_number_ = 0;
  bool line_open_ = false;  ///< the last line has no end
};

}  // namespace

std::unique_ptr<PassageReader> read_po(DocumentInput input, const DocumentOptions& options) {
  return std::make_unique<PoReader>(std::move(input), options);
}

}  // namespace gloss
