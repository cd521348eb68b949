#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serve/service/private_folder.h"
#include "serve/service/request_pool.h"
#include "serve/service/served_models.h"

namespace gloss {

enum class DocumentState { kQueued, kTranslating, kDone, kError };

struct DocumentStatus {
  DocumentState state = DocumentState::kQueued;
  double progress = 0;                            ///< share that is translated, 0 to 1
  std::optional<std::int64_t> seconds_left = {};  ///< absent: unknown
  std::int64_t characters = 0;                    ///< of the source that were translated
  int http_status = 200;                          ///< of the error
  std::string error = {};                         ///< for the client
};

/// How a document is translated, and for whom.
struct DocumentOrder {
  std::string owner = {};  ///< hash of the client's key; empty: the server demands none
  std::shared_ptr<const ServedModels> models = {};
  std::vector<const ServedModel*> route = {};  ///< of `models`
  std::string file_name = {};                  ///< that the client gets; anything
  /// A link is all that a client needs to get the document: it shows no key then. The job lasts as long as its client
  /// waits, and is forgotten if it fails.
  bool has_link = false;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};  ///< the client has left
  /// Is called once, at the end of a job that nobody removed, on any thread; may be empty.
  std::function<void(const DocumentStatus&)> on_end = {};
};

/// A document of a client. Its files are removed with the object.
class DocumentJob {
 public:
  DocumentJob(std::filesystem::path folder, std::string ending, std::shared_ptr<std::atomic<std::uint64_t>> used);
  DocumentJob(const DocumentJob&) = delete;
  DocumentJob& operator=(const DocumentJob&) = delete;
  ~DocumentJob();

  /// Two texts of 128 random bits each, in hexadecimal digits.
  const std::string& name() const { return name_; }
  const std::string& key() const { return key_; }
  const std::string& ending() const { return ending_; }
  /// After DocumentJobs::start.
  const DocumentOrder& order() const { return order_; }
  /// Returns the beginning of the text of a document that was not started. Throws ApiError 400 if it cannot be read.
  std::string sample() const;

 private:
  friend class DocumentJobs;
  /// Returns the file of a stage: 0 is the document, the last one its translation.
  std::filesystem::path file(std::size_t stage) const;
  std::string without_paths(std::string message) const;

  const std::filesystem::path folder_;
  const std::string name_, key_, ending_;
  const std::shared_ptr<std::atomic<std::uint64_t>> used_;
  DocumentOrder order_;
  std::stop_source removed_;
  // The jobs' mutex guards these.
  std::uint64_t share_ = 0;  ///< of the quota, in bytes
  DocumentStatus status_;
  std::chrono::steady_clock::time_point begin_, end_;  ///< of the translation
};

/// Translates documents on a few threads of its own, beside the texts of requests, and keeps the translations for a
/// while. Thread-safe.
class DocumentJobs {
 public:
  using Clock = std::chrono::steady_clock;
  struct Settings {
    std::filesystem::path folder;   ///< for a private one; empty: the system's temporary folder
    std::uint64_t quota_bytes = 0;  ///< of all documents and their translations; 0: none are translated
    Clock::duration lifetime = std::chrono::hours(1);  ///< of a job after its end
    std::size_t threads = 2;
  };

  /// Throws IoError if there is no folder to be had.
  explicit DocumentJobs(Settings settings, std::function<Clock::time_point()> now = Clock::now);
  DocumentJobs(const DocumentJobs&) = delete;
  DocumentJobs& operator=(const DocumentJobs&) = delete;
  /// Gives up all jobs.
  ~DocumentJobs();

  bool accepts() const { return folder_.has_value(); }
  /// Writes a document to disk. `ending` is that of a format: it becomes part of a path. Throws ApiError 413 if the
  /// quota is too small for it, 503 while others take it, 507 if the disk is full, and 403 if none are translated.
  std::shared_ptr<DocumentJob> store(std::string_view bytes, const std::string& ending);
  /// Translates it. Throws ApiError 503 if no thread can be had.
  void start(const std::shared_ptr<DocumentJob>& job, DocumentOrder order);

  /// Returns a job that was started; null if it has ended for long, or was removed.
  std::shared_ptr<DocumentJob> find(std::string_view name);
  DocumentStatus status(const DocumentJob& job) const;
  /// Returns the translation of a job that is done. Throws IoError.
  std::string translation(const DocumentJob& job) const;
  /// Forgets a job and stops its translation. Returns false if that was done before.
  bool remove(const DocumentJob& job);
  /// Forgets jobs that have ended for long, and ends those that wait and whose deadline passed.
  void expire();

  std::size_t count(DocumentState state) const;
  std::uint64_t bytes_taken() const { return *used_; }

 private:
  struct Outcome {
    int http_status;
    std::string error;
  };
  void run(const std::shared_ptr<DocumentJob>& job);
  Outcome translate(DocumentJob& job);
  void translate_stage(DocumentJob& job, std::size_t stage);
  void take_share(DocumentJob& job, std::uint64_t bytes);
  void finish(const std::shared_ptr<DocumentJob>& job, const Outcome& outcome);

  const Settings settings_;
  const std::function<Clock::time_point()> now_;
  const std::shared_ptr<std::atomic<std::uint64_t>> used_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  std::optional<PrivateFolder> folder_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<DocumentJob>, std::less<>> jobs_;  ///< by the hash of their names
  bool ends_ = false;
  std::thread cleaner_;
  RequestPool pool_;
};

}  // namespace gloss
