#include "tests/support/settings_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace gloss {
namespace {

std::string code(std::string_view text) { return '`' + std::string(text) + '`'; }

std::string default_text(const Setting& setting) {
  if (!setting.shown_default.empty()) return std::string(setting.shown_default);
  if (setting.default_value.is_null()) return "none";
  if (setting.default_value.is_number()) return to_text(setting.default_value);
  return code(to_text(setting.default_value));
}

/// Returns the allowed values, each choice as code.
std::string values_cell(const Setting& setting) {
  if (setting.type != SettingType::kChoice) return values_text(setting);
  std::string names;
  for (const auto choice : setting.choices) names += (names.empty() ? "" : ", ") + code(choice);
  return names;
}

std::string option_text(const Setting& setting) {
  if (setting.flag.empty()) return {};
  return code(setting.flag) + (setting.off_flag.empty() ? "" : ", " + code(setting.off_flag));
}

/// Returns the condition under which the setting has an effect; empty: always.
std::string effect_text(const Setting& setting) {
  if (!setting.only_with.empty()) return "with " + code(setting.only_with);
  return setting.only_without.empty() ? std::string() : "without " + code(setting.only_without);
}

/// A column of the table and its cells.
struct Column {
  std::string_view name;
  std::string (*cell)(const Setting&);
};

constexpr std::array<Column, 6> kColumns{
    {{"key", [](const Setting& setting) { return code(setting.key); }},
     {"default", default_text},
     {"values", values_cell},
     {"option", option_text},
     {"effect", effect_text},
     {"meaning", [](const Setting& setting) { return std::string(setting.help); }}}};

}  // namespace

std::string settings_table(std::span<const Setting> settings) {
  std::string head = "|", rule = "|";
  std::vector<std::string> rows(settings.size(), "|");
  for (const auto& [name, cell] : kColumns) {
    std::vector<std::string> cells;
    for (const auto& setting : settings) cells.push_back(cell(setting));
    if (std::ranges::all_of(cells, &std::string::empty)) continue;
    head.append(" ").append(name).append(" |");
    rule += "---|";
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += cells[i].empty() ? " |" : ' ' + cells[i] + " |";
  }
  std::string table = head + '\n' + rule + '\n';
  for (const auto& row : rows) table += row + '\n';
  return table;
}

}  // namespace gloss
