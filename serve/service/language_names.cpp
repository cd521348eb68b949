#include "serve/service/language_names.h"

#include "common/text/split.h"

namespace gloss {
namespace {

/// Codes of ISO 639 and their names, separated by commas.
constexpr std::string_view kNames =
    "af Afrikaans,am Amharic,ar Arabic,az Azerbaijani,be Belarusian,bg Bulgarian,bn Bengali,bs Bosnian,ca Catalan,"
    "cs Czech,cy Welsh,da Danish,de German,el Greek,en English,eo Esperanto,es Spanish,et Estonian,eu Basque,"
    "fa Persian,fi Finnish,fr French,ga Irish,gl Galician,gu Gujarati,he Hebrew,hi Hindi,hr Croatian,hu Hungarian,"
    "hy Armenian,id Indonesian,is Icelandic,it Italian,ja Japanese,ka Georgian,kk Kazakh,km Khmer,kn Kannada,"
    "ko Korean,ky Kyrgyz,lb Luxembourgish,lo Lao,lt Lithuanian,lv Latvian,mk Macedonian,ml Malayalam,mn Mongolian,"
    "mr Marathi,ms Malay,mt Maltese,my Burmese,nb Norwegian Bokm\u00e5l,ne Nepali,nl Dutch,nn Norwegian Nynorsk,"
    "no Norwegian,pa Punjabi,pl Polish,ps Pashto,pt Portuguese,ro Romanian,ru Russian,si Sinhala,sk Slovak,"
    "sl Slovenian,so Somali,sq Albanian,sr Serbian,sv Swedish,sw Swahili,ta Tamil,te Telugu,tg Tajik,th Thai,"
    "tk Turkmen,tl Tagalog,tr Turkish,tt Tatar,uk Ukrainian,ur Urdu,uz Uzbek,vi Vietnamese,xh Xhosa,yi Yiddish,"
    "yo Yoruba,zh Chinese,zu Zulu";

}  // namespace

std::string language_name(std::string_view code) {
  const auto primary = code.substr(0, code.find('-'));
  for (const auto pair : split_text(kNames, ',')) {
    if (pair.substr(0, pair.find(' ')) != primary) continue;
    auto name = std::string(pair.substr(primary.size() + 1));
    if (primary.size() < code.size()) name.append(" (").append(code.substr(primary.size() + 1)).append(")");
    return name;
  }
  return std::string(code);
}

}  // namespace gloss
