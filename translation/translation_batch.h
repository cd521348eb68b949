#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "translation/translation_job.h"

namespace gloss {

/// A line that waits, of one of the jobs that are searched together.
struct JobLine {
  TranslationJob* job = nullptr;
  std::size_t line = 0;
};

/// Returns the jobs of the lines, each once.
std::vector<TranslationJob*> jobs_of(std::span<const JobLine> lines);

/// Searches lines whose jobs go together (TranslationJob::goes_with) in one batch, and completes their translations.
/// Lines that nobody waits for any more leave the batch between two steps. Throws what the search, the details and the
/// hooks throw; lines that were found until then are done, unless memory does not suffice for their details.
void translate_batch(std::span<const JobLine> lines);

}  // namespace gloss
