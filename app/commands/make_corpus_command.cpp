#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/commands/command_options.h"
#include "app/commands/commands.h"
#include "common/error.h"
#include "common/log.h"
#include "data/built_in_corpus.h"
#include "data/demo_corpus.h"

namespace gloss {
namespace {

enum class Kind { kDemo, kCopy, kReverse };
using Language = grammar::Language;
using LanguagePair = std::pair<Language, Language>;

struct MakeCorpusOptions {
  CommonOptions common;
  Kind kind = Kind::kDemo;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> size, words, max_words;
  std::optional<LanguagePair> pair;
  std::filesystem::path out;
  bool overwrite = false;
};

std::vector<NamedFile> files_written(const std::filesystem::path& folder, bool demo) {
  std::vector<NamedFile> files;
  for (const std::string part : {"train", "valid", "test"})
    for (const auto* side : {".source", ".target"}) files.push_back({"--out", folder / (part + side)});
  if (demo) files.push_back({"--out", folder / "test.constructions"});
  return files;
}

/// Throws UsageError where one of the files exists.
void expect_new_files(const std::vector<NamedFile>& files) {
  for (const auto& [option, path] : files)
    if (std::filesystem::exists(path))
      throw UsageError(option + ": there is a " + printable(path.string()) +
                       " already; give another folder, or --overwrite to replace it");
}

void make_demo(const MakeCorpusOptions& options) {
  if (options.words || options.max_words)
    throw UsageError(std::string(options.words ? "--words" : "--max-words") +
                     ": wanted only with copy or reverse, got it with demo");
  DemoCorpusOptions corpus{.seed = options.seed};
  if (options.size) corpus.size = *options.size;
  if (options.pair) std::tie(corpus.source, corpus.target) = *options.pair;
  make_demo_corpus(corpus, options.out);
}

void make_copy(const MakeCorpusOptions& options) {
  if (options.pair) throw UsageError("--pair: wanted only with demo, got it with copy or reverse");
  BuiltInCorpusOptions corpus{.kind = options.kind == Kind::kCopy ? BuiltInCorpus::kCopy : BuiltInCorpus::kReverse,
                              .seed = options.seed};
  if (options.size) corpus.size = *options.size;
  if (options.words) corpus.words = *options.words;
  if (options.max_words) corpus.max_words = *options.max_words;
  make_built_in_corpus(corpus, options.out);
}

ExitCode make_corpus(const MakeCorpusOptions& options) {
  const bool demo = options.kind == Kind::kDemo;
  const auto files = files_written(options.out, demo);
  set_up(options.common, {{}, files});
  if (!options.overwrite) expect_new_files(files);
  name_by_option({{"size", "--size"}, {"words", "--words"}, {"max_words", "--max-words"}},
                 [&] { demo ? make_demo(options) : make_copy(options); });
  log_info("wrote {train,valid,test}.{source,target}" + std::string(demo ? " and test.constructions" : "") + " to " +
           printable(options.out.string()));
  return ExitCode::kDone;
}

}  // namespace

void add_make_corpus_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<MakeCorpusOptions>();
  auto& command =
      add_command(program, "make-corpus",
                  "Write a corpus to train and test on: sentences of a small grammar in English, German and "
                  "Chinese (demo), or made-up words to copy or reverse",
                  options->common);
  add_choice<Kind, Kind>(
      command, {"kind", "demo|copy|reverse", "sentences in two languages, or what the target is of the source"},
      options->kind, {{"demo", Kind::kDemo}, {"copy", Kind::kCopy}, {"reverse", Kind::kReverse}})
      ->required();
  add_path(command, {"--out", "DIR", "the folder; made where it is not there"}, options->out)->required();
  constexpr auto kEn = Language::kEnglish, kDe = Language::kGerman, kZh = Language::kChinese;
  add_choice<std::optional<LanguagePair>, LanguagePair>(
      command, {"--pair", "PAIR", "demo: en-de, de-en, en-zh or zh-en (default: en-de)"}, options->pair,
      {{"en-de", {kEn, kDe}}, {"de-en", {kDe, kEn}}, {"en-zh", {kEn, kZh}}, {"zh-en", {kZh, kEn}}});
  add_whole_number(command, {"--seed", "N", "the seed of the sentences (default: 1)"}, options->seed, {});
  add_whole_number(command, {"--size", "N", "training pairs (default: 25000 for demo, 2000 for the others)"},
                   options->size, {1, BuiltInCorpusOptions::kMostPairs});
  add_whole_number(command, {"--words", "N", "copy, reverse: words that there are (default: 20)"}, options->words,
                   {1, BuiltInCorpusOptions::kMostWords});
  add_whole_number(command, {"--max-words", "N", "copy, reverse: words in a sentence at most (default: 8)"},
                   options->max_words, {1, BuiltInCorpusOptions::kLongestSentence});
  add_flag(command, "--overwrite", options->overwrite, "replace files that are there already");
  finish_command(command,
                 "gloss make-corpus demo --pair en-de --out corpus\n"
                 "gloss make-corpus copy --size 500 --out corpus");
  command.callback([options, &chosen] { chosen = [options] { return make_corpus(*options); }; });
}

}  // namespace gloss
