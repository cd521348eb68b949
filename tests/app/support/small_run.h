#pragma once

#include <filesystem>
#include <string>

#include "tests/app/support/process.h"
#include "tests/support/temporary_folder.h"

namespace gloss {

void write_text(const std::filesystem::path& path, const std::string& text);
std::string read_text(const std::filesystem::path& path);

/// Returns messages without the one warning that the length limit cuts translations. A model that was not trained does
/// not end them.
std::string without_cut_warning(const std::string& messages);

/// A folder with the copy task in `corpus/` and a run file for a model of a few thousand weights, which computes in no
/// time and has learned nothing.
class SmallRun {
 public:
  SmallRun();

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  std::string config() const { return folder_ / "run.json"; }
  std::string corpus(const std::string& file) const { return folder_.path() / "corpus" / file; }

  /// `train-translate` into the folder `out`, with one thread unless `more` says how many.
  Arguments training(const std::string& out, const Arguments& more = {}) const;
  /// A model with its initial weights, of a seed; returns the run folder.
  std::string untrained_model(int seed = 7) const;

 private:
  TemporaryFolder folder_;
};

}  // namespace gloss
