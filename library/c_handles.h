#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <gloss/gloss.h>
#include <gloss/translator.h>

// The structs that gloss/gloss.h names only.

struct gloss_error {
  std::string message;
};

struct gloss_translator {
  gloss::Translator translator;
};

struct gloss_result {
  std::string json;
  std::vector<std::optional<std::string>> texts;
};

struct gloss_control {
  struct Hook {
    gloss_callback function = nullptr;
    void* user = nullptr;
  };
  Hook on_token, on_result;
  std::stop_source stop;
};
