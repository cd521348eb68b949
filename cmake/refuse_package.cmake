# cpack runs this if a package would look for LibTorch in a folder of the machine that builds it (GlossInstall.cmake).
message(FATAL_ERROR "This package would load LibTorch from a folder of this machine. Configure with "
                    "-D GLOSS_LIBTORCH_RUNPATH=FOLDER, which only root may write to, or with GLOSS_INSTALL_LIBTORCH=ON")
