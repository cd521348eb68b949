#include "tests/training/golden_tensor.h"

#include <fstream>

#include <ATen/Functions.h>

namespace gloss {
namespace {

void append_numbers(const Json& values, std::vector<double>& flat) {
  if (values.is_number()) flat.push_back(values.get<double>());
  if (values.is_array())
    for (const Json& value : values) append_numbers(value, flat);
}

}  // namespace

Json read_golden(const std::string& name) { return Json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/" + name)); }

at::Tensor golden_tensor(const Json& values, at::Device device) {
  std::vector<std::int64_t> shape;
  for (const Json* level = &values; level->is_array(); level = &level->front())
    shape.push_back(static_cast<std::int64_t>(level->size()));
  std::vector<double> flat;
  append_numbers(values, flat);
  return at::tensor(flat, at::kDouble).view(shape).to(at::kFloat).to(device);
}

}  // namespace gloss
