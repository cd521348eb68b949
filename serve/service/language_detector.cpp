#include "serve/service/language_detector.h"

#include <algorithm>
#include <array>
#include <string>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include "common/text/language_match.h"

namespace gloss {

bool has_language_detector() { return true; }

std::vector<DetectedLanguage> detect_languages(std::string_view text, const ServedModels& models) {
  std::array<CLD2::Language, 3> languages{};
  std::array<int, 3> percents{};
  std::array<double, 3> scores{};
  int text_bytes = 0;
  bool is_reliable = false;
  constexpr std::size_t kMaxBytes = 1 << 16;
  const auto part = text.substr(0, kMaxBytes);
  std::string codes;  // raise the probability of these languages; CLD2 ignores a list of more than four
  for (const auto& served : models.languages()) codes += (codes.empty() ? "" : ",") + served.code;
  const CLD2::CLDHints hints{codes.c_str(), nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  CLD2::ExtDetectLanguageSummary(part.data(), static_cast<int>(part.size()), /*is_plain_text=*/true, &hints,
                                 CLD2::kCLDFlagBestEffort, languages.data(), percents.data(), scores.data(), nullptr,
                                 &text_bytes, &is_reliable);
  std::vector<DetectedLanguage> found;
  for (std::size_t i = 0; i < languages.size(); ++i) {
    if (languages[i] == CLD2::UNKNOWN_LANGUAGE || percents[i] == 0) continue;
    const std::string_view code = CLD2::LanguageCode(languages[i]);
    for (const auto& served : models.languages())
      if (language_match(code == "iw" ? "he" : code, served.code) > 0) {
        found.push_back({served.code, static_cast<double>(percents[i])});
        break;
      }
  }
  return found;
}

}  // namespace gloss
