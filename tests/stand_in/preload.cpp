// A library to be preloaded, which gives the stand-in devices to a program that does not call them.
#include "tests/stand_in/stand_in.h"

[[gnu::constructor]] static void register_stand_in() { gloss::use_stand_in(); }
