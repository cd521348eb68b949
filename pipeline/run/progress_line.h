#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace gloss {

/// "45 s", "12 min", "3 h 05 min", "2 d 3 h"
std::string duration_text(double seconds);

/// A bar, the percentage of `share` (0 to 1), and those of `parts` that fit into `columns`; the parts come in the order
/// of their importance. The bar shrinks before a part is left out; the percentage and the first part always stay.
///
///     progress_line(0.29, {"39 min left", "loss 2.123"}, 50)  // "[######..............]  29 %  39 min left
///     loss 2.123"
std::string progress_line(double share, std::span<const std::string> parts, std::size_t columns);

/// Shows at the foot of a terminal (log_progress) how far a job is and how long it will take.
class WorkProgress {
 public:
  /// The clock starts here. `whole` is the size of the job in any unit; `what` names it: "translating".
  WorkProgress(double whole, std::string what) : whole_(whole), what_(std::move(what)) {}

  /// `done` of `whole` is done. Does nothing where stderr is no terminal, or quiet.
  void show(double done) const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double whole_;
  std::string what_;
};

/// The line of WorkProgress after `seconds`. The time left is known as soon as something is done.
std::string work_progress_text(double share, double seconds, const std::string& what, std::size_t columns);

}  // namespace gloss
