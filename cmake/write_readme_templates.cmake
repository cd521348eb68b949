# cmake -D TEMPLATES=FOLDER -D FILE=FILE -P write_readme_templates.cmake
#
# Writes a header with the READMEs of `gloss export`, one constant for each template.
set(constants "")
foreach(name IN ITEMS Ctranslate2 Huggingface Marian)
  string(TOLOWER "${name}" file)
  file(READ "${TEMPLATES}/${file}.md.in" text)
  string(APPEND constants "inline constexpr std::string_view k${name}Readme = R\"gloss(${text})gloss\";\n")
endforeach()
file(WRITE "${FILE}" "#include <string_view>

namespace gloss {
${constants}}  // namespace gloss
")
