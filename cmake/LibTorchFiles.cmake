# libtorch_files(<root> <out>): the libraries that a program on the LibTorch in `root` loads and no system has: libtorch
# and libc10, and of what they ask the loader for, again and again, all that lies beside them or where wheels keep it.
function(libtorch_files root out)
  set(files "")
  set(waiting libtorch.so libc10.so)
  while(waiting)
    list(POP_FRONT waiting name)
    foreach(folder lib ../torch.libs)
      set(file "${root}/${folder}/${name}")
      if(EXISTS "${file}" AND NOT file IN_LIST files)
        list(APPEND files "${file}")
        libtorch_loader_headers("${file}" headers)
        string(REGEX MATCHALL "NEEDED +[^ \n]+" needed "${headers}")
        list(TRANSFORM needed REPLACE "NEEDED +" "")
        list(APPEND waiting ${needed})
        break()
      endif()
    endforeach()
  endwhile()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# libtorch_licenses(<root> <out>): the files and folders of license texts that come with the LibTorch in `root`: as
# scripts/setup.sh keeps them, as an archive has them, or as pip installs them beside the folder torch.
function(libtorch_licenses root out)
  file(GLOB files "${root}/licenses/*" "${root}/LICENSE*" "${root}/NOTICE*" "${root}/../torch-*.dist-info/licenses/*"
       "${root}/../torch-*.dist-info/LICENSE*" "${root}/../torch-*.dist-info/NOTICE*")
  set(${out} "${files}" PARENT_SCOPE)
endfunction()
