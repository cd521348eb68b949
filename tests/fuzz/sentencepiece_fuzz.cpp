// SentencePiece models: one that is accepted is equal when it is written anew, and encodes and decodes any line. An
// input is a line and a model, or a stored tokenizer with a vocabulary of its own.

#include "common/text/visible_text.h"
#include "tests/fuzz/fuzz_input.h"
#include "tokenizer/sentencepiece_library.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

void check_tokenizer(const Tokenizer& tokenizer, const std::string& line) {
  const auto ids = tokenizer.encode(line);
  const auto spans = tokenizer.encode_with_spans(line);
  expect(spans.ids == ids && spans.spans.size() == ids.size() && spans.text == line);
  std::size_t end = 0;
  for (const auto& span : spans.spans) {
    expect(span.begin <= span.end && span.end <= line.size() && span.end >= end);
    end = span.end;
  }
  for (const auto id : ids) expect(id >= 0 && id < tokenizer.vocabulary_size() && is_utf8(tokenizer.piece(id)));
  const auto text = tokenizer.decode(ids);
  const auto decoded = tokenizer.decode_with_spans(ids);
  expect(is_utf8(text) && decoded.text == text && decoded.spans.size() == ids.size());
  for (const auto& span : decoded.spans) expect(span.begin <= span.end && span.end <= text.size());
  is_read<ModelError>([&] { expect(make_tokenizer(tokenizer.serialized(), "again")->encode(line) == ids); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input = input_text(data, size);
  const auto line = on_one_line(repair_utf8(take_line(input)));
  is_read<ModelError>([&] {
    const auto model = check_sentencepiece_model(input, "input");
    expect(check_sentencepiece_model(model, "input") == model);
    const auto table = read_piece_table(model);
    expect(read_sentencepiece_settings(model).segmentation == table.segmentation);
    std::string cut;
    for (const auto& piece : cut_pieces(load_sentencepiece(input, "input"), line)) cut += piece;
    expect(is_utf8(cut));
  });
  is_read<ModelError>([&] { check_tokenizer(*make_tokenizer(std::string(input), "input"), line); });
  return 0;
}

}  // namespace gloss
