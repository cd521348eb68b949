// Texts with tags: whatever is accepted is well-formed after its translation, too.

#include <string>
#include <vector>

#include "common/text/split.h"
#include "serve/api/xml_text.h"
#include "serve/http/api_error.h"
#include "tests/documents/model/reader_helpers.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {
namespace {

/// Reads "splitting tags;other tags;ignored tags;mode"; a name ends at a comma.
XmlTextRules read_rules(std::string_view line) {
  XmlTextRules rules;
  std::vector<std::string>* const lists[] = {&rules.splitting, &rules.non_splitting, &rules.ignored};
  std::size_t place = 0;
  for (const auto part : split_text(line, ';')) {
    if (place < std::size(lists))
      for (const auto name : split_text(part, ',')) lists[place]->emplace_back(name);
    else
      rules.finds_outline = part.empty();
    ++place;
  }
  return rules;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = input_text(data, size);
  const auto rules = read_rules(take_line(text));
  Passage passage;
  try {
    passage = read_tagged_text(std::string(text), rules);
  } catch (const ApiError& error) {
    expect(error.status == 400);
    return 0;
  }
  read_tagged_text(rendered_passage(passage, shouted), rules);
  return 0;
}

}  // namespace gloss
