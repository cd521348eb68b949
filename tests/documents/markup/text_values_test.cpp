#include "documents/markup/text_values.h"

#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(TextValues, WordsAndSentencesAreText) {
  for (const auto* text : {"Save",
                           "and/or",
                           "YouTube",
                           "iPhone",
                           "e.g.",
                           "p.m.",
                           "#1 choice",
                           "3D",
                           "snake_case is used",
                           "再见",
                           "/month",
                           "n/a",
                           "mp3",
                           "21st",
                           "5-day",
                           "Done.",
                           "Yes.No",
                           "Hamza",
                           "daddy",
                           "true story",
                           "A: #1",
                           "Hello, %{name}!",
                           "on %A",
                           "Über",
                           "#fffx",
                           "It's 5 o'clock",
                           "100% wool"})
    EXPECT_TRUE(is_translatable_value(text)) << text;
}

TEST(TextValues, CodesAreNotText) {
  for (const auto* code : {"",
                           " ",
                           "42",
                           "...",
                           "#fff",
                           "#A0b1c2",
                           "https://example.com/a?b",
                           "www.example.com",
                           "me@example.com",
                           "{name}",
                           "%{count}",
                           "{{a}} / {{b}}",
                           "{n, plural, one {# file} other {# files}}",
                           "%Y-%m-%d",
                           "%b %d, %H:%M",
                           "10px",
                           "2024-01-31T10:00:00Z",
                           "./a/b",
                           "../up",
                           "/usr/bin",
                           "img/logo.png",
                           "btn_primary",
                           "SOME_NAME",
                           ":short",
                           ":smile:",
                           "app.title",
                           "node.js",
                           "com.example.Main",
                           "System.Windows.Forms.Button",
                           "C:\\dogs\\cats",
                           "dogs\\cat.png",
                           "color: #ff0000",
                           "true",
                           "false",
                           "ID-12",
                           "AB12",
                           "v1.2.3",
                           "b9f0-4a",
                           "550e8400-e29b-41d4-a716-446655440000",
                           "yyyy-MM-dd",
                           "EEE, d MMM yyyy HH:mm",
                           " btn_a "})
    EXPECT_FALSE(is_translatable_value(code)) << code;
  EXPECT_FALSE(is_translatable_value(std::string(61, 'a')));
  EXPECT_TRUE(is_translatable_value(std::string(60, 'a')));
  EXPECT_TRUE(is_translatable_value(std::string(11'000, '{') + " a"));  // in time
}

}  // namespace
}  // namespace gloss
