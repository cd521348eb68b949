#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translation/translation_runner.h"

namespace gloss {

/// Counts what a server does, and prints it in Prometheus' text format 0.0.4, under the names of OpenTelemetry's
/// semantic conventions. No label holds text, an address or a key of a client. Thread-safe.
class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  /// Counts a request. `route` is the path of a known route, "other" for others.
  void add_request(std::string_view method, std::string_view route, int status, double seconds,
                   std::uint64_t received_bytes, std::uint64_t sent_bytes);
  /// Counts characters that were translated.
  void add_characters(std::int64_t characters);
  /// Counts a request that was refused: "queue", "rate", "key", "characters", "host".
  void add_rejected(std::string_view reason);
  void add_deadline_exceeded();
  /// Counts a batch that the models have translated.
  void add_batch(const ComputedBatch& batch);
  /// Adds a number that is asked for when the metrics are printed.
  void add_gauge(std::string name, std::string help, std::function<double()> value);

  std::string text() const;

 private:
  struct Counter {
    std::string_view name, help;
    std::map<std::string, std::uint64_t> counts;  ///< by labels: {reason="queue"}, or ""
  };
  struct Histogram {
    static constexpr std::size_t kMaxBounds = 14;
    struct Values {
      std::array<std::uint64_t, kMaxBounds + 1> counts{};  ///< up to each bound, and beyond the last
      double sum = 0;
    };

    std::string_view name, help;
    std::span<const double> bounds;
    std::map<std::string, Values> values;  ///< by labels: method="GET",route="/", or ""

    void add(const std::string& labels, double value);
    void print(std::string& text) const;
  };
  struct Gauge {
    std::string name, help;
    std::function<double()> value;
  };
  /// Bounds in seconds as the conventions advise, in bytes and in sentences.
  static constexpr std::array kSeconds = {.005, .01, .025, .05, .075, .1, .25, .5, .75, 1., 2.5, 5., 7.5, 10.};
  static constexpr std::array kBytes = {64.,    256.,    1024.,    4096.,    16384.,
                                        65536., 262144., 1048576., 4194304., 16777216.};
  static constexpr std::array kSentences = {1., 2., 4., 8., 16., 32., 64., 128., 256.};

  mutable std::mutex mutex_;
  Histogram durations_{"http_server_request_duration_seconds", "Duration of requests.", kSeconds, {}};
  Histogram received_{"http_server_request_body_size_bytes", "Bytes of the bodies of requests.", kBytes, {}};
  Histogram sent_{"http_server_response_body_size_bytes", "Bytes of the bodies of answers.", kBytes, {}};
  Histogram batches_{"gloss_batch_duration_seconds", "Time of the models for a batch.", kSeconds, {{"", {}}}};
  Histogram waits_{"gloss_queue_wait_seconds", "Time from a batch's oldest call to it.", kSeconds, {{"", {}}}};
  Histogram sentences_{"gloss_batch_sentences", "Sentences of a batch.", kSentences, {{"", {}}}};
  Counter characters_{"gloss_source_characters_total", "Characters that were translated.", {{"", 0}}};
  Counter deadline_exceeded_{"gloss_deadline_exceeded_total", "Requests whose deadline passed.", {{"", 0}}};
  Counter rejected_{"gloss_rejected_total", "Requests that were refused, by reason.", {}};
  double longest_batch_ = 0;  ///< in seconds
  std::vector<Gauge> gauges_;
};

/// Returns a value of a label, with its quotes.
std::string label_value(std::string_view value);

}  // namespace gloss
