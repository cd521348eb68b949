// Places of tags and placeholders: the share at the place that hand-made links name. Ends with one JSON line.
//
// The translations are forced to be the references. A tag surrounds one to three words of a source line whose links
// name one contiguous range of target words; it is right if it surrounds these. Of placeholders, placeholder_places.txt
// holds the source gap and the accepted target gaps.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include "common/files/text_pairs.h"
#include "common/text/split.h"
#include "documents/element_placement.h"
#include "documents/model_sentence_translator.h"
#include "tensor/runtime.h"
#include "translation/models/translation_ensemble.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path model, source, target, links = "benchmarks/alignment_links.txt",
                                  places = "benchmarks/placeholder_places.txt";
  int threads = 0;
};

struct AlignedLine {
  std::string source, target;
  std::vector<AlignedSpan> links;
};

std::vector<TextSpan> words_in(std::string_view text) {
  std::vector<TextSpan> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (i == 0 || text[i - 1] == ' ') words.push_back({i, i});
    words.back().end = i + 1;
  }
  return words;
}

/// Forces the references through the model and returns their links.
std::vector<AlignedLine> aligned_lines(const Options& options) {
  const auto sources = read_lines(options.source, Passes::kOne), targets = read_lines(options.target, Passes::kOne);
  const auto models = load_translation_ensemble(std::span(&options.model, 1), at::kCPU);
  const auto translator = models.translator().with_workers(options.threads);
  auto decoding = models.first().config.decoding;
  decoding.beam_size = 1;
  const auto found =
      translator.translate({.lines = sources, .prefixes = targets, .details = {.alignment = true}}, decoding);
  std::vector<AlignedLine> lines;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    AlignedLine line{sources[i], targets[i], sentence_of(sources[i], found[i]).links};
    std::erase_if(line.links, [&](const auto& link) { return link.target.end > line.target.size(); });
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Links of a line, set by hand: target words of each source word.
using GoldLinks = std::map<std::size_t, std::set<std::size_t>>;

std::vector<GoldLinks> read_links(const fs::path& file) {
  std::vector<GoldLinks> lines;
  for (const auto& text : read_lines(file, Passes::kOne)) {
    GoldLinks links;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const auto mark = word.find_first_of("-p");
      if (word[mark] == '-') links[std::stoul(word.substr(0, mark))].insert(std::stoul(word.substr(mark + 1)));
    }
    lines.push_back(std::move(links));
  }
  return lines;
}

/// A range of words, `end` excluded.
struct WordRange {
  std::size_t begin, end;
  bool operator==(const WordRange&) const = default;
};

/// Returns the target words of a source range if they are contiguous and no other source word is linked to them.
std::optional<WordRange> gold_range(const GoldLinks& links, WordRange source) {
  std::set<std::size_t> inside, outside;
  for (const auto& [word, targets] : links)
    (word >= source.begin && word < source.end ? inside : outside).insert(targets.begin(), targets.end());
  if (inside.empty() || *inside.rbegin() - *inside.begin() + 1 != inside.size()) return {};
  for (const auto word : inside)
    if (outside.contains(word)) return {};
  return WordRange{*inside.begin(), *inside.rbegin() + 1};
}

/// Returns the words that a range of bytes has letters of.
WordRange words_of_bytes(const std::vector<TextSpan>& words, TextSpan bytes) {
  const auto touches = [&](TextSpan word) { return word.begin < bytes.end && word.end > bytes.begin; };
  const auto first = std::ranges::find_if(words, touches);
  const auto count = static_cast<std::size_t>(std::count_if(first, words.end(), touches));
  const auto begin = static_cast<std::size_t>(first - words.begin());
  return {begin, begin + count};
}

/// Returns the words with the tag by the rule of bergamot: each target token has the tags of its source token.
std::set<std::size_t> copied_tags(const AlignedLine& line, TextSpan source, const std::vector<TextSpan>& words) {
  std::set<std::size_t> tagged;
  for (std::size_t w = 0; w < words.size(); ++w)
    for (const auto& link : line.links)
      if (link.target.begin < words[w].end && link.target.end > words[w].begin) {  // the first piece decides
        if (link.source.begin >= source.begin && link.source.begin < source.end) tagged.insert(w);
        break;
      }
  return tagged;
}

/// Returns the words from the first to the last one whose strongest link leads to the source of a tag.
WordRange unsmoothed(const AlignedLine& line, TextSpan source, const std::vector<TextSpan>& words) {
  WordRange range{0, 0};
  for (std::size_t w = 0; w < words.size(); ++w) {
    const AlignedSpan* best = nullptr;
    for (const auto& link : line.links)
      if (link.target.begin < words[w].end && link.target.end > words[w].begin && (!best || link.weight > best->weight))
        best = &link;
    if (best == nullptr || best->source.begin < source.begin || best->source.begin >= source.end) continue;
    range = {range.end == 0 ? w : range.begin, w + 1};
  }
  return range;
}

struct Shares {
  std::int64_t count = 0, smooth = 0, plain = 0, copied = 0;
};

void count_tags(const AlignedLine& line, const GoldLinks& gold, Shares& shares) {
  const auto sources = words_in(line.source), targets = words_in(line.target);
  for (std::size_t length = 1; length <= 3; ++length)
    for (std::size_t begin = 0; begin + length <= sources.size(); ++begin) {
      const auto wanted = gold_range(gold, {begin, begin + length});
      if (!wanted) continue;
      ++shares.count;
      const TextSpan range{sources[begin].begin, sources[begin + length - 1].end};
      InlineText text{line.source, std::vector<InlineElement>(2)};
      text.elements[0] = {
          .kind = InlineElement::Kind::kOpening, .offset = range.begin, .partner = 1, .source = {}, .text = "<b>"};
      text.elements[1] = {
          .kind = InlineElement::Kind::kClosing, .offset = range.end, .partner = 0, .source = {}, .text = "</b>"};
      const auto placed = place_elements(text, line.target, line.links).elements;
      shares.smooth += words_of_bytes(targets, {placed[0].offset, placed[1].offset}) == *wanted;
      shares.plain += unsmoothed(line, range, targets) == *wanted;
      std::set<std::size_t> all;
      for (auto word = wanted->begin; word < wanted->end; ++word) all.insert(word);
      shares.copied += copied_tags(line, range, targets) == all;
    }
}

/// Returns how many placeholders have an accepted place, and their number.
std::pair<std::int64_t, std::int64_t> count_placeholders(const std::vector<AlignedLine>& lines, const fs::path& file) {
  std::int64_t right = 0, count = 0;
  for (const auto& text : read_lines(file, Passes::kOne)) {
    if (text.starts_with('#')) continue;
    std::istringstream numbers(text);
    std::size_t number = 0, gap = 0;
    numbers >> number >> gap;
    std::set<std::size_t> accepted;
    for (std::size_t target = 0; numbers >> target;) accepted.insert(target);
    const auto& line = lines.at(number - 1);
    const auto sources = words_in(line.source), targets = words_in(line.target);
    InlineText source{line.source, std::vector<InlineElement>(1)};
    source.elements[0] = {.kind = InlineElement::Kind::kWord,
                          .offset = gap == 0 ? 0 : sources.at(gap - 1).end,
                          .source = {},
                          .text = "{x}"};
    const auto place = place_elements(source, line.target, line.links).elements[0].offset;
    const auto placed =
        static_cast<std::size_t>(std::ranges::count_if(targets, [&](TextSpan word) { return word.begin < place; }));
    ++count;
    right += accepted.contains(placed);
  }
  return {right, count};
}

void element_places(Options options) {
  options.threads = set_up_runtime(options.threads);
  const auto lines = aligned_lines(options);
  const auto gold = read_links(options.links);
  Shares tags;
  for (std::size_t i = 0; i < gold.size(); ++i) count_tags(lines.at(i), gold[i], tags);
  const auto [right, places] = count_placeholders(lines, options.places);
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, whole));
  };
  std::cout << nlohmann::json{{"tags", tags.count},
                              {"tags_right", share(tags.smooth, tags.count)},
                              {"tags_right_without_smoothing", share(tags.plain, tags.count)},
                              {"tags_right_by_copying", share(tags.copied, tags.count)},
                              {"placeholders", places},
                              {"placeholders_right", share(right, places)}}
                   .dump()
            << '\n';
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  CLI::App app("Shares of tags and placeholders at the place that links set by hand name.");
  gloss::Options options;
  app.add_option("--model", options.model)->required();
  app.add_option("--source", options.source, "Multi30k's test_2016_flickr.en")->required();
  app.add_option("--target", options.target, "Multi30k's test_2016_flickr.de")->required();
  app.add_option("--links", options.links);
  app.add_option("--places", options.places);
  app.add_option("--threads", options.threads);
  CLI11_PARSE(app, argc, argv);
  gloss::element_places(options);
}
