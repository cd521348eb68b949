#include "app/input/line_editor.h"

#ifdef GLOSS_HAS_LIBEDIT

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include "common/error.h"
#include "common/system/signals.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr int kPollMilliseconds = 200;
constexpr int kHistoryLines = 1000;
constexpr char kEndOfInput = '\x04';  // Ctrl-D

/// A terminal key that libedit's own table may lack, and its command.
struct BoundKey {
  const wchar_t *name, *command;
};
constexpr auto kKeys = std::to_array<BoundKey>({{L"\\e[A", L"ed-prev-history"},
                                                {L"\\e[B", L"ed-next-history"},
                                                {L"\\e[C", L"ed-next-char"},
                                                {L"\\e[D", L"ed-prev-char"},
                                                {L"\\eOA", L"ed-prev-history"},
                                                {L"\\eOB", L"ed-next-history"},
                                                {L"\\eOC", L"ed-next-char"},
                                                {L"\\eOD", L"ed-prev-char"},
                                                {L"\\e[H", L"ed-move-to-beg"},
                                                {L"\\e[F", L"ed-move-to-end"},
                                                {L"\\eOH", L"ed-move-to-beg"},
                                                {L"\\eOF", L"ed-move-to-end"},
                                                {L"\\e[1~", L"ed-move-to-beg"},
                                                {L"\\e[4~", L"ed-move-to-end"},
                                                {L"\\e[3~", L"ed-delete-next-char"},
                                                {L"\\e[1;5C", L"em-next-word"},
                                                {L"\\e[1;5D", L"ed-prev-word"}});

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
    std::string bytes;
    while (bytes.empty() || !is_whole(bytes)) {
      if (stop_requested()) return -1;
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (::poll(&input, 1, kPollMilliseconds) <= 0) {
        is_typed_ahead_ = false;
        continue;
      }
      char byte = 0;
      const auto got = ::read(STDIN_FILENO, &byte, 1);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return static_cast<int>(got);
      // The terminal keeps a Ctrl-D that was typed before libedit took over as a zero byte.
      bytes += byte == '\0' && is_typed_ahead_ ? kEndOfInput : byte;
    }
    character = static_cast<wchar_t>(decode_utf8(bytes, 0).value.value_or(U'\ufffd'));
    return 1;
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
