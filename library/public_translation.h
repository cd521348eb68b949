#pragma once

#include <gloss/translator.h>

#include "translation/line_translation.h"

namespace gloss {

/// Returns the public form of a translation.
Translation to_public(LineTranslation translation);

}  // namespace gloss
