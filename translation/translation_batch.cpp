#include "translation/translation_batch.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "decoding/batched_search.h"
#include "tensor/out_of_memory.h"

namespace gloss {
namespace {

/// The lines of a batch that are found, by job. Their candidates are not filled yet.
class FoundLines {
 public:
  void add(const JobLine& found, const std::vector<Hypothesis>& hypotheses) {
    auto of_job = std::ranges::find(jobs_, found.job, &OfJob::job);
    if (of_job == jobs_.end()) of_job = jobs_.insert(jobs_.end(), {found.job, {}});
    of_job->lines.push_back(found.job->searched(found.line, hypotheses));
  }

  /// With a limit some lines at a time, so that those before it are complete. Of a job that nobody waits for, only the
  /// lines whose details need no pass of a model.
  void finish() {
    for (auto& [job, lines] : jobs_) {
      std::erase_if(lines, [&](const auto& line) { return job->is_done(line.index); });
      try {
        constexpr std::size_t kLinesWithLimit = 8;
        const bool is_limited = job->hooks().deadline || job->hooks().stop.stop_possible();
        const auto size = is_limited ? kLinesWithLimit : std::max<std::size_t>(1, lines.size());
        for (std::span<const SearchedLine> rest = lines; !rest.empty();
             rest = rest.subspan(std::min(size, rest.size())))
          fill(*job, rest.first(std::min(size, rest.size())));
      } catch (const TranslationJob::Interrupted&) {
        for (const auto& line : lines) fill_if_possible(*job, line);
      }
    }
    jobs_.clear();
  }

 private:
  struct OfJob {
    TranslationJob* job;
    std::vector<SearchedLine> lines;
  };

  static void fill(TranslationJob& job, std::span<const SearchedLine> lines) {
    fill_candidates(job.translator(), job.details(), job.config(), lines, [&] { job.before_step(); });
    for (const auto& line : lines) job.set_done(line.index);
  }
  static void fill_if_possible(TranslationJob& job, const SearchedLine& line) {
    if (job.is_done(line.index)) return;
    try {
      fill(job, std::span(&line, 1));
    } catch (const TranslationJob::Interrupted&) {  // its details need the model
    }
  }

  std::vector<OfJob> jobs_;
};

/// Calls a hook of each job. Throws Interrupted if nobody waits for any of them.
void of_each(std::span<TranslationJob* const> jobs, const std::function<void(TranslationJob&)>& hook) {
  bool any_wanted = false;
  for (auto* const job : jobs) {
    try {
      hook(*job);
      any_wanted = true;
    } catch (const TranslationJob::Interrupted&) {  // its lines leave after this step
    }
  }
  if (!any_wanted) throw TranslationJob::Interrupted{};
}

void search(std::span<const JobLine> lines, FoundLines& found) {
  const auto& first = *lines.front().job;
  const bool has_phrases = first.has_phrases(lines.front().line);
  std::vector<Ids> sources;
  SearchInputs given{.given_tokens = static_cast<std::int64_t>(first.translator().target_tags()),
                     .site = first.kept_attention()};
  for (const auto& [job, line] : lines) {
    sources.push_back(job->source(line));
    given.input_indices.push_back(job->input_index(line));
    const auto prefix = job->prefix(line);
    given.prefixes.emplace_back(prefix.begin(), prefix.end());
    const auto phrases = job->phrases(line);
    if (has_phrases) given.phrases.emplace_back(phrases.begin(), phrases.end());
  }
  if (std::ranges::all_of(given.prefixes, &Ids::empty)) given.prefixes.clear();
  if (has_phrases) given.continues_word = first.glossary()->continues_word();

  const auto jobs = jobs_of(lines);
  const auto at = [lines](std::int64_t sentence) { return lines[static_cast<std::size_t>(sentence)]; };
  SearchHooks hooks;
  hooks.before_batch = [&](std::int64_t) {
    of_each(jobs, [&](TranslationJob& job) { job.before_batch(std::ranges::count(lines, &job, &JobLine::job)); });
  };
  hooks.before_step = [&] { of_each(jobs, [](TranslationJob& job) { job.before_step(); }); };
  if (jobs.size() > 1) hooks.wanted = [&](std::int64_t sentence) { return at(sentence).job->wanted(); };
  hooks.on_left_out = [&](std::int64_t sentence, std::int64_t) {
    at(sentence).job->note_left_out_phrases(at(sentence).line);
  };
  if (first.streams())
    hooks.on_token = [&](std::int64_t sentence, Id token, double log_probability) {
      at(sentence).job->stream_token(at(sentence).line, token, log_probability);
    };
  hooks.on_found = [&](std::int64_t sentence, const auto& hypotheses) {
    const auto line = at(sentence);
    found.add(line, hypotheses);
    if (line.job->streams()) line.job->stream_end(line.line, hypotheses.front());
  };
  batched_search(first.translator().scorer(), sources, first.config(), given, hooks);
}

}  // namespace

std::vector<TranslationJob*> jobs_of(std::span<const JobLine> lines) {
  std::vector<TranslationJob*> jobs;
  for (const auto& [job, line] : lines)
    if (std::ranges::find(jobs, job) == jobs.end()) jobs.push_back(job);
  return jobs;
}

void translate_batch(std::span<const JobLine> lines) {
  FoundLines found;
  std::exception_ptr lacked_memory;
  try {
    search(lines, found);
  } catch (const TranslationJob::Interrupted&) {
  } catch (...) {
    if (!is_out_of_memory()) throw;
    lacked_memory = std::current_exception();  // that of the search is free again
  }
  try {
    found.finish();
  } catch (...) {
    if (!is_out_of_memory()) throw;
    if (!lacked_memory) found.finish();  // some memory was the batch's
  }
  if (lacked_memory) std::rethrow_exception(lacked_memory);
}

}  // namespace gloss
