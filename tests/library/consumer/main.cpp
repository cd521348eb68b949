// translate_lines MODEL: translates the lines of stdin to stdout, and prints the tokens of the first line on stderr.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <gloss/translator.h>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: translate_lines MODEL < input.txt\n";
    return 2;
  }
  const gloss::Translator translator(argv[1], {.device = "cpu", .threads = 1});

  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);

  gloss::TranslationOptions options;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::minutes(10);
  for (const auto& translation : translator.translate(lines, options))
    std::cout << (translation.complete() ? translation.text() : "(out of time)") << '\n';

  options.beam_size = 1;
  options.on_token = [](const gloss::StreamedToken& token) {
    std::cerr << token.piece << (token.end ? "\n" : " ");
    return true;  // false ends the call
  };
  if (!lines.empty()) translator.translate_line(lines.front(), options);
} catch (const gloss::TranslatorError& error) {
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.kind());
}
