#include "app/input/line_editor.h"

#ifdef GLOSS_HAS_LIBEDIT

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string_view>
#include <utility>

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include "app/input/typed_text.h"
#include "common/error.h"
#include "common/system/signals.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr int kPollMilliseconds = 200;
constexpr int kHistoryLines = 1000;
constexpr std::size_t kMaxSequenceBytes = 64;
constexpr char kEndOfInput = '\x04';  // Ctrl-D

/// A terminal key that libedit's own table may lack, and its command.
struct BoundKey {
  const char* bytes;
  const wchar_t *name, *command;
};
constexpr auto kKeys = std::to_array<BoundKey>({{"\x1b[A", L"\\e[A", L"ed-prev-history"},
                                                {"\x1b[B", L"\\e[B", L"ed-next-history"},
                                                {"\x1b[C", L"\\e[C", L"ed-next-char"},
                                                {"\x1b[D", L"\\e[D", L"ed-prev-char"},
                                                {"\x1bOA", L"\\eOA", L"ed-prev-history"},
                                                {"\x1bOB", L"\\eOB", L"ed-next-history"},
                                                {"\x1bOC", L"\\eOC", L"ed-next-char"},
                                                {"\x1bOD", L"\\eOD", L"ed-prev-char"},
                                                {"\x1b[H", L"\\e[H", L"ed-move-to-beg"},
                                                {"\x1b[F", L"\\e[F", L"ed-move-to-end"},
                                                {"\x1bOH", L"\\eOH", L"ed-move-to-beg"},
                                                {"\x1bOF", L"\\eOF", L"ed-move-to-end"},
                                                {"\x1b[1~", L"\\e[1~", L"ed-move-to-beg"},
                                                {"\x1b[4~", L"\\e[4~", L"ed-move-to-end"},
                                                {"\x1b[3~", L"\\e[3~", L"ed-delete-next-char"},
                                                {"\x1b[1;5C", L"\\e[1;5C", L"em-next-word"},
                                                {"\x1b[1;5D", L"\\e[1;5D", L"ed-prev-word"}});

bool is_bound(std::string_view sequence) {
  for (const auto& key : kKeys)
    if (sequence == key.bytes) return true;
  return sequence.size() == 2 && sequence[1] != '[' && sequence[1] != 'O';  // Meta and a letter
}

/// Selects a Unicode locale whatever LANG is set to, because libedit draws characters by the locale's table.
void use_unicode() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

class LibeditEditor final : public LineEditor {
 public:
  LibeditEditor() {
    use_unicode();
    editor_ = ::el_init("gloss", stdin, stdout, stderr);
    history_ = ::history_winit();
    if (editor_ == nullptr || history_ == nullptr) throw IoError("the terminal: cannot edit lines");
    HistEventW event;
    ::history_w(history_, &event, H_SETSIZE, kHistoryLines);
    ::history_w(history_, &event, H_SETUNIQUE, 1);
    ::el_wset(editor_, EL_CLIENTDATA, this);
    ::el_wset(editor_, EL_PROMPT, prompt);
    ::el_wset(editor_, EL_EDITOR, L"emacs");
    ::el_wset(editor_, EL_HIST, history_w, history_);
    ::el_wset(editor_, EL_GETCFN, next_character);
    for (const auto& key : kKeys) ::el_wset(editor_, EL_BIND, key.name, key.command, nullptr);
    ::el_wset(editor_, EL_BIND, L"^I", L"ed-insert", nullptr);
    ::el_source(editor_, nullptr);  // the user's .editrc
  }
  ~LibeditEditor() override {
    ::el_end(editor_);
    ::history_wend(history_);
  }
  LibeditEditor(const LibeditEditor&) = delete;
  LibeditEditor& operator=(const LibeditEditor&) = delete;

  std::optional<std::string> read_line() override {
    ::el_resize(editor_);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    is_typed_ahead_ = ::poll(&input, 1, 0) > 0;
    int count = 0;
    const wchar_t* typed = ::el_wgets(editor_, &count);
    if (typed == nullptr || count <= 0 || stop_requested()) {
      std::fputc('\n', stdout);  // so that the shell's prompt begins a line
      std::fflush(stdout);
      return std::nullopt;
    }
    std::wstring line(typed, static_cast<std::size_t>(count));
    while (line.ends_with(L'\n') || line.ends_with(L'\r')) line.pop_back();
    if (!line.empty()) {
      HistEventW event;
      ::history_w(history_, &event, H_ENTER, line.c_str());
    }
    std::string text;
    for (const auto c : line) append_utf8(static_cast<char32_t>(c), text);
    return text;
  }

 private:
  static wchar_t* prompt(EditLine*) {
    static std::array<wchar_t, 3> text = {L'>', L' ', L'\0'};
    return text.data();
  }

  /// Reads the next character for libedit. Returns 1 with a character, 0 at the end, -1 if a stop was requested.
  static int next_character(EditLine* editor, wchar_t* character) {
    LibeditEditor* self = nullptr;
    ::el_wget(editor, EL_CLIENTDATA, &self);
    return self->next(*character);
  }

  int next(wchar_t& character) {
    while (ready_.empty())
      if (const int got = read_some(); got <= 0) return got;
    character = ready_.front();
    ready_.pop_front();
    return 1;
  }

  /// Reads from the terminal and moves the complete characters to `ready_`. Drops sequences that belong to no key.
  int read_some() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (stop_requested()) return -1;
    if (::poll(&input, 1, kPollMilliseconds) <= 0) {
      if (!bytes_.empty()) take_bytes(/*more_may_come=*/false);
      return 1;
    }
    std::array<char, 4096> buffer;
    const auto got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN ? 1 : -1;
    if (got == 0) return 0;
    // The terminal keeps a Ctrl-D that was typed before libedit took over as a zero byte.
    if (is_typed_ahead_) std::replace(buffer.begin(), buffer.begin() + got, '\0', kEndOfInput);
    is_typed_ahead_ = false;
    bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    take_bytes(/*more_may_come=*/true);
    return 1;
  }

  /// Moves the complete characters and sequences of `bytes_` to `ready_`. An incomplete sequence counts as complete
  /// unless `more_may_come`.
  void take_bytes(bool more_may_come) {
    std::size_t taken = 0;
    while (taken < bytes_.size()) {
      const auto rest = std::string_view(bytes_).substr(taken);
      const auto [bytes, complete] = control_sequence(rest);
      if (bytes > 0) {
        if (!complete && more_may_come && rest.size() < kMaxSequenceBytes) break;
        if (is_bound(rest.substr(0, bytes)))
          for (const char c : rest.substr(0, bytes)) ready_.push_back(static_cast<wchar_t>(c));
        taken += bytes;
        continue;
      }
      const auto point = decode_utf8(rest, 0);
      if (!point.value && more_may_come && !is_whole(rest)) break;
      ready_.push_back(static_cast<wchar_t>(point.value.value_or(U'\ufffd')));
      taken += point.bytes;
    }
    bytes_.erase(0, taken);
  }

  /// Returns whether the bytes at the beginning are a complete character or cannot become one.
  static bool is_whole(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes.front());
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || bytes.size() >= length) return true;
    return std::ranges::any_of(bytes.substr(1), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  }

  EditLine* editor_ = nullptr;
  HistoryW* history_ = nullptr;
  bool is_typed_ahead_ = false;  ///< the next bytes were typed before libedit took over the terminal
  std::string bytes_;            ///< of a character or a sequence that is not complete
  std::deque<wchar_t> ready_;    ///< not yet taken by libedit
};

}  // namespace

bool has_line_editing() { return true; }

std::unique_ptr<LineEditor> make_line_editor() {
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return nullptr;
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) return nullptr;
  return std::make_unique<LibeditEditor>();
}

}  // namespace gloss

#else

namespace gloss {

bool has_line_editing() { return false; }

std::unique_ptr<LineEditor> make_line_editor() { return nullptr; }

}  // namespace gloss

#endif
