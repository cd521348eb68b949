#include "serve/service/document_jobs.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <future>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#ifdef GLOSS_HAS_LIBZIP
#include <zip.h>
#endif

#include "common/files/atomic_file.h"
#include "common/files/file_lock.h"
#include "serve/http/api_error.h"
#include "serve/service/text_service.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

const std::string kModel = GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors";
constexpr std::uint64_t kMiB = 1 << 20;

std::shared_ptr<const ServedModels> models_for(const std::vector<ModelSource>& sources) {
  return std::make_shared<const ServedModels>(sources, ServingOptions{});
}

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "ana baka dalo emi " + std::to_string(i) + ".\n";
  return text;
}

/// Returns the number of files below a folder, without those of locks.
int files_below(const fs::path& folder) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    count += entry.is_regular_file() && entry.path().filename() != ".lock" ? 1 : 0;
  return count;
}

class DocumentJobsTest : public testing::Test {
 protected:
  void begin(std::uint64_t quota = 64 * kMiB, std::size_t threads = 2) {
    jobs_.emplace(
        DocumentJobs::Settings{
            .folder = folder_.path(), .quota_bytes = quota, .lifetime = std::chrono::hours(1), .threads = threads},
        [this] { return DocumentJobs::Clock::now() + later_.load(); });
  }

  struct Started {
    std::shared_ptr<DocumentJob> job;
    std::future<DocumentStatus> end;
  };
  Started start(const std::string& bytes, const std::string& ending = ".txt", DocumentOrder order = {}) {
    return start(jobs_->store(bytes, ending), std::move(order));
  }
  Started start(std::shared_ptr<DocumentJob> job, DocumentOrder order = {}) {
    const auto end = std::make_shared<std::promise<DocumentStatus>>();
    order.models = models_;
    order.route = models_->route("xx", "yy").value();
    order.on_end = [end](const DocumentStatus& status) { end->set_value(status); };
    Started started{std::move(job), end->get_future()};
    jobs_->start(started.job, std::move(order));
    return started;
  }
  /// Returns the status of a document that could not be stored, 0 if it could.
  int refusal_of(const std::string& bytes) {
    try {
      jobs_->store(bytes, ".txt");
    } catch (const ApiError& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr(folder_.path().string())));
      return error.status;
    }
    return 0;
  }
  /// Expects that no file is left, soon: the thread of a job holds it for a moment after its end.
  void wait_until_empty() {
    for (int i = 0; i < 5000 && jobs_->bytes_taken() > 0; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(files_below(folder_.path()), 0);
  }
  fs::path private_folder() const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) return entry.path();
    return {};
  }

  TemporaryFolder folder_;
  std::atomic<DocumentJobs::Clock::duration> later_{};
  std::shared_ptr<const ServedModels> models_ = models_for({{"xx", "yy", kModel}});
  std::optional<DocumentJobs> jobs_;
};

TEST_F(DocumentJobsTest, TranslatesAsATextIsTranslated) {
  begin();
  const auto text = lines(12);
  auto [job, end] = start(text);
  const auto status = end.get();
  EXPECT_EQ(status.state, DocumentState::kDone) << status.error;
  EXPECT_EQ(status.progress, 1);
  EXPECT_EQ(status.http_status, 200);
  EXPECT_EQ(status.characters, static_cast<std::int64_t>(text.size()) - 12) << "without line ends";
  EXPECT_EQ(jobs_->translation(*job),
            translate_texts(models_->route("xx", "yy").value(), {.texts = {text}}).front().text);
  EXPECT_EQ(files_below(folder_.path()), 1) << "the document itself is gone";
  EXPECT_EQ(jobs_->find(job->name), job);
  EXPECT_EQ(jobs_->count(DocumentState::kDone), 1u);
}

TEST_F(DocumentJobsTest, GoesThroughAPivotLanguage) {
  begin();
  models_ = models_for({{"xx", "zz", kModel}, {"zz", "yy", kModel}});
  const auto text = lines(5);
  auto [job, end] = start(text);
  EXPECT_EQ(end.get().error, "");
  EXPECT_EQ(jobs_->translation(*job),
            translate_texts(models_->route("xx", "yy").value(), {.texts = {text}}).front().text);
  EXPECT_EQ(files_below(folder_.path()), 1);
}

TEST_F(DocumentJobsTest, NamesAreRandom) {
  begin();
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) {
    const auto job = jobs_->store("ana", ".txt");
    EXPECT_THAT(job->name, MatchesRegex("[0-9a-f]{32}"));
    names.insert({job->name, job->key});
  }
  EXPECT_EQ(names.size(), 200u);
  EXPECT_EQ(jobs_->find(*names.begin()), nullptr) << "not started";
  EXPECT_EQ(files_below(folder_.path()), 0) << "forgotten before they were started";
}

TEST_F(DocumentJobsTest, TheFolderIsPrivateAndGoesWithTheJobs) {
  begin();
  auto started = start("ana baka.\n");
  started.end.get();
  struct stat status {};
  ASSERT_EQ(::stat(private_folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  jobs_.reset();
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(DocumentJobsTest, RemovesTheFoldersOfKilledServersOnly) {
  const auto dead = folder_ / "gloss-documents-dead00", alive = folder_ / "gloss-documents-alive0";
  for (const auto& folder : {dead, alive, folder_ / "other"}) fs::create_directory(folder);
  std::ofstream(dead / ".lock") << 1;
  std::ofstream(dead / "text") << "secret";
  const FileLock lock(alive);
  fs::create_directory_symlink(folder_ / "other", folder_ / "gloss-documents-link00");
  begin();
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive / ".lock"));
  EXPECT_TRUE(fs::exists(folder_ / "other"));
}

TEST_F(DocumentJobsTest, ForgetsAJobAfterItsTime) {
  begin();
  auto [job, end] = start("ana baka.\n");
  end.get();
  const auto name = job->name;
  job.reset();
  later_ = 59min;
  EXPECT_NE(jobs_->find(name), nullptr);
  later_ = 60min;
  EXPECT_EQ(jobs_->find(name), nullptr);
  wait_until_empty();
  EXPECT_EQ(jobs_->bytes_taken(), 0u);
}

TEST_F(DocumentJobsTest, TheQuotaBoundsAllDocuments) {
  begin(kMiB);
  EXPECT_EQ(refusal_of(std::string(kMiB, 'a')), 413) << "with its translation it will never fit";
  const auto first = jobs_->store(std::string(300'000, 'a'), ".txt");
  EXPECT_EQ(jobs_->bytes_taken(), 600'000u);
  EXPECT_EQ(refusal_of(std::string(300'000, 'a')), 503);
  EXPECT_EQ(jobs_->bytes_taken(), 600'000u);
  std::vector<std::shared_ptr<DocumentJob>> small;
  while (jobs_->bytes_taken() + 65'536 <= kMiB) small.push_back(jobs_->store("a", ".txt"));
  EXPECT_EQ(small.size(), 6u) << "each takes 64 KiB, which bounds their number";
  EXPECT_EQ(refusal_of("a"), 503);
  small.clear();
  EXPECT_EQ(refusal_of("a"), 0);
}

TEST_F(DocumentJobsTest, ATranslatedDocumentTakesItsOwnSize) {
  begin();
  std::string rules;  // which are copied
  while (rules.size() < 100'000) rules += "---\n";
  auto [job, end] = start(rules);
  EXPECT_EQ(end.get().error, "");
  EXPECT_EQ(jobs_->translation(*job), rules);
  EXPECT_EQ(jobs_->bytes_taken(), rules.size());
}

TEST_F(DocumentJobsTest, WithoutAQuotaThereAreNone) {
  begin(0);
  EXPECT_FALSE(jobs_->accepts());
  EXPECT_EQ(refusal_of("a"), 403);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(DocumentJobsTest, ARemovedJobStops) {
  begin();
  auto [job, end] = start(lines(100'000));
  while (jobs_->status(*job).progress == 0) std::this_thread::sleep_for(1ms);
  const auto status = jobs_->status(*job);
  EXPECT_EQ(status.state, DocumentState::kTranslating);
  EXPECT_LT(status.progress, 0.5);
  EXPECT_TRUE(jobs_->remove(*job));
  EXPECT_FALSE(jobs_->remove(*job));
  EXPECT_EQ(jobs_->find(job->name), nullptr);
  EXPECT_EQ(end.get().state, DocumentState::kError);
  job.reset();
  wait_until_empty();
}

TEST_F(DocumentJobsTest, AJobThatWaitsIsGoneWhenItIsRemovedOrLate) {
  begin(64 * kMiB, 1);
  auto running = start(lines(100'000));
  while (jobs_->status(*running.job).progress == 0) std::this_thread::sleep_for(1ms);
  const auto taken = jobs_->bytes_taken();
  const auto files = files_below(folder_.path());
  auto removed = start(lines(10)), late = start(lines(10), ".txt", {.deadline = DocumentJobs::Clock::now() + 1h});
  EXPECT_EQ(files_below(folder_.path()), files + 2);
  EXPECT_TRUE(jobs_->remove(*removed.job));
  removed.job.reset();
  EXPECT_EQ(files_below(folder_.path()), files + 1);
  later_ = 2h;
  jobs_->expire();
  EXPECT_EQ(late.end.get().http_status, 504);
  EXPECT_EQ(files_below(folder_.path()), files);
  EXPECT_EQ(jobs_->bytes_taken(), taken + 65'536) << "its status is kept";
}

TEST_F(DocumentJobsTest, TheRouteIsFoundOnAThreadOfTheJobs) {
  begin();
  std::thread::id thread;
  const auto find = [&](const ServedModels& models, const std::string& sample) {
    thread = std::this_thread::get_id();
    if (sample != "ana baka.\n") throw ApiError(418, sample);
    return models.route("xx", "yy").value();
  };
  auto [job, end] = start("ana baka.\n", ".txt", {.find_route = find, .stem = "a"});
  EXPECT_EQ(end.get().error, "");
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_EQ(job->file_name(), "a_yy.txt");
  auto other = start("ana\n", ".txt", {.find_route = find});
  EXPECT_EQ(other.end.get().http_status, 418);
}

TEST_F(DocumentJobsTest, TellsProgressAndTheTimeLeft) {
  begin();
  auto [job, end] = start(lines(300));
  double before = 0;
  for (int i = 0; i < 10'000 && before < 0.02; ++i) {
    const auto progress = jobs_->status(*job).progress;
    EXPECT_GE(progress, before);
    before = progress;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_GT(jobs_->status(*job).seconds_left.value_or(0), 0);
}

TEST_F(DocumentJobsTest, AClientThatLeavesStopsItsJob) {
  begin();
  std::stop_source client;
  auto [job, end] = start(lines(100'000), ".txt", {.has_link = true, .stop = client.get_token()});
  while (jobs_->status(*job).progress == 0) std::this_thread::sleep_for(1ms);
  client.request_stop();
  EXPECT_EQ(end.get().state, DocumentState::kError);
  EXPECT_EQ(jobs_->find(job->name), nullptr) << "nobody has its link";
}

TEST_F(DocumentJobsTest, ADeadlinePassesWhileAJobRunsOrWaits) {
  begin(64 * kMiB, 1);
  const auto deadline = DocumentJobs::Clock::now() + 300ms;
  auto running = start(lines(100'000), ".txt", {.has_link = true, .deadline = deadline});
  auto waiting = start(lines(1), ".txt", {.has_link = true, .deadline = DocumentJobs::Clock::now() + 1h});
  EXPECT_EQ(jobs_->status(*waiting.job).state, DocumentState::kQueued);
  later_ = 2h;
  jobs_->expire();
  EXPECT_EQ(waiting.end.get().http_status, 504);
  EXPECT_EQ(running.end.get().http_status, 504);
  EXPECT_EQ(jobs_->find(running.job->name), nullptr);
}

TEST_F(DocumentJobsTest, EndsWithItsJobs) {
  begin(64 * kMiB, 1);
  auto running = start(lines(100'000)), waiting = start(lines(100'000));
  jobs_.reset();
  EXPECT_EQ(running.end.get().error, "The translation was given up");
  EXPECT_EQ(waiting.end.get().error, "The translation was given up");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(DocumentJobsTest, KeepsTheModelsItBeganWith) {
  begin();
  auto [job, end] = start(lines(20));
  const std::weak_ptr<const ServedModels> before = models_;
  models_ = models_for({{"xx", "yy", kModel}});
  EXPECT_EQ(end.get().state, DocumentState::kDone);
  EXPECT_TRUE(before.expired()) << "and no longer";
}

TEST_F(DocumentJobsTest, FaultyDocumentsAreErrorsWithoutPaths) {
  begin();
  for (const auto* const ending : {".docx", ".epub", ".json", ".xliff"}) {
    auto [job, end] = start("\x01 no such document", ending);
    const auto status = end.get();
    EXPECT_EQ(status.http_status, 400) << ending;
    EXPECT_THAT(status.error, HasSubstr("the document")) << ending;
    EXPECT_THAT(status.error, Not(HasSubstr("gloss-documents"))) << ending;
    EXPECT_EQ(jobs_->status(*job).state, DocumentState::kError);
  }
  const auto job = jobs_->store("no archive", ".odt");
  try {
    job->sample();
    ADD_FAILURE();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status, 400);
    EXPECT_THAT(error.what(), Not(HasSubstr("gloss-documents")));
  }
}

TEST_F(DocumentJobsTest, SamplesTheBeginning) {
  begin();
  EXPECT_EQ(jobs_->store("<p>ana <b>baka</b></p><p>dalo</p>", ".html")->sample(), "ana baka\ndalo\n");
  EXPECT_LT(jobs_->store(lines(10'000), ".txt")->sample().size(), 5000u);
  EXPECT_EQ(files_below(folder_.path()), 0) << "nothing half-written";
}

#ifdef GLOSS_HAS_LIBZIP
TEST_F(DocumentJobsTest, RefusesAZipBomb) {
  begin();
  const auto path = (folder_ / "bomb").string();
  const std::string text(64 * kMiB, ' ');
  auto* const archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  zip_file_add(archive, "mimetype", zip_source_buffer(archive, "application/vnd.oasis.opendocument.text", 39, 0), 0);
  zip_file_add(archive, "content.xml", zip_source_buffer(archive, text.data(), text.size(), 0), 0);
  ASSERT_EQ(zip_close(archive), 0);
  const auto bytes = read_file(path, kMiB);
  EXPECT_LT(bytes.size(), 100'000u);
  auto [job, end] = start(bytes, ".odt");
  const auto status = end.get();
  EXPECT_EQ(status.http_status, 400);
  EXPECT_THAT(status.error, HasSubstr("content.xml"));
}
#endif

/// While an object lives, files cannot be longer: a disk that is full.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(DocumentJobsTest, AFullDiskIsAnErrorOfTheJob) {
  std::signal(SIGXFSZ, SIG_IGN);
  begin();
  const auto text = lines(16);
  {
    const FileLimit full(100);
    EXPECT_EQ(refusal_of(text), 507);
    EXPECT_EQ(jobs_->bytes_taken(), 0u);
  }
  const auto stored = jobs_->store(text, ".txt");
  const FileLimit full(100);
  auto [job, end] = start(stored);
  const auto status = end.get();
  EXPECT_EQ(status.http_status, 507);
  EXPECT_THAT(status.error, HasSubstr("cannot write"));
  EXPECT_THAT(status.error, Not(HasSubstr("gloss-documents")));
}

TEST_F(DocumentJobsTest, AFolderThatCannotBeHadIsAnError) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THROW(DocumentJobs({.folder = folder_ / "file", .quota_bytes = kMiB}), IoError);
  EXPECT_THROW(DocumentJobs({.folder = folder_ / "absent", .quota_bytes = kMiB}), IoError);
}

}  // namespace
}  // namespace gloss
