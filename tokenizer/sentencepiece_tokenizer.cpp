#include "tokenizer/sentencepiece_tokenizer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <sentencepiece_processor.h>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/log.h"
#include "common/utf8.h"
#include "tokenizer/plain_text.h"
#include "tokenizer/sentencepiece_check.h"

namespace gloss {
namespace {

constexpr std::size_t kLargestModel = 64 << 20;  // bytes

std::string id_list(int pad, int unk, int bos, int eos) {
  return "pad " + std::to_string(pad) + ", unk " + std::to_string(unk) + ", bos " + std::to_string(bos) + ", eos " +
         std::to_string(eos);
}

void expect_special_ids(const sentencepiece::SentencePieceProcessor& model, const std::string& name) {
  const auto wanted = id_list(kPad, kUnk, kBos, kEos);
  const auto got = id_list(model.pad_id(), model.unk_id(), model.bos_id(), model.eos_id());
  if (wanted != got)
    throw ModelError(name + ": wanted the special ids " + wanted + ", got " + got +
                     "; train it again with --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3");
}

}  // namespace

struct SentencePieceTokenizer::Processor {
  sentencepiece::SentencePieceProcessor model;
};

SentencePieceTokenizer::SentencePieceTokenizer(std::string serialized, const std::string& name)
    : processor_(std::make_unique<Processor>()), serialized_(std::move(serialized)) {
  const auto shown = printable(name);
  check_sentencepiece_model(serialized_, shown);
  const auto status = processor_->model.LoadFromSerializedProto(serialized_);
  if (!status.ok())
    throw ModelError(shown +
                     ": wanted a SentencePiece model, but it cannot be loaded: " + printable(status.ToString()));
  expect_special_ids(processor_->model, shown);
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::shared_ptr<const SentencePieceTokenizer> SentencePieceTokenizer::load(const std::filesystem::path& path) {
  if (std::error_code ignored; std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
    throw DataError(printable(path.string()) + ": wanted a SentencePiece model, but it is not there");
  return std::make_shared<SentencePieceTokenizer>(read_file(path, kLargestModel), path.string());
}

Ids SentencePieceTokenizer::encode(std::string_view line) const {
  const auto text = without_space_marks(line);
  std::vector<int> ids;
  const auto status = processor_->model.Encode(text, &ids);
  if (!status.ok()) throw ModelError("tokenizer: cannot encode a line: " + printable(status.ToString()));
  return {ids.begin(), ids.end()};
}

std::string SentencePieceTokenizer::decode(std::span<const Id> ids) const {
  std::vector<int> pieces;
  for (const Id id : ids) {
    expect_known(id);
    if (id != kPad && id != kBos && id != kEos) pieces.push_back(id);
  }
  std::string text;
  const auto status = processor_->model.Decode(pieces, &text);
  if (!status.ok()) throw ModelError("tokenizer: cannot decode: " + printable(status.ToString()));
  // Bytes that a model spells one by one need not make characters, and could end the line.
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return repair_utf8(text);
}

std::int64_t SentencePieceTokenizer::vocabulary_size() const { return processor_->model.GetPieceSize(); }

const std::string& SentencePieceTokenizer::serialized() const { return serialized_; }

std::string SentencePieceTokenizer::piece(Id id) const {
  expect_known(id);
  return processor_->model.IdToPiece(id);
}

void SentencePieceTokenizer::expect_known(Id id) const {
  if (id < 0 || id >= vocabulary_size())
    throw ModelError("tokenizer: wanted an id from 0 to " + std::to_string(vocabulary_size() - 1) + ", got " +
                     std::to_string(id));
}

}  // namespace gloss
