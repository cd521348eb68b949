#include "common/text/letter_case.h"

#include <array>
#include <string_view>
#include <utility>

namespace gloss {
namespace {

constexpr bool is_within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// Ranges in which both cases alternate, by the code point of the upper case.
constexpr std::array<std::pair<char32_t, char32_t>, 5> kOddUpper{
    {{0x139, 0x148}, {0x179, 0x17e}, {0x1af, 0x1b0}, {0x1cd, 0x1dc}, {0x4c1, 0x4ce}}};
constexpr std::array<std::pair<char32_t, char32_t>, 12> kEvenUpper{{{0x100, 0x12f},
                                                                    {0x132, 0x137},
                                                                    {0x14a, 0x177},
                                                                    {0x1a0, 0x1a1},
                                                                    {0x1de, 0x1ef},
                                                                    {0x1f8, 0x21f},
                                                                    {0x222, 0x233},
                                                                    {0x460, 0x481},
                                                                    {0x48a, 0x4bf},
                                                                    {0x4d0, 0x52f},
                                                                    {0x1e00, 0x1e95},
                                                                    {0x1ea0, 0x1eff}}};

// Each mark, and pairs of a letter and what it becomes with this mark.
constexpr auto kCompositions = std::to_array<std::pair<char32_t, std::u32string_view>>(
    {{0x300, U"AÀEÈIÌOÒUÙaàeèiìoòuùNǸnǹWẀwẁYỲyỳÂẦâầÊỀêềÔỒôồĂẰăằƠỜơờƯỪưừ"},
     {0x301,
      U"AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćGǴgǵLĹlĺNŃnńRŔrŕSŚsśZŹzźÂẤâấÊẾêếÔỐôốĂẮăắƠỚơớƯỨưứ"
      U"ΑΆΕΈΗΉΙΊΟΌΥΎΩΏαάεέηήιίοόυύωώϊΐϋΰГЃгѓКЌкќ"},
     {0x302, U"AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷẠẬạậẸỆẹệỌỘọộ"},
     {0x303, U"AÃNÑOÕaãnñoõIĨiĩUŨuũEẼeẽYỸyỹÂẪâẫÊỄêễÔỖôỗĂẴăẵƠỠơỡƯỮưữ"},
     {0x304, U"AĀaāEĒeēIĪiīOŌoōUŪuūИӢиӣУӮуӯ"},
     {0x306, U"AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭẠẶạặИЙийУЎуў"},
     {0x307, U"CĊcċEĖeėGĠgġIİZŻzż"},
     {0x308, U"AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸΙΪιϊΥΫυϋЕЁеёІЇіїИӤиӥ"},
     {0x309, U"AẢaảEẺeẻIỈiỉOỎoỏUỦuủYỶyỷÂẨâẩÊỂêểÔỔôổĂẲăẳƠỞơởƯỬưử"},
     {0x30a, U"AÅaåUŮuů"},
     {0x30b, U"OŐoőUŰuű"},
     {0x30c, U"CČcčDĎdďEĚeěGǦgǧLĽlľNŇnňRŘrřSŠsšTŤtťZŽzžAǍaǎIǏiǐOǑoǒUǓuǔ"},
     {0x31b, U"OƠoơUƯuư"},
     {0x323, U"AẠaạEẸeẹIỊiịOỌoọUỤuụYỴyỵƠỢơợƯỰưự"},
     {0x326, U"SȘsșTȚtț"},
     {0x327, U"CÇcçSŞsşTŢtţGĢKĶkķLĻlļNŅnņRŖrŗ"},
     {0x328, U"AĄaąEĘeęIĮiįUŲuų"},
     {0x3099,
      U"かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔ"
      U"カガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビフブヘベホボウヴ"},
     {0x309a, U"はぱひぴふぷへぺほぽハパヒピフプヘペホポ"}});

}  // namespace

char32_t lower_case(char32_t c) {
  if (is_within(c, U'A', U'Z') || (is_within(c, 0xc0, 0xde) && c != 0xd7)) return c + 32;
  if (c == 0x178) return 0xff;
  for (const auto& [first, last] : kOddUpper)
    if (is_within(c, first, last)) return c + c % 2;
  for (const auto& [first, last] : kEvenUpper)
    if (is_within(c, first, last)) return c | 1;
  if (is_within(c, 0x388, 0x38a)) return c + 37;
  if (c == 0x386 || c == 0x38c) return c == 0x386 ? 0x3ac : 0x3cc;
  if (is_within(c, 0x38e, 0x38f)) return c + 63;
  if ((is_within(c, 0x391, 0x3ab) && c != 0x3a2) || is_within(c, 0x410, 0x42f)) return c + 32;
  if (is_within(c, 0x400, 0x40f)) return c + 80;
  return is_within(c, 0x531, 0x556) ? c + 48 : c;
}

char32_t upper_case(char32_t c) {
  if (c == 0xff) return 0x178;
  if (c == 0x3c2) return 0x3a3;
  for (const char32_t distance : {32, 1, 80, 37, 38, 63, 64, 48})
    if (c > distance && lower_case(c - distance) == c) return c - distance;
  return c;
}

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (auto& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return lower;
}

char32_t composed(char32_t letter, char32_t mark) {
  for (const auto& [its_mark, letters] : kCompositions)
    for (std::size_t i = 0; its_mark == mark && i < letters.size(); i += 2)
      if (letters[i] == letter) return letters[i + 1];
  return 0;
}

}  // namespace gloss
