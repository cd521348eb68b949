#pragma once

#include <gloss/translator.h>

#include "library/c_handles.h"

namespace gloss {

/// Sets the callbacks and the stop token of a call; a null control has none. A callback that throws is a UsageError.
void add_control(const gloss_control* control, TranslationOptions& options);

}  // namespace gloss
