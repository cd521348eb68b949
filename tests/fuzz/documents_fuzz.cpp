// Documents: one that is accepted keeps its bytes if its texts stay, and is accepted after its translation, too. An
// input is the number of a format as a letter, a byte of settings and a document: bytes, or entries (archive_input.h).

#include <memory>
#include <optional>
#include <vector>

#include "common/files/atomic_file.h"
#include "common/text/letter_case.h"
#include "documents/document.h"
#include "documents/translate_document.h"
#include "tests/documents/model/document_helpers.h"
#include "tests/documents/model/reader_helpers.h"
#include "tests/fuzz/archive_input.h"

namespace gloss {
namespace {

/// Writes a sentence in capitals, its words in the reverse order if `reorders`, and without its last word otherwise.
class FakeTranslator final : public SentenceTranslator {
 public:
  explicit FakeTranslator(bool reorders) : reorders_(reorders) {}

  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override {
    std::vector<SentenceTranslation> result;
    for (const auto& sentence : sentences) {
      expect(is_text(sentence.text) && sentence.text.find('\n') == sentence.text.npos);
      auto words = spaced_words(sentence.text);
      if (reorders_)
        std::ranges::reverse(words);
      else if (words.size() > 1)
        words.pop_back();
      auto& translation = result.emplace_back();
      for (const auto& word : words) {
        if (!translation.text.empty()) translation.text += ' ';
        const auto begin = translation.text.size();
        translation.text += shouted({std::string(word.of(sentence.text)), {}}).text;
        if (reorders_) translation.links.push_back({{begin, translation.text.size()}, word});
      }
      translation.tokens = words.size();
    }
    return result;
  }
  bool fits(std::string_view sentence) const override { return sentence.size() <= 200; }
  bool can_spell(std::string_view text) const override { return text.find('!') == text.npos; }
  std::vector<TextSpan> phrases(std::string_view) const override { return {}; }

 private:
  bool reorders_;
};

struct Job {
  DocumentSettings settings;
  bool is_archive = false;

  /// Returns the document that `take` makes of the units of one; nothing if it is refused.
  std::optional<std::string> output(const std::string& bytes, const std::function<void(Document&)>& take) const {
    std::string text;
    if (is_read([&] {
          const auto out = is_archive ? put_input("out", "") : std::filesystem::path();
          const auto document =
              is_archive ? open_document(put_input("in", bytes), out, settings) : open_text(bytes, text, settings);
          take(*document);
          document->finish();
          if (is_archive) text = read_file(out, 1 << 30);
        }))
      return text;
    return std::nullopt;
  }
};

void keep(Document& document) {
  while (const auto passage = document.next()) {
    for (const auto& unit : passage->units) {
      expect(is_text(unit.source.text) && is_well_nested(unit.source));
      for (const auto& element : unit.source.elements) expect(element.source.end <= passage->bytes.size());
    }
    document.write(rendered_passage(*passage, unchanged));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input = input_text(data, size);
  const auto& formats = document_formats();
  const auto& format = formats[(take_byte(input) - 'a') % formats.size()];
  const auto mode = take_byte(input);
  Job job;
  job.settings.format = format.name;
  job.is_archive = format.name == "epub";
  for (const auto ending : format.endings)
    job.is_archive |=
        ending == ".docx" || ending == ".pptx" || ending == ".xlsx" || ending == ".odt" || ending == ".odp";
  job.settings.overwrite_translations = format.has_translations && mode % 2 == 1;
  if (format.name == "txt") job.settings.mode = kSentenceModes[mode % kSentenceModes.size()].second;
  const auto bytes = job.is_archive ? archive_input(input) : std::string(input);

  const auto kept = job.output(bytes, keep);
  if (!kept) return 0;
  // Pages state another charset, and halves of surrogate pairs in UTF-16 become U+FFFD.
  const bool may_change = !is_utf8(bytes) || lower_ascii(bytes).find("charset") != bytes.npos;
  if (!format.has_translations && !job.is_archive) expect(may_change || *kept == bytes);
  expect(job.output(*kept, keep).has_value());
  job.settings.source_language = "en", job.settings.target_language = "de";
  const FakeTranslator sentences(mode & 2);
  const UnitTranslator translator(sentences, options_for("en", mode & 4 ? "tr" : "de"));
  const auto translated = job.output(bytes, [&](Document& document) { translate_document(document, translator); });
  expect(translated && job.output(*translated, keep));
  return 0;
}

}  // namespace gloss
