#include "interchange/activation_names.h"

#include <algorithm>

namespace gloss {

const ActivationNames& activation_names(Activation activation) {
  return *std::ranges::find(kActivationNames, activation, &ActivationNames::activation);
}

}  // namespace gloss
