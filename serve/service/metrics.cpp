#include "serve/service/metrics.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "common/text/format.h"

namespace gloss {
namespace {

const auto kStart = std::chrono::system_clock::now();  // the program is loaded

void add_head(std::string& text, std::string_view name, std::string_view help, std::string_view type) {
  text.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ");
  text.append(type).append("\n");
}

/// Adds a line with the fewest digits that give the value. `name` has the labels.
void add_sample(std::string& text, std::string_view name, auto value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(name).append(" ").append(digits.data(), end).append("\n");
}

/// Returns the resident memory in bytes, 0 if it is not known.
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

}  // namespace

Metrics::Metrics() {
  add_gauge("gloss_batch_duration_seconds_max", "Time of the longest batch.", [this] { return longest_batch_; });
  const auto start = std::chrono::duration<double>(kStart.time_since_epoch()).count();
  add_gauge("process_start_time_seconds", "Start of the process since 1970.", [start] { return start; });
  add_gauge("process_resident_memory_bytes", "Resident memory.", resident_bytes);
  add_gauge("process_cpu_seconds_total", "Processor time.", processor_seconds);
  add_gauge("process_open_fds", "Open descriptors.", open_descriptors);
}

void Metrics::Histogram::add(const std::string& labels, double value) {
  auto& [counts, sum] = values[labels];
  ++counts.at(static_cast<std::size_t>(std::ranges::lower_bound(bounds, value) - bounds.begin()));
  sum += value;
}

void Metrics::Histogram::print(std::string& text) const {
  add_head(text, name, help, "histogram");
  const std::string metric(name);
  for (const auto& [labels, entry] : values) {
    const auto bucket = metric + "_bucket{" + labels + (labels.empty() ? "le=\"" : ",le=\"");
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i)
      add_sample(text, bucket + formatted("%.9g\"}", bounds[i]), count += entry.counts.at(i));
    add_sample(text, bucket + "+Inf\"}", count += entry.counts.at(bounds.size()));
    const auto own = labels.empty() ? "" : '{' + labels + '}';
    add_sample(text, metric + "_sum" + own, entry.sum);
    add_sample(text, metric + "_count" + own, count);
  }
}

void Metrics::add_request(std::string_view method, std::string_view route, int status, double seconds,
                          std::uint64_t received_bytes, std::uint64_t sent_bytes) {
  const auto labels = "http_request_method=" + label_value(method) + ",http_route=" + label_value(route) +
                      ",http_response_status_code=\"" + std::to_string(status) + '"';
  const std::lock_guard lock(mutex_);
  durations_.add(labels, seconds);
  received_.add(labels, static_cast<double>(received_bytes));
  sent_.add(labels, static_cast<double>(sent_bytes));
}

void Metrics::add_characters(std::int64_t characters) {
  const std::lock_guard lock(mutex_);
  characters_.counts[""] += static_cast<std::uint64_t>(characters);
}

void Metrics::add_rejected(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  ++rejected_.counts["{reason=" + label_value(reason) + '}'];
}

void Metrics::add_deadline_exceeded() {
  const std::lock_guard lock(mutex_);
  ++deadline_exceeded_.counts[""];
}

void Metrics::add_batch(const ComputedBatch& batch) {
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  const std::lock_guard lock(mutex_);
  batches_.add("", seconds(batch.time));
  waits_.add("", seconds(batch.longest_wait));
  sentences_.add("", static_cast<double>(batch.lines));
  longest_batch_ = std::max(longest_batch_, seconds(batch.time));
}

void Metrics::add_gauge(std::string name, std::string help, std::function<double()> value) {
  const std::lock_guard lock(mutex_);
  gauges_.push_back({std::move(name), std::move(help), std::move(value)});
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto* const histogram : {&durations_, &received_, &sent_, &batches_, &waits_, &sentences_})
    histogram->print(text);
  for (const auto* const counter : {&characters_, &deadline_exceeded_, &rejected_}) {
    add_head(text, counter->name, counter->help, "counter");
    for (const auto& [labels, count] : counter->counts) add_sample(text, std::string(counter->name) + labels, count);
  }
  std::string family;  // gauges that differ in their labels follow one another
  for (const auto& [name, help, value] : gauges_) {
    const auto before = std::exchange(family, name.substr(0, name.find('{')));
    if (family != before) add_head(text, family, help, family.ends_with("_total") ? "counter" : "gauge");
    add_sample(text, name, value());
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

}  // namespace gloss
