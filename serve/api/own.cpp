#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files/sha256.h"
#include "common/text/format.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "explain/explain.h"
#include "explain/page.h"
#include "serve/api/api_routes.h"
#include "serve/api/own_words.h"
#include "serve/http/api_error.h"
#include "serve/service/text_service.h"

namespace gloss {

/// The page of web/translator.html with its style sheets and scripts (cmake/write_web_files.cmake).
extern const std::string_view kTranslatorPage;

namespace {

constexpr std::size_t kMaxPairs = 64;
constexpr std::size_t kMaxAlternatives = 8;
constexpr std::int64_t kNextPieces = 24;  ///< that are tried, since several may begin the same word
constexpr std::size_t kMaxExplainedCharacters = 500;

const ServedModel& model_of(ApiCall& call) {
  const auto route = call.route(call.fields().required_text("source"), call.fields().required_text("target"));
  if (route.size() != 1)
    throw ApiError(400, "Invalid request: wanted languages with a model of their own; these " +
                            (route.empty() ? "are the same" : "are translated through " + route.front()->target));
  return *route.front();
}

/// Throws ApiError 413 for a text that is far longer than the translations of a model: it would be slow to tokenize.
void expect_fits(const ServedModel& model, const std::string& text, const std::string& name) {
  constexpr std::int64_t kBytesPerPiece = 16;
  const auto limit = kBytesPerPiece * model.config.max_target_length();
  if (std::ssize(text) > limit)
    throw ApiError(413, "Invalid request: " + name + ": wanted at most " + std::to_string(limit) + " bytes");
}

/// Returns a search of `beam_size` hypotheses that ends at a number of tokens, but not inside a prefix.
DecodingConfig stopped_search(DecodingConfig decoding, std::int64_t max_length, std::int64_t beam_size) {
  decoding.max_length = max_length;
  decoding.max_length_factor = 0;
  decoding.min_length = 0;
  decoding.patience = 1;
  decoding.beam_size = decoding.n_best = beam_size;
  return decoding;
}

std::vector<LineTranslation> translated(ApiCall& call, const ServedModel& model, const TranslationRequest& request,
                                        const DecodingConfig& decoding) {
  auto found =
      model.translator.translate(request, decoding, {.deadline = call.deadline(), .stop = call.exchange().left()});
  if (std::ranges::all_of(found, &LineTranslation::complete)) return found;
  if (call.exchange().left().stop_requested()) throw ClientLeft();
  throw ApiError(504, "The deadline of the request has passed");
}

/// Reads [{"source": text, "target": text}, ...].
std::vector<std::pair<std::string, std::string>> read_pairs(const RequestFields& fields) {
  const auto* const list = fields.find("pairs");
  if (list == nullptr || !list->is_array() || list->size() > kMaxPairs)
    throw ApiError(400, "Invalid request: pairs: wanted a list of at most " + std::to_string(kMaxPairs) +
                            " objects with source and target");
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto text_of = [](const Json& pair, const char* name) {
    if (pair.is_object() && pair.contains(name) && pair[name].is_string())
      if (auto text = pair[name].get<std::string>(); is_text(text)) return text;
    throw ApiError(400, "Invalid request: pairs: wanted objects with the texts source and target");
  };
  for (const auto& pair : *list) pairs.emplace_back(text_of(pair, "source"), text_of(pair, "target"));
  return pairs;
}

/// Returns a translation with the pieces of its text, and a space between all words.
PieceSpans spaced(const LineTranslation::Candidate& candidate) {
  PieceSpans pieces;
  pieces.text = candidate.text;
  for (const auto& token : candidate.tokens) pieces.spans.push_back(token.span);
  return with_spaces(pieces);
}

Json to_json(const LineTranslation& line) {
  const auto& candidate = line.candidates.front();
  const auto source = line.source.spans_known ? words_of(with_spaces(line.source)) : PieceWords();
  const auto target = candidate.spans_known ? words_of(spaced(candidate)) : PieceWords();
  std::vector<double> sums(target.words.size());
  double pending = 0;  // of pieces without a word, such as a space alone: they belong to the next word
  for (std::size_t piece = 0; piece < target.of_piece.size(); ++piece) {
    const auto [begin, end] = target.of_piece[piece];
    pending += candidate.tokens[piece].log_probability;
    if (begin < end) sums[begin] += std::exchange(pending, 0);
    for (auto word = begin + 1; word < end; ++word) sums[word] += candidate.tokens[piece].log_probability;
  }
  auto words = Json::array(), alignment = Json::array();
  for (std::size_t i = 0; i < sums.size(); ++i)
    words.push_back({{"text", target.words[i]}, {"confidence", std::exp(sums[i])}});
  if (line.source.spans_known && candidate.spans_known)
    for (const auto& link : word_links(source, target, candidate.links))
      alignment.push_back({link.source, link.target});
  const auto tokens = std::max<std::size_t>(1, candidate.tokens.size());
  return {{"source_words", source.words},
          {"words", std::move(words)},
          {"alignment", std::move(alignment)},
          {"confidence", std::exp(candidate.log_probability / static_cast<double>(tokens))}};
}

/// Returns the word of a translation that follows a prefix; "" if it has no more, or begins otherwise. The number of
/// spaces does not matter.
std::string word_after(std::string_view prefix, const LineTranslation::Candidate& candidate) {
  const auto text = spaced(candidate).text;
  std::size_t at = 0;
  for (const char c : prefix) {
    if (kAsciiSpace.find(c) != kAsciiSpace.npos) continue;
    at = text.find_first_not_of(kAsciiSpace, at);
    if (at == text.npos || text[at++] != c) return {};
  }
  const auto begin = text.find_first_not_of(kAsciiSpace, at);
  if (begin == text.npos || (begin == at && at > 0 && !begins_unspaced_word(text, at))) return {};
  return text.substr(begin, text.find_first_of(kAsciiSpace, begin) - begin);
}

/// Returns what stands between two marks.
std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const auto begin = text.find(open) + open.size();
  return text.substr(begin, text.find(close, begin) - begin);
}

/// Returns the expression that allows an inline script or style (CSP 3, section 2.3.1).
std::string policy_hash(std::string_view text) {
  const auto digits = sha256(text);
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return "'sha256-" + base64(bytes) + "'";
}

std::string script_hash(std::string_view page) { return policy_hash(between(page, "<script>", "</script>")); }

void respond_with_page(ApiCall& call, std::string page, const std::string& style, const std::string& script,
                       const std::string& further) {
  auto policy = "default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'; style-src " + style +
                "; script-src " + script + "; " + further;
  call.exchange().respond({.body = std::move(page),
                           .content_type = "text/html; charset=utf-8",
                           .headers = {{"Content-Security-Policy", std::move(policy)},
                                       {"X-Content-Type-Options", "nosniff"},
                                       {"Referrer-Policy", "same-origin"},  // with none, a form has no Origin
                                       {"Cache-Control", "no-store"}}});
}

}  // namespace

void own_page(ApiCall& call) {
  static const auto style = policy_hash(between(kTranslatorPage, "<style>", "</style>"));
  static const auto script = script_hash(kTranslatorPage);
  respond_with_page(call, std::string(kTranslatorPage), style, script, "connect-src 'self'; form-action 'self'");
}

void own_score(ApiCall& call) {
  const auto pairs = read_pairs(call.fields());
  const auto& model = model_of(call);
  // A pair is a search that ends with its prefix, or at the model's limit: it forces the tokens of the target and adds
  // none. A target without words would get one.
  const auto has_words = [](const auto& pair) { return !words_of(std::string_view(pair.second)).empty(); };
  std::vector<std::string> sources, targets;
  for (const auto& pair : pairs)
    if (has_words(pair)) sources.push_back(pair.first), targets.push_back(pair.second);
  call.expect_within_limits(sources, "pairs");
  call.expect_within_limits(targets, "pairs");
  for (const auto& target : targets) expect_fits(model, target, "pairs: target");
  call.use_characters(sources);
  const auto found =
      translated(call, model,
                 {.lines = sources,
                  .prefixes = targets,
                  .details = {.confidence = true, .alignment = model.config.model.has_cross_attention()}},
                 stopped_search({}, /*max_length=*/1, /*beam_size=*/1));
  LineTranslation nothing;
  nothing.candidates.emplace_back();
  auto answers = Json::array();
  auto next = found.begin();
  for (const auto& pair : pairs) answers.push_back(to_json(has_words(pair) ? *next++ : nothing));
  call.respond({{"pairs", std::move(answers)}}, {{"Gloss-Model", model.sha256}});
}

void own_alternatives(ApiCall& call) {
  const auto& fields = call.fields();
  const std::vector<std::string> sentence{fields.required_text("q")}, prefix{fields.text("prefix").value_or("")};
  const auto& model = model_of(call);
  call.expect_within_limits(sentence, "q");
  call.expect_within_limits(prefix, "prefix");
  expect_fits(model, prefix.front(), "prefix");
  call.use_characters(sentence);
  auto decoding = best_of(model);
  decoding.no_unk = true;
  // The search ends one piece after the prefix, so that its hypotheses differ in that piece.
  const auto length = std::ssize(model.translator.encode_target(prefix.front())) + 1;
  if (const auto limit = model.config.max_target_length(); length > limit)
    throw ApiError(413, "Invalid request: prefix: wanted fewer than " + std::to_string(limit) + " tokens");
  const auto pieces =
      translated(call, model, {.lines = sentence, .prefixes = prefix}, stopped_search(decoding, length, kNextPieces));
  std::vector<std::string> beginnings;
  for (const auto& candidate : pieces.front().candidates)
    if (!word_after(prefix.front(), candidate).empty()) beginnings.push_back(candidate.text);
  const std::vector<std::string> lines(beginnings.size(), sentence.front());
  auto alternatives = Json::array();
  std::set<std::string> known;
  for (const auto& line : translated(call, model, {.lines = lines, .prefixes = beginnings}, decoding)) {
    const auto& candidate = line.candidates.front();
    auto word = word_after(prefix.front(), candidate);
    if (word.empty() || alternatives.size() == kMaxAlternatives || !known.insert(word).second) continue;
    alternatives.push_back({{"word", std::move(word)}, {"text", candidate.text}});
  }
  call.respond({{"alternatives", std::move(alternatives)}}, {{"Gloss-Model", model.sha256}});
}

void own_explanation(ApiCall& call) {
  // An explanation does not share the threads of translations, so that one is computed at a time.
  static std::mutex turn;
  const auto text = call.fields().required_text("q");
  const auto& model = model_of(call);
  if (count_code_points(text) > kMaxExplainedCharacters)
    throw ApiError(413, "Invalid request: q: wanted at most " + std::to_string(kMaxExplainedCharacters) +
                            " characters to explain");
  call.expect_within_limits({text}, "q");
  call.use_characters({text});
  std::unique_lock lock(turn, std::try_to_lock);
  if (!lock.owns_lock())
    throw ApiError(503, "Another sentence is being explained; try again later", {{"Retry-After", "10"}});
  const std::vector<ExplainedModel> models{{model.name, model.file, best_of(model)}};
  auto page = explanation_page(explain(models, {.sentences = {text}}), text + " - gloss");
  lock.unlock();
  call.succeed();
  const auto script = script_hash(page);
  respond_with_page(call, std::move(page), "'unsafe-inline'", script, "form-action 'none'");
}

}  // namespace gloss
