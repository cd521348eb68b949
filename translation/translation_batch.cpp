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

/// The lines of a batch that are found. Their candidates are not filled yet.
class FoundLines {
 public:
  void add(const JobLine& found, const std::vector<Hypothesis>& hypotheses) {
    auto group = std::ranges::find_if(
        groups_, [&](const auto& other) { return other.jobs.front()->is_filled_with(*found.job); });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), Group());
    group->jobs.push_back(found.job);
    group->lines.push_back(found.job->searched(found.line, hypotheses));
  }

  /// With a limit some lines at a time, so that those before it are complete. Of jobs that nobody waits for, only the
  /// lines whose details need no pass of a model.
  void finish() {
    for (auto& group : groups_) {
      group.remove_done();
      try {
        constexpr std::size_t kLinesWithLimit = 16;
        const bool is_limited = std::ranges::any_of(group.jobs, [](const auto* job) { return job->has_limit(); });
        const auto size = is_limited ? kLinesWithLimit : std::max<std::size_t>(1, group.lines.size());
        for (std::size_t begin = 0; begin < group.lines.size(); begin += size)
          group.fill(begin, std::min(size, group.lines.size() - begin));
      } catch (const TranslationJob::Interrupted&) {
        for (std::size_t i = 0; i < group.lines.size(); ++i) group.fill_if_possible(i);
      }
    }
    groups_.clear();
  }

 private:
  /// Lines that are filled together.
  struct Group {
    std::vector<TranslationJob*> jobs;  ///< of each line
    std::vector<SearchedLine> lines;

    void remove_done() {
      for (auto i = std::ssize(lines); i-- > 0;)
        if (const auto index = static_cast<std::size_t>(i); jobs[index]->is_done(lines[index].index))
          jobs.erase(jobs.begin() + i), lines.erase(lines.begin() + i);
    }
    void fill(std::size_t begin, std::size_t count) {
      const auto& first = *jobs[begin];
      std::vector<TranslationJob*> waiting;
      for (std::size_t i = begin; i < begin + count; ++i)
        if (std::ranges::find(waiting, jobs[i]) == waiting.end()) waiting.push_back(jobs[i]);
      fill_candidates(first.translator(), first.details(), first.config(), std::span(lines).subspan(begin, count),
                      [&] { of_each(waiting, [](TranslationJob& job) { job.before_step(); }); });
      for (std::size_t i = begin; i < begin + count; ++i) jobs[i]->set_done(lines[i].index);
    }
    void fill_if_possible(std::size_t i) {
      if (jobs[i]->is_done(lines[i].index)) return;
      try {
        fill(i, 1);
      } catch (const TranslationJob::Interrupted&) {  // its details need the model
      }
    }
  };

  std::vector<Group> groups_;
};

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
