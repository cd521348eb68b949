#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/grammar/lexicon.h"

namespace gloss {

/// Options of draw_demo_corpus.
struct DemoCorpusOptions {
  grammar::Language source = grammar::Language::kEnglish;
  grammar::Language target = grammar::Language::kGerman;
  std::uint64_t seed = 1;
  std::int64_t size = 25000;  ///< training pairs, 1000 to 1000000; validation has 2 % as many, the test 6 %
};

/// A sentence in two languages.
struct DemoPair {
  std::string source, target;
  std::string construction;               ///< the name of its construction
  std::vector<std::string> combinations;  ///< the words that it combines (data/grammar/draw.h)
};

/// The three sets of a built-in corpus.
struct DemoCorpus {
  std::vector<DemoPair> train, valid, test;
};

/// Draws sentence pairs from the grammar that docs/built_in_corpus.md describes.
///
/// No source occurs twice. A share of the word combinations, chosen by the seed, is held out: train and valid have none
/// of them, and each test sentence has at least one. Each word of the test occurs in train. The test has each
/// construction equally often. Equal options give equal sentences on every machine.
///
/// Throws UsageError if an option is out of range or the grammar has too few sentences.
DemoCorpus draw_demo_corpus(const DemoCorpusOptions& options);

/// Writes the corpus into `folder`, which is created if it is missing: {train,valid,test}.{source,target}, and
/// test.constructions with the name of each test sentence's construction. Throws as draw_demo_corpus, and IoError if
/// the folder cannot be created or written.
void make_demo_corpus(const DemoCorpusOptions& options, const std::filesystem::path& folder);

}  // namespace gloss
