#include "serve/service/document_jobs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/system/descriptor.h"
#include "common/system/random_digits.h"
#include "common/text/format.h"
#include "common/text/letter_case.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "documents/model_sentence_translator.h"
#include "documents/translate_document.h"
#include "serve/http/api_error.h"
#include "serve/service/text_service.h"
#include "tensor/out_of_memory.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMinShare = 64 << 10;     ///< that a document takes of the quota: it bounds their number
constexpr std::size_t kMaxTranslation = 1 << 30;  ///< in bytes
constexpr std::uint64_t kMaxText = 32 << 20;      ///< of an office file, unpacked; memory may hold 30 times as much
constexpr std::string_view kFolder = "gloss-documents-", kNewFolder = "gloss-new-";

std::string random_name() { return random_digits(16); }

DocumentSettings settings_for(const std::string& source, const std::string& target) {
  return {.format = {}, .mode = {}, .source_language = source, .target_language = target, .max_text_bytes = kMaxText};
}

bool has_ended(DocumentState state) { return state == DocumentState::kDone || state == DocumentState::kError; }

/// Translates sentences by a model, in small batches: the texts of requests wait for one of them at most.
class DocumentSentences final : public SentenceTranslator {
 public:
  /// `report` gets the share of the sentences of a call that are done.
  DocumentSentences(const ServedModel& model, const DocumentOrder& order, std::stop_token stop,
                    const std::function<void(double)>& report)
      : sentences_(model.translator, search(model), order.glossary,
                   {.deadline = order.deadline,
                    .stop = std::move(stop),
                    .on_result =
                        [this, report](auto, const auto&) {
                          report(static_cast<double>(++done_) / static_cast<double>(count_));
                          return true;
                        }},
                   model.config.model.has_cross_attention()) {}
  DocumentSentences(const DocumentSentences&) = delete;
  DocumentSentences& operator=(const DocumentSentences&) = delete;

  mutable std::int64_t characters = 0;  ///< of sentences, without those that are searched again

  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override {
    done_ = 0, count_ = sentences.size();
    for (const auto& sentence : sentences)
      if (sentence.required.empty()) characters += static_cast<std::int64_t>(count_code_points(sentence.text));
    return sentences_.translate(sentences);
  }
  bool fits(std::string_view sentence) const override { return sentences_.fits(sentence); }
  bool can_spell(std::string_view text) const override { return sentences_.can_spell(text); }
  std::vector<TextSpan> phrases(std::string_view text) const override { return sentences_.phrases(text); }

 private:
  static DecodingConfig search(const ServedModel& model) {
    constexpr std::int64_t kBatch = 16;
    auto decoding = best_of(model);
    decoding.batch_size = std::min(decoding.batch_size, kBatch);
    return decoding;
  }

  mutable std::size_t done_ = 0, count_ = 1;
  ModelSentenceTranslator sentences_;
};

}  // namespace

DocumentJob::DocumentJob(const fs::path& folder, std::string ending_of_format,
                         std::shared_ptr<std::atomic<std::uint64_t>> used)
    : name(random_name()),
      key(random_name()),
      ending(std::move(ending_of_format)),
      path_(folder / random_name()),
      used_(std::move(used)) {}

DocumentJob::~DocumentJob() {
  remove_files();
  *used_ -= share_;
}

void DocumentJob::remove_files() const {
  std::error_code ignored;
  for (std::size_t stage = 0; stage <= order_.route.size(); ++stage) fs::remove(file(stage), ignored);
}

/// Returns the file that the models before a stage have made.
fs::path DocumentJob::file(std::size_t stage) const { return path_.string() + '-' + std::to_string(stage) + ending; }

std::string DocumentJob::without_paths(std::string message) const {
  const auto path = printable(path_.string());
  for (auto at = message.find(path); at != message.npos; at = message.find(path))
    message.replace(at, path.size() + 2 + ending.size(), "the document");
  return message;
}

std::string DocumentJob::sample() const {
  constexpr std::size_t kBytes = 4000;
  std::string text;
  try {
    const auto document = open_document(file(0), file(1), settings_for({}, {}));
    for (auto passage = document->next(); passage && text.size() < kBytes; passage = document->next())
      for (const auto& unit : passage->units)
        if (text.size() < kBytes) text += unit.source.text + '\n';
  } catch (const DataError& error) {
    throw ApiError(400, without_paths(error.what()));
  }
  return text;
}

DocumentJobs::DocumentJobs(Settings settings, std::function<Clock::time_point()> now)
    : settings_(std::move(settings)), now_(std::move(now)) {
  if (!accepts()) return;
  make_folder();
  pool_.emplace(settings_.threads, SIZE_MAX);
  cleaner_ = std::thread([this] {
    for (std::unique_lock lock(mutex_); !ends_; lock.lock()) {
      if (jobs_.empty())
        changed_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
      else
        changed_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_; });
      lock.unlock();
      expire();
    }
  });
}

DocumentJobs::~DocumentJobs() {
  if (!accepts()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    for (const auto& [hash, job] : jobs_) job->removed_.request_stop();
  }
  changed_.notify_all();
  cleaner_.join();
  pool_.reset();
  jobs_.clear();
  lock_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void DocumentJobs::make_folder() {
  std::error_code error;
  const auto parent = settings_.folder.empty() ? fs::temp_directory_path(error) : settings_.folder;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    struct stat status {};
    const auto& path = entry.path();
    if (!path.filename().string().starts_with(kFolder) || ::lstat(path.c_str(), &status) != 0 ||
        !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
      continue;
    try {
      const FileLock lock(path, FileLock::kExisting);
      fs::remove_all(path, error);
    } catch (const Error&) {  // another server runs
    }
  }
  auto form = (parent / kNewFolder).string() + "XXXXXX";
  if (::mkdtemp(form.data()) == nullptr) throw_io_error(parent, "create a folder for documents in it");
  // Another server that starts removes folders of this name without a lock, so that it gets the name after the lock.
  lock_.emplace(form);
  folder_ = parent / (std::string(kFolder) + form.substr(form.size() - 6));
  if (::rename(form.c_str(), folder_.c_str()) != 0) throw_io_error(folder_, "create");
}

std::shared_ptr<DocumentJob> DocumentJobs::store(std::string_view bytes, const std::string& ending) {
  if (!accepts()) throw ApiError(403, "This server translates no documents");
  expire();
  auto job = std::make_shared<DocumentJob>(folder_, ending, used_);
  take_share(*job, 2 * bytes.size());  // of its translation, too
  try {
    AtomicFile file(job->file(0));
    file.write(bytes);
    file.commit(/*flush=*/false);
  } catch (const IoError& error) {
    log_error(std::string("a document was refused: ") + error.what());
    throw ApiError(507, job->without_paths(error.what()));
  }
  return job;
}

void DocumentJobs::start(const std::shared_ptr<DocumentJob>& job, DocumentOrder order) {
  job->order_ = std::move(order);
  {
    const std::lock_guard lock(mutex_);
    jobs_[sha256(job->name)] = job;
  }
  changed_.notify_all();
  // A job that is removed while it waits is gone at once.
  const auto work = [this, waiting = std::weak_ptr(job)] {
    if (const auto found = waiting.lock()) run(found);
  };
  if (pool_->add(work)) return;
  remove(*job);
  throw ApiError(503, "The server is busy; try again later", {{"Retry-After", "1"}});
}

std::shared_ptr<DocumentJob> DocumentJobs::find(std::string_view name) {
  expire();
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(sha256(name));  // the time depends on the hash, not on the name
  return found != jobs_.end() ? found->second : nullptr;
}

DocumentStatus DocumentJobs::status(const DocumentJob& job) const {
  constexpr double kMinProgress = 0.01;
  const std::lock_guard lock(mutex_);
  auto status = job.status_;
  if (status.state == DocumentState::kTranslating && status.progress > kMinProgress) {
    const auto seconds = std::chrono::duration<double>(now_() - job.begin_).count();
    status.seconds_left = 1 + static_cast<std::int64_t>(seconds * (1 - status.progress) / status.progress);
  }
  return status;
}

std::string DocumentJobs::translation(const DocumentJob& job) {
  return read_file(job.file(job.order_.route.size()), kMaxTranslation);
}

bool DocumentJobs::remove(const DocumentJob& job) {
  auto removed = job.removed_;
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.erase(sha256(job.name)) == 0) return false;
  }
  removed.request_stop();
  return true;
}

void DocumentJobs::expire() {
  const auto now = now_();
  std::vector<std::shared_ptr<DocumentJob>> late;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(jobs_, [&](const auto& entry) {
      const auto& job = *entry.second;
      return has_ended(job.status_.state) && now - job.end_ >= settings_.lifetime;
    });
    for (const auto& [hash, job] : jobs_)
      if (job->status_.state == DocumentState::kQueued &&
          (job->order_.stop.stop_requested() || (job->order_.deadline && now >= *job->order_.deadline)))
        late.push_back(job);
  }
  for (const auto& job : late) finish(job, 504, "The deadline of the request has passed", DocumentState::kQueued);
}

std::size_t DocumentJobs::count(DocumentState state) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(jobs_, [&](const auto& entry) { return entry.second->status_.state == state; }));
}

void DocumentJobs::take_share(DocumentJob& job, std::uint64_t bytes) {
  const auto wanted = std::max(bytes, kMinShare);
  if (wanted > settings_.quota_bytes)
    throw ApiError(413, "The document is too long for the space that this server has for documents");
  const auto more = wanted - job.share_;  // of a smaller share it wraps, and the sum wraps back
  if ((*used_ += more) > settings_.quota_bytes && wanted > job.share_) {
    *used_ -= more;
    throw ApiError(503, "The space for documents is taken; try again later", {{"Retry-After", "60"}});
  }
  job.share_ = wanted;
}

void DocumentJobs::run(const std::shared_ptr<DocumentJob>& job) {
  {
    const std::lock_guard lock(mutex_);
    if (job->status_.state != DocumentState::kQueued) return;
    job->status_.state = DocumentState::kTranslating;
    job->begin_ = now_();
  }
  const std::stop_callback with_client(job->order_.stop, [&] { job->removed_.request_stop(); });
  try {
    auto& order = job->order_;
    if (order.find_route) order.route = order.find_route(*order.models, job->sample());
    const auto& language = order.route.empty() ? order.target : order.route.back()->target;
    job->file_name_ = order.stem + '_' + lower_ascii(language) + job->ending;
    {
      const std::lock_guard lock(mutex_);
      job->status_.models = model_hashes(order.route);
    }
    const auto stages = order.route.size();
    for (std::size_t stage = 0; stage < stages; ++stage) translate(*job, stage);
    take_share(*job, fs::file_size(job->file(stages)));
    finish(job, 200, {});
  } catch (const ApiError& error) {
    finish(job, error.status, error.what());
  } catch (const std::exception& error) {
    const auto* const known = dynamic_cast<const Error*>(&error);
    const auto code = is_out_of_memory() ? ExitCode::kOutOfMemory : known ? known->exit_code() : ExitCode::kFault;
    const auto message = job->without_paths(error.what());
    if (code == ExitCode::kUsage || code == ExitCode::kData) return finish(job, 400, message);
    log_error("a document was not translated: " + message);
    if (code == ExitCode::kIo) return finish(job, 507, message);
    if (code == ExitCode::kOutOfMemory)
      return finish(job, 503, "The server is out of memory; try again later, or with a smaller document");
    finish(job, 500, "The translation failed; see the log of the server");
  }
}

/// Translates by the model of one stage.
void DocumentJobs::translate(DocumentJob& job, std::size_t stage) {
  const auto expect_wanted = [&] {
    if (job.removed_.stop_requested()) throw ApiError(503, "The translation was given up");
  };
  expect_wanted();
  const auto& model = *job.order_.route[stage];
  const auto document = open_document(job.file(stage), job.file(stage + 1), settings_for(model.source, model.target));
  double before = 0;  // share of the document that is translated, without the passages that are
  const DocumentSentences sentences(model, job.order_, job.removed_.get_token(), [&](double share) {
    const auto of_stage = before + share * (document->share_read() - before);
    const auto all = (static_cast<double>(stage) + of_stage) / static_cast<double>(job.order_.route.size());
    const std::lock_guard lock(mutex_);
    job.status_.progress = std::max(job.status_.progress, all);  // sentences may be searched again
  });
  const UnitTranslator units(sentences, model.units);
  if (translate_document(*document, units, [&](double share) { before = share; }).left > 0) {
    expect_wanted();
    throw ApiError(504, "The deadline of the request has passed");
  }
  fs::remove(job.file(stage));
  const std::lock_guard lock(mutex_);
  if (stage == 0) job.status_.characters = sentences.characters;
}

void DocumentJobs::finish(const std::shared_ptr<DocumentJob>& job, int http_status, const std::string& error,
                          DocumentState from) {
  std::function<void(const DocumentStatus&)> on_end;
  DocumentStatus ended;
  {
    const std::lock_guard lock(mutex_);
    auto& status = job->status_;
    if (status.state != from) return;
    const bool is_done = http_status == 200;
    status.state = is_done ? DocumentState::kDone : DocumentState::kError;
    status.progress = is_done ? 1 : status.progress;
    status.http_status = http_status;
    status.error = error;
    job->end_ = now_();
    job->order_.models = nullptr;  // which may have been replaced long before the job is forgotten
    on_end = std::exchange(job->order_.on_end, {});
    if (!is_done && job->order_.has_link) jobs_.erase(sha256(job->name));
    ended = status;
  }
  if (http_status != 200) {  // its status is kept, not its text
    job->remove_files();
    take_share(*job, 0);
  }
  if (on_end) on_end(ended);
}

}  // namespace gloss
