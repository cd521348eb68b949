#include "interchange/formats/yaml.h"

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <streambuf>
#include <unordered_set>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

// Reads a text in parts. yaml-cpp reads ahead to the end of a line, of a text in quotes or of a list in brackets, and
// takes some hundred bytes for each character. A limit on this reading ahead limits its memory.
class TextBuffer final : public std::streambuf {
 public:
  TextBuffer(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  /// Records that everything read so far belongs to values up to the present one, which is in this line.
  void reached(int line) {
    used_ = read_;
    line_ = line;
  }

 private:
  int_type underflow() override {
    constexpr std::size_t kPart = 1024;
    if (read_ == text_.size()) return traits_type::eof();
    if (read_ - used_ >= kMaxYamlReadAhead)
      throw ModelError(name_ + ": line " + std::to_string(line_) + ": wanted a value within " +
                       std::to_string(kMaxYamlReadAhead) +
                       " bytes, got none; write each entry of a map or a list in a line of its own, without brackets");
    auto* const begin = const_cast<char*>(text_.data()) + read_;
    const auto size = std::min(kPart, text_.size() - read_);
    setg(begin, begin, begin + size);
    read_ += size;
    return traits_type::to_int_type(*begin);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t read_ = 0, used_ = 0;
  int line_ = 1;
};

// Builds the document from yaml-cpp's events. Its own tree of nodes would follow aliases, keep repeated keys and be
// complete before it could be refused.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view text, TextBuffer& buffer, const std::string& name, const YamlLimits& limits)
      : text_(text), buffer_(buffer), name_(name), limits_(limits) {}

  std::optional<YamlNode> take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    put(make(mark, "", YamlNode::Kind::kNull, null_text(mark)));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    put(make(mark, tag, YamlNode::Kind::kScalar, value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(make(mark, tag, YamlNode::Kind::kList, {}));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(make(mark, tag, YamlNode::Kind::kMap, {}));
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    YamlNode node;
    std::optional<YamlNode> key;  // of a map, before its value
  };

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw ModelError(name_ + ": line " + std::to_string(line) + ": " + what);
  }
  [[noreturn]] void refuse_anchor(const YAML::Mark& mark) const {
    fail(mark.line + 1, "wanted no anchors (&) and aliases (*), got one; write the value out");
  }

  YamlNode make(const YAML::Mark& mark, const std::string& tag, YamlNode::Kind kind, std::string text) {
    const int line = mark.line + 1;
    buffer_.reached(line);
    if (!tag.empty() && tag != "?" && tag != "!") fail(line, "wanted no tags of types, got " + printable(tag, 40));
    if (++nodes_ > limits_.nodes) fail(line, "wanted at most " + std::to_string(limits_.nodes) + " values, got more");
    return {.kind = kind, .line = line, .text = std::move(text), .quoted = tag == "!", .key = {}, .items = {}};
  }

  // Returns the word that is written for null; empty if there is none.
  std::string null_text(const YAML::Mark& mark) const {
    constexpr std::array<std::string_view, 4> kWords{"null", "Null", "NULL", "~"};
    const auto place = static_cast<std::size_t>(mark.pos);
    for (const auto word : kWords)
      if (place < text_.size() && text_.substr(place).starts_with(word)) return std::string(word);
    return {};
  }

  void open(YamlNode node) {
    if (!levels_.empty() && levels_.back().node.kind == YamlNode::Kind::kMap && !levels_.back().key)
      fail(node.line, "wanted a text as key, got a list or a map");
    if (levels_.size() == static_cast<std::size_t>(limits_.depth))
      fail(node.line, "wanted at most " + std::to_string(limits_.depth) + " levels, got more");
    levels_.push_back({std::move(node), {}});
  }

  void close() {
    auto node = std::move(levels_.back().node);
    levels_.pop_back();
    std::unordered_set<std::string_view> keys;
    for (const auto& item : node.items)
      if (node.kind == YamlNode::Kind::kMap && !keys.insert(item.key).second)
        fail(item.line, "wanted each key once, got \"" + printable(item.key, 80) + "\" twice");
    put(std::move(node));
  }

  void put(YamlNode node) {
    if (levels_.empty()) return void(root_ = std::move(node));
    auto& [parent, key] = levels_.back();
    if (parent.kind == YamlNode::Kind::kMap && !key) {
      if (node.kind == YamlNode::Kind::kNull && node.text.empty()) fail(node.line, "wanted a key, got nothing");
      return void(key = std::move(node));
    }
    if (key) {
      if (node.kind == YamlNode::Kind::kNull) node.line = key->line;  // the event has the line of the next token
      node.key = std::move(key->text);
      key.reset();
    }
    parent.items.push_back(std::move(node));
  }

  std::string_view text_;
  TextBuffer& buffer_;
  const std::string& name_;
  const YamlLimits& limits_;
  std::size_t nodes_ = 0;
  std::vector<Level> levels_;
  std::optional<YamlNode> root_;
};

}  // namespace

YamlNode parse_yaml(std::string_view text, const std::string& name, const YamlLimits& limits) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.size() > limits.bytes)
    throw ModelError(name + ": wanted at most " + std::to_string(limits.bytes) + " bytes of YAML, got " +
                     std::to_string(text.size()));
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!is_text(text)) throw ModelError(name + ": wanted YAML in UTF-8 without NUL bytes; the file is damaged");
  TextBuffer buffer(text, name);
  std::istream stream(&buffer);
  Builder builder(text, buffer, name, limits);
  try {
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) {
      auto root = builder.take_root();
      if (parser.HandleNextDocument(builder)) throw ModelError(name + ": wanted one YAML document, got several");
      if (root) return *std::move(root);
    }
  } catch (const YAML::Exception& error) {
    throw ModelError(name + ": line " + std::to_string(error.mark.line + 1) +
                     ": wanted YAML, got a fault: " + printable(error.msg, 200));
  }
  throw ModelError(name + ": wanted a YAML document, got an empty text");
}

bool has_yaml() { return true; }

}  // namespace gloss
