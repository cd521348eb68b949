#include "serve/service/metrics.h"

#include <chrono>
#include <ctime>
#include <limits>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::HasSubstr;

/// Returns the value of a line; NaN if there is none.
double value_of(const Metrics& metrics, const std::string& name) {
  std::istringstream lines(metrics.text());
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + ' ')) return std::stod(line.substr(name.size() + 1));
  return std::numeric_limits<double>::quiet_NaN();
}

TEST(MetricsTest, HistogramsAddUpByLabels) {
  Metrics metrics;
  metrics.add_request("GET", "/", 200, 0.005, 0, 64);  // a bound belongs to its bucket
  metrics.add_request("GET", "/", 200, 0.25, 0, 65);
  metrics.add_request("GET", "/", 200, 60, 100, 1 << 30);
  metrics.add_request("POST", "/translate", 404, 1, 5000, 20);
  const std::string labels = R"(http_request_method="GET",http_route="/",http_response_status_code="200")";
  const auto duration = [&](const std::string& bound) {
    return value_of(metrics, "http_server_request_duration_seconds_bucket{" + labels + ",le=\"" + bound + "\"}");
  };
  EXPECT_EQ(duration("0.005"), 1);
  EXPECT_EQ(duration("0.1"), 1);
  EXPECT_EQ(duration("0.25"), 2);
  EXPECT_EQ(duration("10"), 2);
  EXPECT_EQ(duration("+Inf"), 3);
  EXPECT_DOUBLE_EQ(value_of(metrics, "http_server_request_duration_seconds_sum{" + labels + '}'), 60.255);
  EXPECT_EQ(value_of(metrics, "http_server_request_duration_seconds_count{" + labels + '}'), 3);
  const auto sent = [&](const std::string& bound) {
    return value_of(metrics, "http_server_response_body_size_bytes_bucket{" + labels + ",le=\"" + bound + "\"}");
  };
  EXPECT_EQ(sent("64"), 1);
  EXPECT_EQ(sent("256"), 2);
  EXPECT_EQ(sent("16777216"), 2);
  EXPECT_EQ(sent("+Inf"), 3);
  EXPECT_EQ(value_of(metrics, "http_server_response_body_size_bytes_sum{" + labels + '}'), (1 << 30) + 129);
  EXPECT_EQ(value_of(metrics, "http_server_request_body_size_bytes_sum{" + labels + '}'), 100);
}

TEST(MetricsTest, CountersBeginAtZeroAndLoseNoDigits) {
  Metrics metrics;
  EXPECT_EQ(value_of(metrics, "gloss_source_characters_total"), 0);
  EXPECT_EQ(value_of(metrics, "gloss_queue_wait_seconds_count"), 0);
  metrics.add_characters(123'456'789'012'345);
  metrics.add_rejected("queue");
  metrics.add_rejected("key");
  metrics.add_rejected("queue");
  EXPECT_THAT(metrics.text(), HasSubstr("\ngloss_source_characters_total 123456789012345\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("\ngloss_rejected_total{reason=\"key\"} 1\n"
                                        "gloss_rejected_total{reason=\"queue\"} 2\n"));
}

TEST(MetricsTest, BatchesAreCounted) {
  Metrics metrics;
  metrics.add_batch({.lines = 3, .time = std::chrono::milliseconds(500), .longest_wait = std::chrono::milliseconds(4)});
  metrics.add_batch({.lines = 64, .time = std::chrono::milliseconds(250), .longest_wait = std::chrono::seconds(20)});
  EXPECT_EQ(value_of(metrics, "gloss_batch_sentences_bucket{le=\"2\"}"), 0);
  EXPECT_EQ(value_of(metrics, "gloss_batch_sentences_bucket{le=\"4\"}"), 1);
  EXPECT_EQ(value_of(metrics, "gloss_batch_sentences_bucket{le=\"64\"}"), 2);
  EXPECT_EQ(value_of(metrics, "gloss_batch_sentences_sum"), 67);
  EXPECT_EQ(value_of(metrics, "gloss_batch_duration_seconds_sum"), 0.75);
  EXPECT_EQ(value_of(metrics, "gloss_batch_duration_seconds_max"), 0.5);
  EXPECT_EQ(value_of(metrics, "gloss_queue_wait_seconds_bucket{le=\"0.005\"}"), 1);
  EXPECT_EQ(value_of(metrics, "gloss_queue_wait_seconds_bucket{le=\"10\"}"), 1);
}

TEST(MetricsTest, FamiliesHaveOneHeadAndLabelsAreEscaped) {
  Metrics metrics;
  for (const std::string state : {"queued", "do\"ne\\"})
    metrics.add_gauge("gloss_documents{state=" + label_value(state) + '}', "Documents.", [] { return 2.5; });
  EXPECT_THAT(metrics.text(), HasSubstr("\n# HELP gloss_documents Documents.\n# TYPE gloss_documents gauge\n"
                                        "gloss_documents{state=\"queued\"} 2.5\n"
                                        "gloss_documents{state=\"do\\\"ne\\\\\"} 2.5\n"));
}

TEST(MetricsTest, TheProcessBeganInThePast) {
  const Metrics metrics;
  const auto start = value_of(metrics, "process_start_time_seconds"), now = static_cast<double>(std::time(nullptr));
  EXPECT_GT(start, now - 3600);
  EXPECT_LE(start, now + 1);
  EXPECT_GT(value_of(metrics, "process_resident_memory_bytes"), 1e6);
}

}  // namespace
}  // namespace gloss
