#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gloss {

/// Formats a duration: "45 s", "12 min", "3 h 05 min", "2 d 3 h".
std::string duration_text(double seconds);

/// A part of a line, and how dispensable it is: 0 always stays.
struct LinePart {
  std::string text;
  int rank = 0;
};
/// Joins parts by two spaces. Leaves out the parts of the highest ranks until the line fits into `columns`.
std::string fitting_line(std::vector<LinePart> parts, std::optional<std::size_t> columns);

/// Returns a bar, the percentage of `share` (0 to 1), and the parts that fit into `columns`. `parts` are in the order
/// of their importance. The bar shrinks before a part is left out; the percentage and the first part always stay.
///
///     progress_line(0.29, {"39 min left", "loss 2.123"}, 50);
///     // "[####.............]  29 %  39 min left  loss 2.123"
std::string progress_line(double share, std::span<const std::string> parts, std::size_t columns);

/// Shows the progress and the remaining time of a job at the foot of a terminal (log_progress).
class WorkProgress {
 public:
  /// Starts the clock. `whole` is the size of the job in any unit; `what` names it: "translating".
  WorkProgress(double whole, std::string what) : whole_(whole), what_(std::move(what)) {}

  /// Shows that `done` of `whole` is done. Does nothing if stderr is not a terminal, or with --quiet.
  void show(double done) const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double whole_;
  std::string what_;
};

/// Returns the line of WorkProgress after `seconds`. The time left is missing while `share` is 0.
std::string work_progress_text(double share, double seconds, const std::string& what, std::size_t columns);

}  // namespace gloss
