#include "common/system/stop.h"

#include <atomic>

#include "common/system/signals.h"

namespace gloss {
namespace {

std::atomic<int> holding = 0;  // number of objects of HoldStops

}  // namespace

HoldStops::HoldStops() { ++holding; }
HoldStops::~HoldStops() { --holding; }

void stop_where_requested() {
  if (holding > 0) return;
  if (const auto of_signal = stop_requested()) throw Stopped(*of_signal);
}

}  // namespace gloss
