#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/make_corpus_options.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "data/built_in_corpus.h"
#include "data/demo_corpus.h"

namespace gloss {
namespace {

std::vector<NamedFile> files_written(const std::filesystem::path& folder, bool demo) {
  std::vector<NamedFile> files;
  for (const std::string part : {"train", "valid", "test"})
    for (const auto* side : {".source", ".target"}) files.push_back({"--out", folder / (part + side)});
  if (demo) files.push_back({"--out", folder / "test.constructions"});
  return files;
}

/// Throws UsageError if one of the files exists.
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
  BuiltInCorpusOptions corpus{
      .kind = options.kind == CorpusKind::kCopy ? BuiltInCorpus::kCopy : BuiltInCorpus::kReverse, .seed = options.seed};
  if (options.size) corpus.size = *options.size;
  if (options.words) corpus.words = *options.words;
  if (options.max_words) corpus.max_words = *options.max_words;
  make_built_in_corpus(corpus, options.out);
}

}  // namespace

ExitCode run(const MakeCorpusOptions& options) {
  const bool demo = options.kind == CorpusKind::kDemo;
  const auto files = files_written(options.out, demo);
  set_up(options.common, {{}, files});
  if (!options.overwrite) expect_new_files(files);
  name_by_option({{"size", "--size"}, {"words", "--words"}, {"max_words", "--max-words"}},
                 [&] { demo ? make_demo(options) : make_copy(options); });
  log_info("wrote {train,valid,test}.{source,target}" + std::string(demo ? " and test.constructions" : "") + " to " +
           printable(options.out.string()));
  return ExitCode::kDone;
}

}  // namespace gloss
