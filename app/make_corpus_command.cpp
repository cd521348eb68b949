#include <filesystem>
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/command_options.h"
#include "app/commands.h"
#include "common/log.h"
#include "data/built_in_corpus.h"

namespace gloss {
namespace {

struct MakeCorpusOptions {
  CommonOptions common;
  BuiltInCorpusOptions corpus;
  std::filesystem::path out;
};

ExitCode make_corpus(const MakeCorpusOptions& options) {
  set_up(options.common);
  name_by_option({{"size", "--size"}}, [&] { make_built_in_corpus(options.corpus, options.out); });
  log_info("wrote {train,valid,test}.{source,target} to " + printable(options.out.string()));
  return ExitCode::kDone;
}

}  // namespace

void add_make_corpus_command(CLI::App& program, Action& chosen) {
  const auto options = std::make_shared<MakeCorpusOptions>();
  auto& command =
      add_command(program, "make-corpus", "Write a corpus of made-up sentences to train and test on", options->common);
  add_choice<BuiltInCorpus, BuiltInCorpus>(command, {"kind", "copy|reverse", "what the target is to be of the source"},
                                           options->corpus.kind,
                                           {{"copy", BuiltInCorpus::kCopy}, {"reverse", BuiltInCorpus::kReverse}})
      ->required();
  add_path(command, {"--out", "DIR", "the folder; made where it is not there"}, options->out)->required();
  add_whole_number(command, {"--seed", "N", "the seed of the sentences (default: 1)"}, options->corpus.seed, {});
  add_whole_number(command, {"--size", "N", "training pairs (default: 2000)"}, options->corpus.size,
                   {1, BuiltInCorpusOptions::kMostPairs});
  add_whole_number(command, {"--max-words", "N", "words in a sentence at most (default: 8)"}, options->corpus.max_words,
                   {1, BuiltInCorpusOptions::kLongestSentence});
  finish_command(command, "gloss make-corpus copy --out build/demo/corpus");
  command.callback([options, &chosen] { chosen = [options] { return make_corpus(*options); }; });
}

}  // namespace gloss
