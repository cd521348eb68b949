# cmake -D WEB=FOLDER -D PAGE=explain|translator -D FILE=FILE -P write_web_files.cmake
#
# Writes a source with a page of web/: its template, and its style sheets and scripts joined in the order of files.txt.
# explain: the template and its parts, which the program joins with a document. translator: the whole page.
function(read_files variable list extension)
  set(content "")
  file(STRINGS "${WEB}/${list}" names REGEX "\\.${extension}$")
  foreach(name IN LISTS names)
    file(READ "${WEB}/${name}" text)
    string(APPEND content "${text}")
  endforeach()
  set(${variable} "${content}" PARENT_SCOPE)
endfunction()

file(READ "${WEB}/${PAGE}.html" page)
if(PAGE STREQUAL "translator")
  read_files(style translator/files.txt css)
  read_files(script translator/files.txt js)
  string(REPLACE "{{style}}" "${style}" page "${page}")
  string(REPLACE "{{script}}" "${script}" page "${page}")
  set(header "string_view")
  set(constants "extern const std::string_view kTranslatorPage;  // serve/api/own.cpp
const std::string_view kTranslatorPage = R\"gloss(${page})gloss\";")
else()
  read_files(style files.txt css)
  read_files(script files.txt js)
  set(header "explain/web_files.h")
  set(constants "const std::string_view kWebPage = R\"gloss(${page})gloss\";
const std::string_view kWebStyle = R\"gloss(${style})gloss\";
const std::string_view kWebScript = R\"gloss(${script})gloss\";")
endif()
file(WRITE "${FILE}" "#include \"${header}\"

namespace gloss {

${constants}

}  // namespace gloss
")
