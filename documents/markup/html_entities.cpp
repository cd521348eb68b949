#include "documents/markup/html_entities.h"

#include <charconv>
#include <cstdint>
#include <system_error>
#include <unordered_map>

#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

/// Names and code points (hexadecimal) of HTML 4, and of some letters of Central Europe.
constexpr std::string_view kNamedCharacters =
    "AMP 26 COPY A9 GT 3E LT 3C QUOT 22 REG AE AElig C6 Alpha 391 Beta 392 Chi 3A7 Dagger 2021 Delta 394 Dstrok 110 "
    "ETH D0 Epsilon 395 Eta 397 Gamma 393 "
    "Idot 130 Iota 399 Kappa 39A Lambda 39B Lstrok 141 Mu 39C Nu 39D OElig 152 Omega 3A9 Omicron 39F Oslash D8 "
    "Phi 3A6 Pi 3A0 Prime 2033 Psi 3A8 Rho 3A1 Sigma 3A3 THORN DE Tau 3A4 Theta 398 Upsilon 3A5 Xi 39E Zdot 17B "
    "Zeta 396 acute B4 aelig E6 alefsym 2135 alpha 3B1 amp 26 and 2227 ang 2220 apos 27 asymp 2248 bdquo 201E "
    "beta 3B2 brvbar A6 bull 2022 cap 2229 cedil B8 cent A2 chi 3C7 circ 2C6 clubs 2663 cong 2245 copy A9 crarr 21B5 "
    "cup 222A curren A4 dArr 21D3 dagger 2020 darr 2193 deg B0 delta 3B4 diams 2666 divide F7 dstrok 111 empty 2205 "
    "emsp 2003 ensp 2002 epsilon 3B5 equiv 2261 eta 3B7 eth F0 euro 20AC exist 2203 fnof 192 forall 2200 frac12 BD "
    "frac14 BC frac34 BE frasl 2044 gamma 3B3 ge 2265 gt 3E hArr 21D4 harr 2194 hearts 2665 hellip 2026 iexcl A1 "
    "image 2111 infin 221E inodot 131 int 222B iota 3B9 iquest BF isin 2208 kappa 3BA lArr 21D0 lambda 3BB lang 27E8 "
    "laquo AB larr 2190 lceil 2308 ldquo 201C le 2264 lfloor 230A lowast 2217 loz 25CA lrm 200E lsaquo 2039 "
    "lsquo 2018 lstrok 142 lt 3C macr AF mdash 2014 micro B5 middot B7 minus 2212 mu 3BC nabla 2207 nbsp A0 "
    "ndash 2013 ne 2260 ni 220B not AC notin 2209 nsub 2284 nu 3BD oelig 153 oline 203E omega 3C9 omicron 3BF "
    "oplus 2295 or 2228 ordf AA ordm BA oslash F8 otimes 2297 para B6 part 2202 permil 2030 perp 22A5 phi 3C6 pi 3C0 "
    "piv 3D6 plusmn B1 pound A3 prime 2032 prod 220F prop 221D psi 3C8 quot 22 rArr 21D2 radic 221A rang 27E9 "
    "raquo BB rarr 2192 rceil 2309 rdquo 201D real 211C reg AE rfloor 230B rho 3C1 rlm 200F rsaquo 203A rsquo 2019 "
    "sbquo 201A sdot 22C5 sect A7 shy AD sigma 3C3 sigmaf 3C2 sim 223C spades 2660 sub 2282 sube 2286 sum 2211 "
    "sup 2283 sup1 B9 sup2 B2 sup3 B3 supe 2287 szlig DF tau 3C4 there4 2234 theta 3B8 thetasym 3D1 thinsp 2009 "
    "thorn FE tilde 2DC times D7 trade 2122 uArr 21D1 uarr 2191 uml A8 upsih 3D2 upsilon 3C5 weierp 2118 xi 3BE "
    "yen A5 zdot 17C zeta 3B6 zwj 200D zwnj 200C ";

/// Diacritics (hexadecimal) by the ends of names of letters: "eacute".
constexpr std::string_view kDiacritics =
    "grave 300 acute 301 circ 302 tilde 303 macr 304 breve 306 uml 308 ring 30A dblac 30B caron 30C cedil 327 ogon "
    "328 ";

/// Characters of windows-1252 from 0x80 on.
constexpr std::u32string_view kWindowsCharacters = U"€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ";

std::unordered_map<std::string_view, char32_t> parsed_names(std::string_view table) {
  std::unordered_map<std::string_view, char32_t> characters;
  const auto words = split_text(table, ' ');
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(words[i + 1].data(), words[i + 1].data() + words[i + 1].size(), value, 16);
    characters[words[i]] = value;
  }
  return characters;
}

/// Returns the character of a name, or 0.
char32_t named_character(std::string_view name) {
  static const auto characters = parsed_names(kNamedCharacters), diacritics = parsed_names(kDiacritics);
  if (const auto found = characters.find(name); found != characters.end()) return found->second;
  const auto mark = name.empty() ? diacritics.end() : diacritics.find(name.substr(1));
  return mark == diacritics.end() ? 0 : composed(static_cast<unsigned char>(name[0]), mark->second);
}

std::string spelled(char32_t character) {
  std::string text;
  append_utf8(character, text);
  return text;
}

/// Reads a reference such as &#65; or &#x41;
CharacterReference numeric_reference(std::string_view text) {
  const bool is_hexadecimal = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  const auto* const first = text.data() + (is_hexadecimal ? 3 : 2);
  const auto* const end = text.data() + text.size();
  constexpr std::uint32_t kLast = 0x10FFFF;
  std::uint32_t value = 0;
  const auto [last, error] = first < end ? std::from_chars(first, end, value, is_hexadecimal ? 16 : 10)
                                         : std::from_chars_result{first, std::errc::invalid_argument};
  if (last == first || error == std::errc::invalid_argument) return {};
  if (error != std::errc() || value == 0 || value > kLast || (value >= 0xD800 && value < 0xE000)) value = 0xFFFD;
  if (value >= 0x80 && value < 0xA0) value = kWindowsCharacters[value - 0x80];
  const bool has_end = last < end && *last == ';';
  return {static_cast<std::size_t>(last - text.data()) + (has_end ? 1 : 0), spelled(value)};
}

}  // namespace

CharacterReference reference_at(std::string_view text, std::size_t offset, bool in_attribute) {
  constexpr std::size_t kMaxName = 32;
  const auto rest = text.substr(offset);
  if (rest.substr(1).starts_with('#')) return numeric_reference(rest);
  std::size_t end = 1;
  while (end < rest.size() && end <= kMaxName && is_ascii_alphanumeric(rest[end])) ++end;
  if (end == 1) return {};
  if (end < rest.size() && rest[end] == ';') {
    const auto character = named_character(rest.substr(1, end - 1));
    return {end + 1, character == 0 ? "" : spelled(character)};
  }
  // Names of Latin-1 are references even without a semicolon, and before other letters.
  for (auto last = in_attribute ? end : std::size_t{2}; last <= end; ++last) {
    const auto name = rest.substr(1, last - 1);
    const auto character = named_character(name);
    const bool is_old = character != 0 && character < 0x100 && name != "apos";
    if (is_old && !(in_attribute && rest.substr(end).starts_with('='))) return {last, spelled(character)};
  }
  return {};
}

std::string escape_html(std::string_view text, char quote, bool names_space) {
  constexpr std::string_view kNoBreakSpace = "\u00a0";
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == quote && quote != 0) {
      escaped += c == '"' ? "&quot;" : "&#39;";
    } else if (names_space && text.substr(i).starts_with(kNoBreakSpace)) {
      escaped += "&nbsp;";
      ++i;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace gloss
