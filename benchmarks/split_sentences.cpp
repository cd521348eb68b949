// Splits paragraphs, one on each line of stdin, by the rules of a language. Prints each sentence on a line, and an
// empty line after each paragraph.

#include <iostream>
#include <string>

#include "common/sentences/sentence_splitter.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: split_sentences LANGUAGE\n";
    return 2;
  }
  const auto splitter = gloss::rule_splitter(argv[1]);
  for (std::string paragraph; std::getline(std::cin, paragraph);) {
    for (const auto& sentence : splitter->sentences(paragraph)) std::cout << sentence.of(paragraph) << '\n';
    std::cout << '\n';
  }
}
