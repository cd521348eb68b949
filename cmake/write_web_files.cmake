# cmake -D WEB=FOLDER -D FILE=FILE -P write_web_files.cmake
#
# Writes a source with the page of `gloss explain`: the template, and its style sheets and scripts joined in the order
# of files.txt.
function(read_files variable extension)
  set(content "")
  file(STRINGS "${WEB}/files.txt" names REGEX "\\.${extension}$")
  foreach(name IN LISTS names)
    file(READ "${WEB}/${name}" text)
    string(APPEND content "${text}")
  endforeach()
  set(${variable} "${content}" PARENT_SCOPE)
endfunction()

file(READ "${WEB}/explain.html" page)
read_files(style css)
read_files(script js)
file(WRITE "${FILE}" "#include \"explain/web_files.h\"

namespace gloss {

const std::string_view kWebPage = R\"gloss(${page})gloss\";
const std::string_view kWebStyle = R\"gloss(${style})gloss\";
const std::string_view kWebScript = R\"gloss(${script})gloss\";

}  // namespace gloss
")
