// The functions of gloss/gloss.h. Each checks its pointers and calls the C++ interface; exceptions become codes.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gloss/gloss.h>
#include <gloss/translator.h>

#include "common/config/json.h"
#include "common/error.h"
#include "common/text/utf8.h"
#include "library/c_handles.h"
#include "library/c_options.h"
#include "library/c_results.h"
#include "library/public_errors.h"

namespace gloss {
namespace {

/// The error that is used when there is no memory for another; it is never freed.
gloss_error& no_memory() {
  static gloss_error error{"out of memory"};
  return error;
}

/// Stores an error in `*place` and returns its code.
int failed(gloss_error** place, int code, const char* message) noexcept {
  if (place == nullptr) return code;
  try {
    *place = new gloss_error{message};
  } catch (...) {
    *place = &no_memory();
  }
  return code;
}

/// Calls `work` and stores its result in a new `*result`. Returns GLOSS_DONE, or the code of its exception; then
/// `*result` is NULL and `*place` the error.
template <typename Result, typename Work>
int run_for_c(Result** result, gloss_error** place, const Work& work) noexcept {
  if (place != nullptr) *place = nullptr;
  if (result != nullptr) *result = nullptr;
  try {
    try {
      if (result == nullptr) throw UsageError("result: wanted a place for it, got NULL");
      *result = new Result(work());
      return GLOSS_DONE;
    } catch (const TranslatorError&) {
      throw;
    } catch (...) {
      throw_public_error();
    }
  } catch (const TranslatorError& error) {
    return failed(place, static_cast<int>(error.kind()), error.what());
  } catch (...) {
    return failed(place, GLOSS_OUT_OF_MEMORY, no_memory().message.c_str());  // while a message was made
  }
}

/// Returns what a pointer of the caller points to. Throws UsageError for NULL.
template <typename T>
const T& given(const T* argument, std::string_view name) {
  if (argument == nullptr) throw UsageError(std::string(name) + ": wanted one, got NULL");
  return *argument;
}

/// Returns a text of `*length` bytes, or one that ends with NUL if `length` is NULL. Throws UsageError unless it is
/// UTF-8.
std::string text_argument(const char* text, const std::size_t* length, const std::string& name) {
  if (text == nullptr && length != nullptr && *length == 0) return {};
  const auto* const begin = &given(text, name);
  std::string copy = length == nullptr ? std::string(begin) : std::string(begin, *length);
  if (const auto offset = first_invalid_utf8(copy))
    throw UsageError(name + ": wanted UTF-8; the byte at offset " + std::to_string(*offset) + " is none of it");
  return copy;
}

std::string element_name(const char* list, std::size_t index) {
  return std::string(list) + '[' + std::to_string(index) + ']';
}

/// Calls a function of C; returns whether the call that it is for goes on.
bool goes_on(const gloss_control::Hook& hook, std::size_t line, const std::string& text, const Json& event) {
  const auto json = to_text(event);
  try {
    return hook.function(hook.user, line, text.c_str(), json.c_str()) == 0;
  } catch (...) {  // of a C++ program
    throw UsageError("callback: wanted a return value, got an exception; catch it within the callback");
  }
}

int set_hook(gloss_control* control, gloss_control::Hook gloss_control::*hook, gloss_callback function, void* user) {
  if (control == nullptr) return GLOSS_USAGE;
  control->*hook = {function, user};
  return GLOSS_DONE;
}

/// Sets the callbacks and the stop token of a call; a null control has none. A callback that throws is a UsageError.
void add_control(const gloss_control* control, TranslationOptions& options) {
  if (control == nullptr) return;
  options.stop = control->stop.get_token();
  if (control->on_token.function != nullptr)
    options.on_token = [hook = control->on_token](const StreamedToken& token) {
      return goes_on(hook, token.line, token.text, to_json(token));
    };
  if (control->on_result.function != nullptr)
    options.on_result = [hook = control->on_result](std::size_t line, const Translation& translation) {
      return goes_on(hook, line, translation.text(), {{"line", line}, {"translation", to_json(translation)}});
    };
}

TextOptions text_options(const char* options, const gloss_control* control) {
  auto result = read_text_options(options);
  add_control(control, result.search);
  return result;
}

}  // namespace
}  // namespace gloss

int gloss_interface_version() { return GLOSS_INTERFACE_VERSION; }

const char* gloss_version() { return gloss::version(); }

const char* gloss_error_message(const gloss_error* error) {
  return error == nullptr ? "no error" : error->message.c_str();
}

void gloss_error_free(gloss_error* error) {
  if (error != &gloss::no_memory()) delete error;
}

int gloss_load(const char* const* paths, size_t count, const char* settings, gloss_translator** translator,
               gloss_error** error) {
  return gloss::run_for_c(translator, error, [&] {
    gloss::given(paths, "paths");
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < count; ++i)
      files.emplace_back(&gloss::given(paths[i], gloss::element_name("paths", i)));
    return gloss_translator{gloss::Translator(files, gloss::read_settings(settings))};
  });
}

void gloss_translator_free(gloss_translator* translator) { delete translator; }

int gloss_translate(const gloss_translator* translator, const char* const* lines, const size_t* lengths, size_t count,
                    const char* options, const gloss_control* control, gloss_result** result, gloss_error** error) {
  return gloss::run_for_c(result, error, [&] {
    const auto& model = gloss::given(translator, "translator").translator;
    auto read = gloss::read_translation_options(options);
    gloss::add_control(control, read);
    if (count > 0) gloss::given(lines, "lines");
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
      texts.push_back(
          gloss::text_argument(lines[i], lengths == nullptr ? nullptr : &lengths[i], gloss::element_name("lines", i)));
    return gloss::result_of_lines(model.translate(texts, read));
  });
}

int gloss_translate_text(const gloss_translator* translator, const char* text, size_t length, const char* options,
                         const gloss_control* control, gloss_result** result, gloss_error** error) {
  return gloss::run_for_c(result, error, [&] {
    const auto& model = gloss::given(translator, "translator").translator;
    const auto read = gloss::text_options(options, control);
    return gloss::result_of_text(model.translate_text(gloss::text_argument(text, &length, "text"), read));
  });
}

int gloss_translate_file(const gloss_translator* translator, const char* input, const char* output, const char* options,
                         const gloss_control* control, gloss_result** result, gloss_error** error) {
  return gloss::run_for_c(result, error, [&] {
    const auto& model = gloss::given(translator, "translator").translator;
    const auto read = gloss::text_options(options, control);
    return gloss::result_of_file(
        model.translate_file(&gloss::given(input, "input"), &gloss::given(output, "output"), read));
  });
}

int gloss_languages(const gloss_translator* translator, gloss_result** result, gloss_error** error) {
  return gloss::run_for_c(result, error, [&] {
    return gloss::result_of_languages(gloss::given(translator, "translator").translator.languages());
  });
}

int gloss_split_sentences(const char* text, size_t length, const char* options, gloss_result** result,
                          gloss_error** error) {
  return gloss::run_for_c(result, error, [&] {
    const auto [language, split] = gloss::read_split_options(options);
    const auto whole = gloss::text_argument(text, &length, "text");
    return gloss::result_of_sentences(whole, gloss::split_sentences(whole, language, split));
  });
}

gloss_control* gloss_control_new() {
  try {
    return new gloss_control;
  } catch (...) {  // no memory
    return nullptr;
  }
}

int gloss_control_on_token(gloss_control* control, gloss_callback callback, void* user) {
  return gloss::set_hook(control, &gloss_control::on_token, callback, user);
}

int gloss_control_on_result(gloss_control* control, gloss_callback callback, void* user) {
  return gloss::set_hook(control, &gloss_control::on_result, callback, user);
}

void gloss_control_cancel(gloss_control* control) {
  if (control != nullptr) control->stop.request_stop();
}

void gloss_control_free(gloss_control* control) { delete control; }

const char* gloss_result_json(const gloss_result* result) { return result == nullptr ? nullptr : result->json.c_str(); }

size_t gloss_result_size(const gloss_result* result) { return result == nullptr ? 0 : result->texts.size(); }

const char* gloss_result_text(const gloss_result* result, size_t index, size_t* length) {
  const auto* const text = index < gloss_result_size(result) && result->texts[index] ? &*result->texts[index] : nullptr;
  if (length != nullptr) *length = text == nullptr ? 0 : text->size();
  return text == nullptr ? nullptr : text->c_str();
}

void gloss_result_free(gloss_result* result) { delete result; }
