#include "run/config/chosen_lines.h"

#include "common/config/json.h"
#include "common/text/format.h"

namespace gloss {
namespace {

std::string section_of(const std::string& key) { return key.substr(0, key.find('.')); }
std::string name_of(const std::string& key) { return key.substr(key.find('.') + 1); }

}  // namespace

std::vector<std::string> chosen_lines(const std::vector<ChosenDefault>& defaults, const TextSize& text) {
  if (defaults.empty()) return {};
  std::vector<std::string> lines{"values chosen for " + counted(text.pairs, "sentence pair") + ", " +
                                 counted(text.words, "word") + " (a run file or --set KEY=VALUE can set others):"};
  std::string section, reason;
  const auto end_line = [&] {
    if (lines.size() > 1) lines.back() += ": " + reason;
  };
  for (const auto& chosen : defaults) {
    const bool has_same_reason = chosen.reason == reason && section_of(chosen.key) == section;
    if (!has_same_reason) {
      end_line();
      lines.push_back("  " + chosen.key);
    } else {
      lines.back() += ", " + name_of(chosen.key);
    }
    lines.back() += ' ' + value_text(chosen.value);
    section = section_of(chosen.key);
    reason = chosen.reason;
  }
  end_line();
  return lines;
}

}  // namespace gloss
