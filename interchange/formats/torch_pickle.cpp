#include "interchange/formats/torch_pickle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxStack = 1 << 16, kMaxValues = 2'000'000;  // torch.save stacks some 2,000 values

enum class Callable { kOrderedDict, kTensor, kParameter, kStorage };
struct Name {
  std::string_view text;  ///< module and name
  Callable callable;
  at::ScalarType type = at::kFloat;  ///< of a storage
};
constexpr std::array<Name, 13> kNames = {{{"collections OrderedDict", Callable::kOrderedDict},
                                          {"torch._utils _rebuild_tensor_v2", Callable::kTensor},
                                          {"torch._utils _rebuild_parameter", Callable::kParameter},
                                          {"torch FloatStorage", Callable::kStorage, at::kFloat},
                                          {"torch HalfStorage", Callable::kStorage, at::kHalf},
                                          {"torch BFloat16Storage", Callable::kStorage, at::kBFloat16},
                                          {"torch DoubleStorage", Callable::kStorage, at::kDouble},
                                          {"torch CharStorage", Callable::kStorage, at::kChar},
                                          {"torch ShortStorage", Callable::kStorage, at::kShort},
                                          {"torch IntStorage", Callable::kStorage, at::kInt},
                                          {"torch LongStorage", Callable::kStorage, at::kLong},
                                          {"torch ByteStorage", Callable::kStorage, at::kByte},
                                          {"torch BoolStorage", Callable::kStorage, at::kByte}}};

enum class Kind { kMark, kOther, kBool, kNumber, kText, kName, kTuple, kDict, kStorage, kTensor };

/// A value on the stack. It owns nothing: `number` is an integer or the place in one of the machine's lists, so values
/// can neither nest without bound nor contain themselves.
struct Value {
  Kind kind = Kind::kOther;
  std::int64_t number = 0;
  std::string_view text = {};  ///< of the pickle
  std::size_t count = 0;       ///< of a tuple
};

using Dict = std::vector<std::pair<std::string_view, Value>>;

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::map<std::string, PickledTensor> run() {
    for (auto operation = take(1).front(); operation != '.'; operation = take(1).front())
      execute(static_cast<unsigned char>(operation));
    if (stack_.size() != 1 || stack_.front().kind != Kind::kDict || at_ != bytes_.size())
      fail("wanted one dict of tensors, as torch.save writes a state_dict(), got another object");
    const auto& dict = dicts_[place(stack_.front())];
    expect(dict.size() <= kMaxForeignTensors, "at most 200,000 tensors");
    std::map<std::string, PickledTensor> result;
    for (const auto& [key, value] : dict) {
      if (value.kind != Kind::kTensor)
        fail("wanted tensors only, as in a state_dict(), got " + printable(key, 80) + ", which is none");
      result.insert_or_assign(std::string(key), tensors_[place(value)]);
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(name_ + ": byte " + std::to_string(at_) + ": " + what);
  }
  void expect(bool holds, const char* wanted) const {
    if (!holds) fail("wanted " + std::string(wanted) + "; the file is damaged, or no state_dict() of torch.save");
  }
  /// Counts values that stay in memory until the end.
  void count(std::size_t more) {
    values_ += more;
    expect(values_ <= kMaxValues, "at most 2,000,000 values");
  }

  std::string_view take(std::size_t size) {
    expect(size <= bytes_.size() - at_, "a whole pickle, got its end");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  /// Returns an integer of `size` bytes from 0 to 8, little-endian.
  std::int64_t number(std::size_t size) {
    std::uint64_t result = 0;
    std::memcpy(&result, take(size).data(), size);
    return static_cast<std::int64_t>(result);
  }
  /// Returns a signed integer after the number of its bytes.
  std::int64_t long_number() {
    const auto size = length(1);
    expect(size >= 1 && size <= 8, "a number of 1 to 8 bytes");
    const auto unused = 64 - 8 * size;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(number(size)) << unused) >> unused;
  }
  std::size_t length(std::size_t size) { return static_cast<std::size_t>(number(size)); }
  std::string_view line() {
    auto text = take(std::min(bytes_.find('\n', at_), bytes_.size()) + 1 - at_);
    text.remove_suffix(1);
    return text;
  }

  static std::size_t place(const Value& value) { return static_cast<std::size_t>(value.number); }
  void push(const Value& value) {
    expect(stack_.size() < kMaxStack, "at most 65,536 values on the stack");
    stack_.push_back(value);
  }
  Value pop() { return pop_last(1).front(); }
  /// Removes and returns the last values.
  std::vector<Value> pop_last(std::size_t size) {
    expect(size <= stack_.size(), "values on the stack");
    std::vector<Value> values(stack_.end() - static_cast<std::ptrdiff_t>(size), stack_.end());
    stack_.resize(stack_.size() - size);
    return values;
  }
  /// Removes and returns the values after the last mark, and the mark.
  std::vector<Value> pop_marked() {
    const auto mark = std::ranges::find(stack_.rbegin(), stack_.rend(), Kind::kMark, &Value::kind);
    expect(mark != stack_.rend(), "a mark on the stack");
    auto values = pop_last(static_cast<std::size_t>(mark - stack_.rbegin()));
    stack_.pop_back();
    return values;
  }
  void push_tuple(std::span<const Value> values) {
    count(values.size());
    push({Kind::kTuple, std::ssize(items_), {}, values.size()});
    items_.insert(items_.end(), values.begin(), values.end());
  }
  void push_dict() {
    count(1);
    push({Kind::kDict, std::ssize(dicts_)});
    dicts_.emplace_back();
  }
  std::span<const Value> items(const Value& tuple) const {
    return std::span(items_).subspan(place(tuple), tuple.count);
  }

  void put(std::size_t index) {
    // The pickler numbers values one after the other.
    expect(index <= memo_.size() && !stack_.empty(), "a value to remember");
    count(1);
    memo_.resize(std::max(memo_.size(), index + 1));
    memo_[index] = stack_.back();
  }
  void get(std::size_t index) {
    expect(index < memo_.size(), "a value that was remembered");
    push(memo_[index]);
  }

  void set_items(std::span<const Value> values) {
    expect(values.size() % 2 == 0 && !stack_.empty() && stack_.back().kind == Kind::kDict, "a dict and its items");
    auto& dict = dicts_[place(stack_.back())];
    count(values.size());
    for (std::size_t i = 0; i < values.size(); i += 2) {
      expect(values[i].kind == Kind::kText, "texts as keys");
      dict.emplace_back(values[i].text, values[i + 1]);
    }
  }

  void push_name() {
    const auto module = line(), name = line();
    const auto text = std::string(module) + ' ' + std::string(name);
    const auto known = std::ranges::find(kNames, text, &Name::text);
    if (known == kNames.end())
      fail("wanted the names of tensors, storages and OrderedDict, got " + printable(text, 80) +
           "; save the state_dict() alone");
    push({Kind::kName, known - kNames.begin()});
  }

  static bool has_kinds(std::span<const Value> values, std::initializer_list<Kind> kinds) {
    return std::ranges::equal(values, kinds, {}, &Value::kind);
  }

  void push_storage() {
    const auto id = pop();
    expect(id.kind == Kind::kTuple, "a storage");
    const auto parts = items(id);  // "storage", type, key, device, number of elements
    expect(has_kinds(parts, {Kind::kText, Kind::kName, Kind::kText, Kind::kText, Kind::kNumber}) &&
               parts[0].text == "storage" && kNames.at(place(parts[1])).callable == Callable::kStorage &&
               parts[4].number >= 0 && tensors_.size() < 2 * kMaxForeignTensors,
           "a storage with a type, a key and a size");
    count(1);
    push({Kind::kStorage, std::ssize(tensors_)});
    auto& storage = tensors_.emplace_back();
    storage.info.type = kNames.at(place(parts[1])).type;
    storage.storage = parts[2].text;
    storage.storage_elements = static_cast<std::uint64_t>(parts[4].number);
  }

  void call() {
    const auto arguments = pop(), name = pop();
    expect(arguments.kind == Kind::kTuple && name.kind == Kind::kName, "a call with arguments");
    const auto parts = items(arguments);
    const auto& [text, callable, type] = kNames.at(place(name));
    if (callable == Callable::kStorage) fail("wanted a storage by its key, got a call of " + std::string(text));
    if (callable == Callable::kTensor) return push_tensor(parts);
    if (callable == Callable::kOrderedDict) {
      expect(parts.empty(), "an OrderedDict that is filled later");
      return push_dict();
    }
    expect(has_kinds(parts, {Kind::kTensor, Kind::kBool, Kind::kDict}), "a parameter's tensor");
    push({Kind::kTensor, parts[0].number});
  }

  std::vector<std::int64_t> sizes(const Value& tuple) const {
    std::vector<std::int64_t> result;
    expect(tuple.count <= kMaxForeignDimensions, "at most 8 dimensions");
    for (const auto& item : items(tuple)) {
      expect(item.kind == Kind::kNumber && item.number >= 0, "sizes and strides from 0");
      result.push_back(item.number);
    }
    return result;
  }

  // Storage, offset, sizes, strides, requires_grad, hooks; in some versions metadata.
  void push_tensor(std::span<const Value> parts) {
    if (parts.size() == 7) parts = parts.first(6);
    expect(has_kinds(parts, {Kind::kStorage, Kind::kNumber, Kind::kTuple, Kind::kTuple, Kind::kBool, Kind::kDict}) &&
               parts[1].number >= 0 && parts[2].count == parts[3].count && tensors_.size() < 2 * kMaxForeignTensors,
           "a tensor with a storage, an offset, sizes and strides");
    auto tensor = tensors_[place(parts[0])];
    tensor.offset = static_cast<std::uint64_t>(parts[1].number);
    tensor.info.shape = sizes(parts[2]);
    tensor.strides = sizes(parts[3]);
    const auto elements = checked_byte_count(tensor.info, name_) / c10::elementSize(tensor.info.type);
    bool fits = tensor.offset < tensor.storage_elements && elements <= tensor.storage_elements;
    auto after = tensor.storage_elements - 1 - tensor.offset;  // the elements of the storage after the last one reached
    for (std::size_t i = 0; fits && elements > 0 && i < tensor.strides.size(); ++i) {
      const auto steps = static_cast<std::uint64_t>(tensor.info.shape[i]) - 1,
                 stride = static_cast<std::uint64_t>(tensor.strides[i]);
      fits = stride == 0 || steps <= after / stride;
      after -= fits ? steps * stride : 0;
    }
    expect(elements == 0 || fits, "a tensor within its storage");
    count(1);
    push({Kind::kTensor, std::ssize(tensors_)});
    tensors_.push_back(std::move(tensor));
  }

  void execute(unsigned char operation) {
    switch (operation) {
      case 0x80:
        return expect(number(1) == 2, "a pickle of protocol 2");
      case '(':
        return push({Kind::kMark});
      case 'G':  // a float of the metadata
        take(8);
        [[fallthrough]];
      case 'N':
        return push({Kind::kOther});
      case 0x88:
      case 0x89:
        return push({Kind::kBool});
      case 'K':
      case 'M':
        return push({Kind::kNumber, number(operation == 'K' ? 1 : 2)});
      case 'J':
        return push({Kind::kNumber, static_cast<std::int32_t>(number(4))});
      case 0x8a:
        return push({Kind::kNumber, long_number()});
      case 'X': {
        const auto size = length(4);
        expect(size <= kMaxForeignNameBytes, "texts of at most 256 bytes");
        return push({Kind::kText, 0, take(size)});
      }
      case 'c':
        return push_name();
      case 't':
        return push_tuple(pop_marked());
      case ')':
      case 0x85:
      case 0x86:
      case 0x87:
        return push_tuple(pop_last(operation == ')' ? 0 : operation - 0x84U));
      case '}':
        return push_dict();
      case 's':
      case 'u':
        return set_items(operation == 's' ? pop_last(2) : pop_marked());
      case 'b':  // the attributes of an OrderedDict: its _metadata, the versions of the modules
        return expect(pop().kind == Kind::kDict && !stack_.empty() && stack_.back().kind == Kind::kDict,
                      "a dict's attributes");
      case 'R':
        return call();
      case 'Q':
        return push_storage();
      case 'q':
      case 'r':
        return put(length(operation == 'q' ? 1 : 4));
      case 'h':
      case 'j':
        return get(length(operation == 'h' ? 1 : 4));
      default:
        fail("wanted an operation that torch.save writes for tensors, got \"" + printable(bytes_.substr(at_ - 1, 1)) +
             "\"; the file is damaged, or no state_dict()");
    }
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0, values_ = 0;
  std::vector<Value> stack_, memo_, items_;  // items_: of all tuples
  std::vector<Dict> dicts_;
  std::vector<PickledTensor> tensors_;  // and storages
};

}  // namespace

std::map<std::string, PickledTensor> parse_torch_pickle(std::string_view bytes, const std::string& name) {
  return Machine(bytes, name).run();
}

}  // namespace gloss
