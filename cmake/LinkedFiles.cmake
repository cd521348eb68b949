# linked_files(<out> <page>...): the files that these Markdown pages link to, and the Markdown pages among them do,
# without configs/ and the pages of docs/, as paths relative to the source tree. Links to other sites are left out.
function(linked_files out)
  set(found "")
  set(waiting ${ARGN})
  while(waiting)
    list(POP_FRONT waiting page)
    file(READ "${PROJECT_SOURCE_DIR}/${page}" text)
    get_filename_component(folder "${PROJECT_SOURCE_DIR}/${page}" DIRECTORY)
    string(REPLACE "](" "\nlink:" text "${text}")  # a bracket would confuse CMake's lists
    string(REGEX MATCHALL "\nlink:[^)#: \n]+" links "${text}")
    foreach(link IN LISTS links)
      string(REPLACE "\nlink:" "" link "${link}")
      get_filename_component(path "${folder}/${link}" ABSOLUTE)
      file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${path}")
      if(NOT path IN_LIST found AND NOT path IN_LIST ARGN AND EXISTS "${PROJECT_SOURCE_DIR}/${path}"
         AND NOT IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${path}"
          AND NOT path MATCHES "^(\\.\\./|docs/[^/]*\\.md$|configs/)")
        list(APPEND found "${path}")
        if(path MATCHES "\\.md$")
          list(APPEND waiting "${path}")
        endif()
      endif()
    endforeach()
  endwhile()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
