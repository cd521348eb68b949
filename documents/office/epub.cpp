#include "documents/office/epub.h"

#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "documents/markup/html.h"
#include "documents/markup/xml_document.h"
#include "documents/office/styled_paragraph.h"

namespace gloss {
namespace {

/// Returns the name without its prefix.
std::string_view epub_name(pugi::xml_node element) {
  const std::string_view name = element.name();
  return name.substr(name.find(':') == name.npos ? 0 : name.find(':') + 1);
}

/// Returns a reference without %xx and without a fragment, as the name of an entry beside `base`.
std::string entry_at(std::string_view reference, const std::filesystem::path& base) {
  std::string path;
  reference = reference.substr(0, reference.find('#'));
  for (std::size_t i = 0; i < reference.size(); ++i) {
    unsigned value = 0;
    const auto digits = reference.substr(i, 1) == "%" ? reference.substr(i + 1, 2) : std::string_view();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const bool is_code = digits.size() == 2 && error == std::errc() && end == digits.data() + 2;
    path += is_code ? static_cast<char>(value) : reference[i];
    if (is_code) i += 2;
  }
  return (base.parent_path() / path).lexically_normal().generic_string();
}

Passage read_contents(std::string bytes, const DocumentOptions& options) {
  const bool has_prefix = bytes.find("<ncx:text") != bytes.npos;
  return read_text_elements(std::move(bytes), options, has_prefix ? "ncx:text" : "text");
}

/// Reads the package document. Its first language becomes that of the translation.
Passage read_package(std::string bytes, const DocumentOptions& options) {
  auto passage = read_text_elements(std::move(bytes), options, "dc:title");
  const XmlDocument xml(passage.bytes, options.name);
  TextSpan language;
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    if (language.empty() && epub_name(element) == "language") language = xml.content(element);
    return true;
  });
  if (language.empty() || options.target_language.empty()) return passage;
  passage.render = [language, render = std::move(passage.render), target = options.target_language](auto translations) {
    auto replacements = render(translations);
    replacements.push_back({language, {escape_xml(target)}});
    return replacements;
  };
  return passage;
}

std::string package_name(const ReadEntry& read, const DocumentOptions& options) {
  const auto container = read("META-INF/container.xml");
  if (!container) throw DataError(options.name + ": wanted a book with META-INF/container.xml, got none");
  const XmlDocument xml(*container, options.name + ": META-INF/container.xml");
  std::string name;
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    if (name.empty() && epub_name(element) == "rootfile") name = decode_xml(element.attribute("full-path").value());
    return true;
  });
  return name;
}

}  // namespace

std::vector<ZipPart> epub_parts(const ReadEntry& read, const DocumentOptions& options) {
  const auto package = package_name(read, options);
  const auto bytes = read(package);
  if (!bytes) throw DataError(options.name + ": wanted a package document " + printable(package) + ", got none");
  std::vector<ZipPart> parts{{package, read_package}};
  const XmlDocument xml(*bytes, options.name + ": " + printable(package));
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    if (epub_name(element) != "item") return true;
    const std::string_view type = element.attribute("media-type").value();
    auto name = entry_at(decode_xml(element.attribute("href").value()), package);
    if (type == "application/xhtml+xml") parts.push_back({std::move(name), read_html});
    if (type == "application/x-dtbncx+xml") parts.push_back({std::move(name), read_contents});
    return true;
  });
  return parts;
}

}  // namespace gloss
