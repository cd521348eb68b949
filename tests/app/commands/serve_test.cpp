// The program as a server: its signals, its log and its exit codes. tests/serve has its answers.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"
#include "tests/app/support/stand_in_environment.h"
#include "tests/serve/http_client.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;

/// The program, which serves a model from xx to yy on a free port.
class ServingProgram {
 public:
  explicit ServingProgram(const Arguments& more = {}) : process_(arguments(more)) {
    process_.wait_for_error("listening to 127.0.0.1:");
    process_.wait_for_error("\n");
  }

  Process& process() { return process_; }
  HttpClient client() {
    const auto& text = process_.errors();
    const auto begin = text.find("127.0.0.1:");
    return HttpClient(text.substr(begin, text.find('\n', begin) - begin));
  }

 private:
  static Arguments arguments(const Arguments& more) {
    Arguments all = {"serve",    "--model",     "xx-yy=" GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors",
                     "--listen", "127.0.0.1:0", "--threads",
                     "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Process process_;
};

TEST(ServeTest, DrainsAtSigterm) {
  ServingProgram program;
  auto client = program.client();
  client.request("POST", "/translate", R"({"q":"ana baka","source":"xx","target":"yy"})",
                 "Content-Type: application/json\r\n");
  program.process().signal(SIGTERM);
  const auto answer = client.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(program.process().wait().exit_code, 0);
}

TEST(ServeTest, ASecondSignalEndsItAtOnce) {
  ServingProgram program;
  auto client = program.client();
  client.send("POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n");  // and no body
  program.process().signal(SIGINT);
  program.process().wait_for_error("draining");
  program.process().signal(SIGINT);
  EXPECT_EQ(program.process().wait().exit_code, 130);
}

TEST(ServeTest, ReadsModelsAndOpensItsLogAgainAtSighup) {
  const TemporaryFolder folder;
  const std::filesystem::path log = folder / "log", rotated = folder / "rotated";
  ServingProgram program({"--log-json", log.string()});
  EXPECT_EQ(program.client().get("/health", "X-Request-Id: first\r\n").status, 200);
  while (read_text(log).find("first") == std::string::npos) std::this_thread::yield();  // after the answer
  std::filesystem::rename(log, rotated);
  program.process().signal(SIGHUP);
  program.process().wait_for_error("were read again");
  EXPECT_EQ(program.client().get("/health", "X-Request-Id: second\r\n").status, 200);
  program.process().signal(SIGTERM);
  EXPECT_EQ(program.process().wait().exit_code, 0);
  EXPECT_THAT(read_text(rotated), HasSubstr("\"first\""));
  EXPECT_THAT(read_text(log), HasSubstr("\"second\""));
}

TEST(ServeTest, AGpuAnswersAsTheCpu) {
  const StandInEnvironment environment;
  const auto answer_of = [](const std::string& device) {
    ServingProgram program({"--device", device});
    auto client = program.client();
    client.request("POST", "/translate", R"({"q":["ana baka","yoze"],"source":"xx","target":"yy"})",
                   "Content-Type: application/json\r\n");
    return client.answer().value().body;
  };
  EXPECT_EQ(answer_of(kGpu), answer_of("cpu"));
}

TEST(ServeTest, FaultySettingsNameTheirFile) {
  const TemporaryFolder folder;
  for (const std::string text : {"[]", "{\"lisen\": \"x\"}", "{\"max_texts\": 0}", "{\"no_auth\": \"yes\"}"}) {
    write_text(folder / "serve.json", text);
    const auto outcome = run_gloss({"serve", "--model", "x", "--config", (folder / "serve.json").string()});
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("serve.json")) << text;
  }
}

TEST(ServeTest, RefusesSettingsWithoutAnEffect) {
  for (const Arguments& more : {Arguments{"--allow-origin", "example.org"},
                                {"--allow-origin", "http://a.org/"},
                                {"--default-language", "qq"},
                                {"--tls-key", "x"}}) {
    Arguments all = {"serve", "--model", "xx-yy=" GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors", "--listen",
                     "127.0.0.1:0"};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = run_gloss(all);
    EXPECT_EQ(outcome.exit_code, 2) << more[0];
    EXPECT_THAT(outcome.err, HasSubstr(more[0]));
  }
}

}  // namespace
}  // namespace gloss
