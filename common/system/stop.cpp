#include "common/system/stop.h"

#include "common/system/signals.h"

namespace gloss {

void stop_where_requested() {
  if (const auto of_signal = stop_requested()) throw Stopped(*of_signal);
}

}  // namespace gloss
