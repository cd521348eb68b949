#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/grammar/lexicon.h"

namespace gloss {

struct DemoCorpusOptions {
  grammar::Language source = grammar::Language::kEnglish;
  grammar::Language target = grammar::Language::kGerman;
  std::uint64_t seed = 1;
  std::int64_t size = 25000;  ///< training pairs, 1000 to 1000000; a fiftieth for validation, 6 in 100 for the test
};

/// A sentence in two languages.
struct DemoPair {
  std::string source, target;
  std::string construction;               ///< the name of its construction
  std::vector<std::string> combinations;  ///< the words that it combines (data/grammar/held_out.h)
};

struct DemoCorpus {
  std::vector<DemoPair> train, valid, test;
};

/// Sentences of the grammar that docs/built_in_corpus.md describes.
///
/// No source stands there twice. By the seed a part of the combinations of words is held out: none of them is in train
/// or valid, and each test sentence has at least one; each of its words is in train. The test has each construction as
/// often as any other. Equal options give equal sentences on every machine.
///
/// Throws UsageError where an option is out of range or the grammar has not enough sentences.
DemoCorpus draw_demo_corpus(const DemoCorpusOptions& options);

/// Writes them as {train,valid,test}.{source,target} into `folder` (made where absent), and test.constructions with the
/// name of each test sentence's construction. Throws as draw_demo_corpus, and IoError where the folder cannot be made
/// or written.
void make_demo_corpus(const DemoCorpusOptions& options, const std::filesystem::path& folder);

}  // namespace gloss
