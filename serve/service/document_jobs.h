#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
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
#include <utility>
#include <vector>

#include "common/files/file_lock.h"
#include "serve/service/request_pool.h"
#include "serve/service/served_models.h"

namespace gloss {

enum class DocumentState { kQueued, kTranslating, kDone, kError };
/// Names of the states, in their order.
inline constexpr std::array<const char*, 4> kDocumentStates{"queued", "translating", "done", "error"};

struct DocumentStatus {
  DocumentState state = DocumentState::kQueued;
  double progress = 0;                            ///< share that is translated, 0 to 1
  std::optional<std::int64_t> seconds_left = {};  ///< absent: unknown
  std::int64_t characters = 0;                    ///< of the sentences that were translated
  int http_status = 200;                          ///< of the error
  std::string error = {};                         ///< for the client
  std::string models = {};                        ///< hashes of those that translate it (model_hashes)
};

/// How a document is translated, and for whom.
struct DocumentOrder {
  std::string owner = {};  ///< ApiCall::owner
  std::shared_ptr<const ServedModels> models = {};
  ModelRoute route = {};  ///< of `models`
  /// Returns the route for the beginning of the text, on a thread of the jobs, or throws ApiError; empty: it is
  /// `route`.
  std::function<ModelRoute(const ServedModels& models, const std::string& sample)> find_route = {};
  std::vector<std::pair<std::string, std::string>> glossary = {};
  std::string stem = {};    ///< of the file that the client gets; UTF-8 without quotes and control characters
  std::string target = {};  ///< language of a document that stays as it is
  /// A link is all that a client needs to get the document: it shows no key then. A job with one is forgotten if it
  /// fails, because its client waits for it.
  bool has_link = false;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};  ///< the client has left
  /// Is called once, at the end of the job, on any thread; not for one that is removed before it begins; may be empty.
  std::function<void(const DocumentStatus&)> on_end = {};
};

/// A document of a client. Its files are removed with the object.
class DocumentJob {
 public:
  DocumentJob(const std::filesystem::path& folder, std::string ending,
              std::shared_ptr<std::atomic<std::uint64_t>> used);
  DocumentJob(const DocumentJob&) = delete;
  DocumentJob& operator=(const DocumentJob&) = delete;
  ~DocumentJob();

  const std::string name, key;  ///< 128 random bits each, in hexadecimal digits
  const std::string ending;     ///< ".docx"

  /// After DocumentJobs::start.
  const DocumentOrder& order() const { return order_; }
  /// Returns the name of the file that the client gets, of a job that is done: "letter_de.docx".
  const std::string& file_name() const { return file_name_; }
  /// Returns the beginning of the text of a document that was not started. Throws ApiError 400 if it cannot be read.
  std::string sample() const;

 private:
  friend class DocumentJobs;
  std::filesystem::path file(std::size_t stage) const;
  std::string without_paths(std::string message) const;
  void remove_files() const;

  const std::filesystem::path path_;                        ///< of its files, without number and ending
  const std::shared_ptr<std::atomic<std::uint64_t>> used_;  ///< of the quota
  std::uint64_t share_ = 0;                                 ///< of `used_`
  DocumentOrder order_;
  std::string file_name_;
  std::stop_source removed_;
  DocumentStatus status_;                              ///< the mutex of the jobs guards this, and the next
  std::chrono::steady_clock::time_point begin_, end_;  ///< of the translation
};

/// Translates documents on a few threads of its own, beside the texts of requests, and keeps the translations for a
/// while, in a folder that no other user can read. Thread-safe.
class DocumentJobs {
 public:
  using Clock = std::chrono::steady_clock;
  struct Settings {
    std::filesystem::path folder;                      ///< in which there is a private one; empty: the system's
    std::uint64_t quota_bytes = 0;                     ///< of documents and translations; 0: none are translated
    Clock::duration lifetime = std::chrono::hours(1);  ///< of a job after its end
    std::size_t threads = 2;
  };

  /// Removes the folders that killed servers have left. Throws IoError if there is no folder to be had.
  explicit DocumentJobs(Settings settings, std::function<Clock::time_point()> now = Clock::now);
  DocumentJobs(const DocumentJobs&) = delete;
  DocumentJobs& operator=(const DocumentJobs&) = delete;
  /// Gives up all jobs.
  ~DocumentJobs();

  bool accepts() const { return settings_.quota_bytes > 0; }
  /// Writes a document to disk. `ending` is that of a format: it becomes part of a path. Throws ApiError 413 if the
  /// quota is too small for it, 503 while others take it, 507 if the disk is full, and 403 if none are translated.
  std::shared_ptr<DocumentJob> store(std::string_view bytes, const std::string& ending);
  /// Translates it. Throws ApiError 503 if no thread can be had.
  void start(const std::shared_ptr<DocumentJob>& job, DocumentOrder order);

  /// Returns a job that was started; null if it has ended for long, or was removed.
  std::shared_ptr<DocumentJob> find(std::string_view name);
  DocumentStatus status(const DocumentJob& job) const;
  /// Returns the translation of a job that is done. Throws IoError.
  static std::string translation(const DocumentJob& job);
  /// Forgets a job and stops its translation. Returns false if that was done before.
  bool remove(const DocumentJob& job);
  /// Forgets jobs that have ended for long, and ends those that wait and whose deadline passed.
  void expire();

  std::size_t count(DocumentState state) const;
  std::uint64_t bytes_taken() const { return *used_; }

 private:
  void make_folder();
  /// Changes the share of the quota that a job takes.
  void take_share(DocumentJob& job, std::uint64_t bytes);
  void run(const std::shared_ptr<DocumentJob>& job);
  void translate(DocumentJob& job, std::size_t stage);
  /// Ends a job that is in a state; does nothing with others.
  void finish(const std::shared_ptr<DocumentJob>& job, int http_status, const std::string& error,
              DocumentState from = DocumentState::kTranslating);

  const Settings settings_;
  const std::function<Clock::time_point()> now_;
  std::filesystem::path folder_;
  std::optional<FileLock> lock_;  ///< of the folder
  const std::shared_ptr<std::atomic<std::uint64_t>> used_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<DocumentJob>> jobs_;  ///< by the hash of their names
  bool ends_ = false;
  std::thread cleaner_;
  std::optional<RequestPool> pool_;
};

}  // namespace gloss
