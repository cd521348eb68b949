#include "app/options/make_corpus_options.h"

#include <array>
#include <memory>
#include <string_view>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/options/command.h"
#include "data/built_in_corpus.h"

namespace gloss {
namespace {

constexpr std::array<std::pair<std::string_view, CorpusKind>, 3> kKinds{
    {{"demo", CorpusKind::kDemo}, {"copy", CorpusKind::kCopy}, {"reverse", CorpusKind::kReverse}}};

constexpr auto kEn = grammar::Language::kEnglish, kDe = grammar::Language::kGerman, kZh = grammar::Language::kChinese;
constexpr std::array<std::pair<std::string_view, LanguagePair>, 4> kPairs{
    {{"en-de", {kEn, kDe}}, {"de-en", {kDe, kEn}}, {"en-zh", {kEn, kZh}}, {"zh-en", {kZh, kEn}}}};

}  // namespace

void add_make_corpus_command(CLI::App& program, Command& chosen) {
  const auto options = std::make_shared<MakeCorpusOptions>();
  auto& command =
      add_command(program, "make-corpus",
                  "Write a corpus to train and test on: sentences of a small grammar in English, German and "
                  "Chinese (demo), or made-up words to copy or reverse",
                  options->common);
  add_choice(command,
             {.help = "write sentences in two languages, or targets that copy or reverse their sources",
              .flag = "kind",
              .placeholder = "demo|copy|reverse"},
             options->kind, kKinds)
      ->required();
  add_option(command,
             {.help = "write the files to this folder; created if missing", .flag = "--out", .placeholder = "DIR"},
             options->out)
      ->required();
  add_choice(
      command,
      {.help = "demo: write this pair of languages", .flag = "--pair", .shown_default = "en-de", .placeholder = "PAIR"},
      options->pair, kPairs);
  add_option(command,
             {.help = "draw sentences with this seed", .range = at_least(0), .flag = "--seed", .shown_default = "1"},
             options->seed);
  add_option(command,
             {.help = "write N training pairs",
              .range = between(1, BuiltInCorpusOptions::kMaxPairs),
              .flag = "--size",
              .shown_default = "25000 for demo, else 2000"},
             options->size);
  add_option(command,
             {.help = "copy, reverse: use a vocabulary of N words",
              .range = between(1, BuiltInCorpusOptions::kMaxWords),
              .flag = "--words",
              .shown_default = "20"},
             options->words);
  add_option(command,
             {.help = "copy, reverse: write sentences of at most N words",
              .range = between(1, BuiltInCorpusOptions::kMaxSentenceWords),
              .flag = "--max-words",
              .shown_default = "8"},
             options->max_words);
  add_option(command, {.help = "replace files that exist", .flag = "--overwrite"}, options->overwrite);
  finish_command(command,
                 "gloss make-corpus demo --pair en-de --out corpus\n"
                 "gloss make-corpus copy --size 500 --out corpus");
  command.callback([options, &chosen] { chosen = Parsed<MakeCorpusOptions>(options); });
}

}  // namespace gloss
