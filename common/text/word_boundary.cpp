#include "common/text/word_boundary.h"

#include <algorithm>
#include <array>

#include "common/text/utf8.h"

namespace gloss {
namespace {

struct KindRange {
  char32_t first, last;
  CharacterKind kind;
};

constexpr auto kWord = CharacterKind::kWord, kUnspaced = CharacterKind::kUnspaced, kOther = CharacterKind::kOther;

// If several ranges hold a character, the last one applies.
constexpr std::array<KindRange, 57> kKinds{{
    {U'0', U'9', kWord},         {U'A', U'Z', kWord},         {U'a', U'z', kWord},
    {0xAA, 0xAA, kWord},         {0xAD, 0xAD, kWord},         {0xB5, 0xB5, kWord},
    {0xBA, 0xBA, kWord},         {0xC0, 0x1FFF, kWord},       {0xD7, 0xD7, kOther},
    {0xF7, 0xF7, kOther},        {0x37E, 0x37E, kOther},      {0x387, 0x387, kOther},
    {0x55A, 0x55F, kOther},      {0x589, 0x58A, kOther},      {0x5BE, 0x5BE, kOther},
    {0x5C0, 0x5C0, kOther},      {0x5C3, 0x5C3, kOther},      {0x5C6, 0x5C6, kOther},
    {0x5F3, 0x5F4, kOther},      {0x60C, 0x60D, kOther},      {0x61B, 0x61F, kOther},
    {0x66A, 0x66D, kOther},      {0x6D4, 0x6D4, kOther},      {0x964, 0x965, kOther},
    {0xE00, 0xFFF, kUnspaced},   {0xE3F, 0xE3F, kOther},      {0x1000, 0x109F, kUnspaced},
    {0x104A, 0x104F, kOther},    {0x1361, 0x1368, kOther},    {0x1680, 0x1680, kOther},
    {0x1780, 0x17FF, kUnspaced}, {0x17D4, 0x17DB, kOther},    {0x1800, 0x180A, kOther},
    {0x200C, 0x200D, kWord},     {0x2C00, 0x2DFF, kWord},     {0x2E80, 0x2FDF, kUnspaced},
    {0x3005, 0x3007, kUnspaced}, {0x3040, 0x30FF, kUnspaced}, {0x30FB, 0x30FB, kOther},
    {0x3100, 0x312F, kUnspaced}, {0x3130, 0x318F, kWord},     {0x31A0, 0x31FF, kUnspaced},
    {0x3400, 0x4DBF, kUnspaced}, {0x4E00, 0x9FFF, kUnspaced}, {0xA000, 0xD7FF, kWord},
    {0xF900, 0xFAFF, kUnspaced}, {0xFB00, 0xFDFF, kWord},     {0xFE00, 0xFE0F, kWord},
    {0xFE20, 0xFE2F, kWord},     {0xFE70, 0xFEFC, kWord},     {0xFF10, 0xFF19, kWord},
    {0xFF21, 0xFF3A, kWord},     {0xFF41, 0xFF5A, kWord},     {0xFF66, 0xFF9F, kUnspaced},
    {0x10000, 0x1CFFF, kWord},   {0x1D400, 0x1EFFF, kWord},   {0x20000, 0x3FFFF, kUnspaced},
}};

}  // namespace

CharacterKind kind_of(char32_t character) {
  const auto found = std::find_if(kKinds.rbegin(), kKinds.rend(), [character](const KindRange& range) {
    return character >= range.first && character <= range.last;
  });
  return found == kKinds.rend() ? kOther : found->kind;
}

bool is_letter(char32_t character) { return kind_of(character) != kOther && !is_ascii_digit(character); }

bool has_letter(std::string_view text) {
  bool found = false;
  for_each_character(text, [&](auto value, auto) { found = found || (value && is_letter(*value)); });
  return found;
}

CharacterKind first_kind(std::string_view text) {
  return text.empty() ? kOther : kind_of(decode_utf8(text, 0).value.value_or(U' '));
}

CharacterKind last_kind(std::string_view text) {
  return text.empty() ? kOther : first_kind(text.substr(last_character(text)));
}

bool is_word_boundary(std::string_view text, std::size_t offset) {
  return last_kind(text.substr(0, offset)) != kWord || first_kind(text.substr(offset)) != kWord;
}

}  // namespace gloss
