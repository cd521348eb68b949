#include "run/run_tables.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "common/files/protobuf.h"

namespace gloss {
namespace {

constexpr std::array kKinds{"training", "validation"};

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string cell_text(const Json& cell) {
  return cell.is_null() ? "" : quoted(cell.is_string() ? cell.get<std::string>() : to_text(cell));
}

/// Table of the sums of CRC-32C (Castagnoli), by bytes, reflected.
constexpr std::array<std::uint32_t, 256> make_sums() {
  std::array<std::uint32_t, 256> sums{};
  for (std::uint32_t byte = 0; byte < sums.size(); ++byte) {
    auto sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0x82F63B78U : 0);
    sums[byte] = sum;
  }
  return sums;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  static constexpr auto kSums = make_sums();
  std::uint32_t sum = ~0U;
  for (const char byte : bytes) sum = sum >> 8 ^ kSums[(sum ^ static_cast<unsigned char>(byte)) & 0xFF];
  return std::rotr(~sum, 15) + 0xA282EAD8U;
}

/// Appends an unsigned number, least significant byte first.
void append_number(std::string& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i);
}

// Fields of Event, of Summary and of Summary.Value in TensorFlow's event.proto and summary.proto.
struct EventField {
  static constexpr std::uint64_t kTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
};
constexpr std::uint64_t kSummaryValue = 1;
struct ValueField {
  static constexpr std::uint64_t kTag = 1, kSimpleValue = 2;
};

ProtobufWriter event_at(double time) {
  ProtobufWriter event;
  event.add_double(EventField::kTime, time);
  return event;
}

std::string scalar(const std::string& tag, double number) {
  ProtobufWriter value;
  value.add_bytes(ValueField::kTag, tag);
  value.add_float(ValueField::kSimpleValue, static_cast<float>(number));
  return value.message();
}

void append_record(std::string& file, const std::string& record) {
  std::string length;
  append_number(length, record.size(), 8);
  file += length;
  append_number(file, masked_crc32c(length), 4);
  file += record;
  append_number(file, masked_crc32c(record), 4);
}

}  // namespace

std::string run_csv(const Json& document) {
  std::vector<std::string> columns;
  std::set<std::string> seen{"step"};
  for (const auto& run : document.at("runs"))
    for (const auto* kind : kKinds)
      for (const auto& [name, values] : run.at(kind).items())
        if (seen.insert(name).second) columns.push_back(name);
  std::string csv = "run,kind,step";
  for (const auto& name : columns) csv += ',' + name;
  csv += "\r\n";
  for (const auto& run : document.at("runs"))
    for (const auto* kind : kKinds) {
      const auto& table = run.at(kind);
      for (std::size_t row = 0; row < table.at("step").size(); ++row) {
        csv += cell_text(run.at("name")) + ',' + kind + ',' + cell_text(table.at("step")[row]);
        for (const auto& name : columns) csv += ',' + (table.contains(name) ? cell_text(table.at(name)[row]) : "");
        csv += "\r\n";
      }
    }
  return csv;
}

std::string tensorboard_events(const Json& run) {
  std::string file;
  ProtobufWriter first;
  first.add_bytes(EventField::kFileVersion, "brain.Event:2");
  append_record(file, first.message());
  for (const auto* kind : kKinds) {
    const auto& table = run.at(kind);
    for (std::size_t row = 0; row < table.at("step").size(); ++row) {
      const auto& time = table.at("time")[row];
      auto event = event_at(time.is_number() ? time.get<double>() : 0);
      event.add_number(EventField::kStep, table.at("step")[row].get<std::uint64_t>());
      ProtobufWriter summary;
      for (const auto& [name, values] : table.items())
        if (name != "step" && name != "time" && values[row].is_number())
          summary.add_bytes(kSummaryValue, scalar(kind + ('/' + name), values[row].get<double>()));
      event.add_bytes(EventField::kSummary, summary.message());
      append_record(file, event.message());
    }
  }
  return file;
}

}  // namespace gloss
