#include "serve/service/metrics.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "common/text/format.h"

namespace gloss {
namespace {

void add_head(std::string& text, std::string_view name, std::string_view help, std::string_view type) {
  text.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ");
  text.append(type).append("\n");
}

}  // namespace

void Metrics::Histogram::add(double seconds) {
  ++counts.at(static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin()));
  sum += seconds;
}

std::uint64_t Metrics::Histogram::count() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Adds the lines of a histogram. `labels` are its own, without braces.
void Metrics::print(const Histogram& histogram, std::string_view name, std::string_view labels, std::string& text) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    count += histogram.counts[i];
    const auto bound = i < kBounds.size() ? formatted("%g", kBounds[i]) : std::string("+Inf");
    text.append(name).append("_bucket{").append(labels).append(labels.empty() ? "" : ",").append("le=\"").append(bound);
    text.append("\"} ").append(std::to_string(count)).append("\n");
  }
  const auto own = labels.empty() ? std::string() : '{' + std::string(labels) + '}';
  text.append(name).append("_sum").append(own).append(formatted(" %.6f\n", histogram.sum));
  text.append(name).append("_count").append(own).append(" ").append(std::to_string(count)).append("\n");
}

void Metrics::add_request(std::string_view method, std::string_view route, int status, double seconds,
                          std::uint64_t received_bytes, std::uint64_t sent_bytes) {
  const std::lock_guard lock(mutex_);
  requests_[{std::string(method), std::string(route), status}].add(seconds);
  received_ += received_bytes;
  sent_ += sent_bytes;
}

void Metrics::add_characters(std::int64_t characters) {
  const std::lock_guard lock(mutex_);
  characters_ += static_cast<std::uint64_t>(characters);
}

void Metrics::add_rejected(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  ++rejected_[std::string(reason)];
}

void Metrics::add_deadline_exceeded() {
  const std::lock_guard lock(mutex_);
  ++deadline_exceeded_;
}

void Metrics::add_batch(const ComputedBatch& batch) {
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  const std::lock_guard lock(mutex_);
  batches_.add(seconds(batch.time));
  waits_.add(seconds(batch.longest_wait));
  batch_sentences_ += batch.lines;
  longest_batch_ = std::max(longest_batch_, seconds(batch.time));
}

void Metrics::add_gauge(std::string name, std::string help, std::function<double()> value) {
  const std::lock_guard lock(mutex_);
  gauges_.push_back({std::move(name), std::move(help), std::move(value)});
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  constexpr std::string_view kDuration = "http_server_request_duration_seconds";
  add_head(text, kDuration, "Duration of requests, by route and status.", "histogram");
  for (const auto& [labels, histogram] : requests_) {
    const auto& [method, route, status] = labels;
    const auto all = "http_request_method=" + label_value(method) + ",http_route=" + label_value(route) +
                     ",http_response_status_code=\"" + std::to_string(status) + '"';
    print(histogram, kDuration, all, text);
  }
  add_head(text, "gloss_batch_duration_seconds", "Time that the models took for a batch of sentences.", "histogram");
  print(batches_, "gloss_batch_duration_seconds", "", text);
  constexpr std::string_view kWait = "gloss_queue_wait_seconds";
  add_head(text, kWait, "Time from the call of a batch's oldest sentence to its batch.", "histogram");
  print(waits_, kWait, "", text);
  add_head(text, "gloss_batch_sentences", "Sentences of a batch.", "summary");
  text.append("gloss_batch_sentences_sum ").append(std::to_string(batch_sentences_)).append("\n");
  text.append("gloss_batch_sentences_count ").append(std::to_string(batches_.count())).append("\n");
  add_head(text, "gloss_batch_duration_seconds_max", "Time of the longest batch.", "gauge");
  text.append("gloss_batch_duration_seconds_max ").append(formatted("%.6f", longest_batch_)).append("\n");
  const auto add_counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    add_head(text, name, help, "counter");
    text.append(name).append(" ").append(std::to_string(value)).append("\n");
  };
  add_counter("http_server_request_body_bytes_total", "Bytes of bodies that were received.", received_);
  add_counter("http_server_response_bytes_total", "Bytes of answers that were sent.", sent_);
  add_counter("gloss_source_characters_total", "Characters that were translated.", characters_);
  add_counter("gloss_deadline_exceeded_total", "Requests whose deadline passed.", deadline_exceeded_);
  add_head(text, "gloss_rejected_total", "Requests that were refused, by reason.", "counter");
  for (const auto& [reason, count] : rejected_)
    text.append("gloss_rejected_total{reason=")
        .append(label_value(reason))
        .append("} ")
        .append(std::to_string(count)) += '\n';
  std::string family;  // gauges that differ in their labels follow one another
  for (const auto& [name, help, value] : gauges_) {
    const auto before = std::exchange(family, name.substr(0, name.find('{')));
    if (family != before) add_head(text, family, help, family.ends_with("_total") ? "counter" : "gauge");
    text.append(name).append(" ").append(formatted("%.9g", value())).append("\n");
  }
  return text;
}

std::string label_value(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + '"';
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  return file >> pages >> resident ? resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) : 0;
}

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double open_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator folder("/proc/self/fd", error);
  return error ? 0 : static_cast<double>(std::distance(begin(folder), end(folder))) - 1;
}

}  // namespace gloss
