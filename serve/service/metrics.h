#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "translation/translation_runner.h"

namespace gloss {

/// Counts what a server does, and prints it in Prometheus' text format 0.0.4, under the names of OpenTelemetry's
/// semantic conventions. No label holds text, an address or a key of a client. Thread-safe.
class Metrics {
 public:
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
  /// Upper bounds in seconds, as the conventions advise.
  static constexpr std::array kBounds = {.005, .01, .025, .05, .075, .1, .25, .5, .75, 1., 2.5, 5., 7.5, 10.};
  struct Histogram {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    double sum = 0;

    void add(double seconds);
    std::uint64_t count() const;
  };
  struct Gauge {
    std::string name, help;
    std::function<double()> value;
  };
  using RequestLabels = std::tuple<std::string, std::string, int>;  ///< method, route, status

  mutable std::mutex mutex_;
  static void print(const Histogram& histogram, std::string_view name, std::string_view labels, std::string& text);

  std::map<RequestLabels, Histogram> requests_;
  Histogram batches_, waits_;
  std::uint64_t batch_sentences_ = 0;
  double longest_batch_ = 0;  ///< in seconds
  std::uint64_t received_ = 0, sent_ = 0, deadline_exceeded_ = 0, characters_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> rejected_;
  std::vector<Gauge> gauges_;
};

/// Returns a value of a label, with its quotes.
std::string label_value(std::string_view value);
/// Returns the resident memory of the process in bytes, 0 if it is not known.
double resident_bytes();
/// Returns the processor time of the process in seconds.
double processor_seconds();
/// Returns the number of its open descriptors.
double open_descriptors();

}  // namespace gloss
