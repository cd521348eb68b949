#include "tests/tokenizer/training_text.h"

#include <array>
#include <fstream>
#include <string_view>

#include "tests/support/temporary_folder.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {

std::string training_text() {
  constexpr std::array<std::string_view, 9> kSentences{"A small boat crosses the wide river.",
                                                       "Two children are reading under a tree.",
                                                       "Ein kleines Boot überquert den Fluss.",
                                                       "Zwei Kinder lesen große Bücher.",
                                                       "Маленькая лодка пересекает широкую реку.",
                                                       "Μια μικρή βάρκα περνά το ποτάμι.",
                                                       "小さな船が川を渡る。",
                                                       "작은 배가 강을 건넌다.",
                                                       "एक छोटी नाव नदी पार करती है।"};
  std::string text;
  for (int round = 0; round < 3; ++round)
    for (const auto sentence : kSentences) text.append(sentence) += '\n';
  return text;
}

std::string train_on(const std::string& text, const TokenizerConfig& config) {
  const TemporaryFolder folder;
  write_text(folder / "text", text);
  const std::array files{folder / "text"};
  return train_tokenizer(files, config);
}

TokenizerConfig small_config(TokenizerType type) {
  TokenizerConfig config;
  config.type = type;
  config.vocabulary_size = type == TokenizerType::kUnigram ? 120 : 180;  // the unigram trainer finds fewer pieces
  return config;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace gloss
