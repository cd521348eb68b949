#pragma once

namespace gloss {

/// Style of gloss's own report of scores.
struct ReportStyle {
  int width = 2;  ///< digits after the point
  bool short_signature = false;
  bool score_only = false;
};

/// Values of sacreBLEU's --format.
enum class SacrebleuForm { kJson, kText, kLatex };

/// Style of a report in sacreBLEU's format; the fields are its options of the same names.
struct SacrebleuStyle {
  SacrebleuForm form = SacrebleuForm::kJson;
  int width = 1;  ///< digits after the point
  bool short_signature = false;
  bool score_only = false;
};

}  // namespace gloss
