#include "serve/service/document_jobs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include <sys/random.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/log/log.h"
#include "common/system/descriptor.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"
#include "documents/document.h"
#include "documents/model_sentence_translator.h"
#include "documents/translate_document.h"
#include "serve/http/api_error.h"
#include "serve/service/text_service.h"
#include "tensor/out_of_memory.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// The least that a document takes of the quota, which bounds their number.
constexpr std::uint64_t kMinShare = 64 << 10;

/// Returns 128 bits of the system's random numbers in hexadecimal digits.
std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  if (retry_interrupted([&] { return ::getrandom(bytes.data(), bytes.size(), 0); }) != std::ssize(bytes))
    throw_io_error("getrandom", "read");
  std::string name;
  for (const auto byte : bytes) name += formatted("%02x", byte);
  return name;
}

/// Returns the settings of a search in small batches: the texts of requests wait for one of them at most.
DecodingConfig patient_search(const ServedModel& model) {
  constexpr std::int64_t kBatch = 16;
  auto decoding = best_of(model);
  decoding.batch_size = std::min(decoding.batch_size, kBatch);
  return decoding;
}

bool has_ended(DocumentState state) { return state == DocumentState::kDone || state == DocumentState::kError; }

/// Counts the characters of a document's units.
class CountedDocument final : public Document {
 public:
  explicit CountedDocument(std::unique_ptr<Document> document) : document_(std::move(document)) {}

  std::optional<Passage> next() override {
    auto passage = document_->next();
    if (passage)
      for (const auto& unit : passage->units)
        characters += static_cast<std::int64_t>(count_code_points(unit.source.text));
    return passage;
  }
  void write(std::string_view bytes) override { document_->write(bytes); }
  void finish() override { document_->finish(); }
  double share_read() const override { return document_->share_read(); }

  std::int64_t characters = 0;

 private:
  std::unique_ptr<Document> document_;
};

/// Translates sentences by a model, and reports the share of those of a call that are done.
class ReportedSentences final : public SentenceTranslator {
 public:
  ReportedSentences(const ServedModel& model, TranslationHooks hooks, std::function<void(double)> report)
      : report_(std::move(report)),
        sentences_(model.translator, patient_search(model), {}, with_report(std::move(hooks)),
                   model.config.model.has_cross_attention()) {}
  ReportedSentences(const ReportedSentences&) = delete;
  ReportedSentences& operator=(const ReportedSentences&) = delete;

  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override {
    done_ = 0;
    count_ = sentences.size();
    return sentences_.translate(sentences);
  }
  bool fits(std::string_view sentence) const override { return sentences_.fits(sentence); }
  bool can_spell(std::string_view text) const override { return sentences_.can_spell(text); }
  std::vector<TextSpan> phrases(std::string_view text) const override { return sentences_.phrases(text); }

 private:
  TranslationHooks with_report(TranslationHooks hooks) const {
    hooks.on_result = [this](std::size_t, const LineTranslation&) {
      report_(static_cast<double>(++done_) / static_cast<double>(count_));
      return true;
    };
    return hooks;
  }

  std::function<void(double)> report_;
  mutable std::size_t done_ = 0, count_ = 1;
  ModelSentenceTranslator sentences_;
};

}  // namespace

DocumentJob::DocumentJob(fs::path folder, std::string ending, std::shared_ptr<std::atomic<std::uint64_t>> used)
    : folder_(std::move(folder)),
      name_(random_name()),
      key_(random_name()),
      ending_(std::move(ending)),
      used_(std::move(used)) {}

DocumentJob::~DocumentJob() {
  std::error_code ignored;
  for (std::size_t stage = 0; stage <= order_.route.size() + 1; ++stage) fs::remove(file(stage), ignored);
  *used_ -= share_;
}

fs::path DocumentJob::file(std::size_t stage) const {
  return folder_ / (name_ + '-' + std::to_string(stage) + ending_);
}

std::string DocumentJob::without_paths(std::string message) const {
  for (std::size_t stage = 0; stage <= order_.route.size() + 1; ++stage) {
    const auto path = printable(file(stage).string());
    for (auto at = message.find(path); at != message.npos; at = message.find(path))
      message.replace(at, path.size(), "the document");
  }
  return message;
}

std::string DocumentJob::sample() const {
  constexpr std::size_t kBytes = 4000;
  std::string text;
  try {
    const auto document = open_document(file(0), file(1), {});
    for (auto passage = document->next(); passage && text.size() < kBytes; passage = document->next())
      for (const auto& unit : passage->units)
        if (text.size() < kBytes) text += unit.source.text + '\n';
  } catch (const DataError& error) {
    throw ApiError(400, without_paths(error.what()));
  }
  return text;
}

DocumentJobs::DocumentJobs(Settings settings, std::function<Clock::time_point()> now)
    : settings_(std::move(settings)), now_(std::move(now)), pool_(settings_.threads, SIZE_MAX) {
  if (settings_.quota_bytes == 0) return;
  folder_.emplace(settings_.folder);
  cleaner_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      if (jobs_.empty())
        changed_.wait(lock);
      else
        changed_.wait_for(lock, std::chrono::seconds(1));
      lock.unlock();
      expire();
      lock.lock();
    }
  });
}

DocumentJobs::~DocumentJobs() {
  std::map<std::string, std::shared_ptr<DocumentJob>, std::less<>> jobs;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    jobs.swap(jobs_);
  }
  for (const auto& [hash, job] : jobs) job->removed_.request_stop();
  changed_.notify_all();
  if (cleaner_.joinable()) cleaner_.join();
}

std::shared_ptr<DocumentJob> DocumentJobs::store(std::string_view bytes, const std::string& ending) {
  if (!accepts()) throw ApiError(403, "This server translates no documents");
  expire();
  auto job = std::make_shared<DocumentJob>(folder_->path(), ending, used_);
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
    jobs_[sha256(job->name())] = job;
  }
  changed_.notify_all();
  if (pool_.add([this, job] { run(job); })) return;
  remove(*job);
  throw ApiError(503, "The server is busy; try again later", {{"Retry-After", "1"}});
}

std::shared_ptr<DocumentJob> DocumentJobs::find(std::string_view name) {
  expire();
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(sha256(name));  // so that times depend on the hash, not on the name
  return found != jobs_.end() ? found->second : nullptr;
}

DocumentStatus DocumentJobs::status(const DocumentJob& job) const {
  const std::lock_guard lock(mutex_);
  auto status = job.status_;
  constexpr double kMinProgress = 0.01;
  if (status.state == DocumentState::kTranslating && status.progress > kMinProgress) {
    const auto seconds = std::chrono::duration<double>(now_() - job.begin_).count();
    status.seconds_left = 1 + static_cast<std::int64_t>(seconds * (1 - status.progress) / status.progress);
  }
  return status;
}

std::string DocumentJobs::translation(const DocumentJob& job) const {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
  return read_file(job.file(job.order_.route.size()), kMaxBytes);
}

bool DocumentJobs::remove(const DocumentJob& job) {
  std::shared_ptr<DocumentJob> removed;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(sha256(job.name()));
    if (found == jobs_.end()) return false;
    removed = std::move(found->second);
    jobs_.erase(found);
  }
  removed->removed_.request_stop();
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
  for (const auto& job : late) finish(job, {504, "The deadline of the request has passed"});
}

std::size_t DocumentJobs::count(DocumentState state) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(jobs_, [&](const auto& entry) { return entry.second->status_.state == state; }));
}

/// Changes the share of the quota that a job takes.
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
  finish(job, translate(*job));
}

DocumentJobs::Outcome DocumentJobs::translate(DocumentJob& job) {
  const std::stop_callback stop_with_client(job.order_.stop, [&] { job.removed_.request_stop(); });
  try {
    for (std::size_t stage = 0; stage < job.order_.route.size(); ++stage) translate_stage(job, stage);
    take_share(job, fs::file_size(job.file(job.order_.route.size())));
    return {200, {}};
  } catch (const ApiError& error) {
    return {error.status, error.what()};
  } catch (const std::exception& error) {
    const auto* const known = dynamic_cast<const Error*>(&error);
    const auto code = is_out_of_memory() ? ExitCode::kOutOfMemory : known ? known->exit_code() : ExitCode::kFault;
    const auto message = job.without_paths(error.what());
    if (code == ExitCode::kUsage || code == ExitCode::kData) return {400, message};
    log_error("a document was not translated: " + message);
    if (code == ExitCode::kIo) return {507, message};
    if (code == ExitCode::kOutOfMemory)
      return {503, "The server is out of memory; try again later, or with a smaller document"};
    return {500, "The translation failed; see the log of the server"};
  }
}

void DocumentJobs::translate_stage(DocumentJob& job, std::size_t stage) {
  const auto expect_wanted = [&] {
    if (job.removed_.stop_requested()) throw ApiError(503, "The translation was given up");
  };
  expect_wanted();
  const auto& model = *job.order_.route[stage];
  const auto stages = static_cast<double>(job.order_.route.size());
  CountedDocument document(
      open_document(job.file(stage), job.file(stage + 1),
                    {.format = {}, .mode = {}, .source_language = model.source, .target_language = model.target}));
  double before = 0;  // share of the stage that is translated, without the passages that are
  const ReportedSentences sentences(
      model, {.deadline = job.order_.deadline, .stop = job.removed_.get_token()}, [&](double share) {
        const auto of_stage = before + share * (document.share_read() - before);
        const std::lock_guard lock(mutex_);
        auto& progress = job.status_.progress;  // sentences that are searched again are further calls
        progress = std::max(progress, (static_cast<double>(stage) + of_stage) / stages);
      });
  const UnitTranslator units(sentences, options_for(model.source, model.target));
  const auto counts = translate_document(document, units, [&](double share) { before = share; });
  if (counts.left > 0) {
    expect_wanted();
    throw ApiError(504, "The deadline of the request has passed");
  }
  std::error_code ignored;
  fs::remove(job.file(stage), ignored);
  const std::lock_guard lock(mutex_);
  if (stage == 0) job.status_.characters = document.characters;
}

void DocumentJobs::finish(const std::shared_ptr<DocumentJob>& job, const Outcome& outcome) {
  std::function<void(const DocumentStatus&)> on_end;
  DocumentStatus status;
  {
    const std::lock_guard lock(mutex_);
    if (has_ended(job->status_.state)) return;
    const bool is_done = outcome.http_status == 200;
    job->status_.state = is_done ? DocumentState::kDone : DocumentState::kError;
    job->status_.progress = is_done ? 1 : job->status_.progress;
    job->status_.http_status = outcome.http_status;
    job->status_.error = outcome.error;
    job->end_ = now_();
    job->order_.models = nullptr;  // which may have been replaced long before the job is forgotten
    on_end = std::exchange(job->order_.on_end, {});
    if (!is_done && job->order_.has_link) jobs_.erase(sha256(job->name()));
    status = job->status_;
  }
  if (on_end) on_end(status);
}

}  // namespace gloss
