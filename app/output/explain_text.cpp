#include "app/output/explain_text.h"

#include <algorithm>
#include <cstddef>

#include "common/text/formatted.h"
#include "common/text/printable.h"

namespace gloss {

std::string trace_text(const Json& document) {
  std::string text;
  for (const auto& item : document.at("items")) {
    if (!text.empty()) text += '\n';
    text += "source       " + printable(item.at("text").get<std::string>()) + '\n';
    text += "translation  " + printable(item.at("target").at("text").get<std::string>()) + '\n';
    for (const auto& name : item.at("without")) text += "without      " + name.get<std::string>() + '\n';
    for (const auto& stage : item.value("stages", Json::array())) {
      text += '\n' + stage.at("name").get<std::string>() + "  " + stage.at("shape").get<std::string>() + '\n';
      text += "  " + stage.at("formula").get<std::string>() + "  (" + stage.at("file").get<std::string>() + ")\n";
      for (const auto& line : stage.at("lines")) text += "    " + printable(line.get<std::string>()) + '\n';
    }
  }
  return text;
}

std::string heads_text(const HeadsReport& report) {
  std::string text = "loss of the whole network " + formatted("%.4f", report.loss) + "\n\n";
  std::size_t width = 4;
  for (const auto& [part, loss] : report.parts) width = std::max(width, part.size());
  text += "part" + std::string(width - 4, ' ') + "    loss  change\n";
  for (const auto& [part, loss] : report.parts) {
    text += part + std::string(width - part.size(), ' ') + formatted("  %.4f  %+.4f\n", loss, loss - report.loss);
  }
  return text;
}

Json to_json(const HeadsReport& report) {
  Json parts = Json::array();
  for (const auto& [part, loss] : report.parts) parts.push_back({{"part", part}, {"loss", loss}});
  return {{"loss", report.loss}, {"parts", std::move(parts)}};
}

}  // namespace gloss
