#include "library/c_control.h"

#include <cstddef>
#include <string>

#include "common/config/json.h"
#include "common/error.h"
#include "library/c_results.h"

namespace gloss {
namespace {

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

}  // namespace

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

}  // namespace gloss

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
