#include "benchmarks/batch_file.h"

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/special_ids.h"
#include "common/text/printable.h"

namespace gloss {

std::vector<Batch> read_batch_file(const std::filesystem::path& path) {
  const std::string name = printable(path.string());
  std::ifstream file(path);
  if (!file) throw DataError(name + ": wanted a file of batches, cannot open it");
  std::vector<Batch> batches;
  for (std::string line; std::getline(file, line);) {
    try {
      Batch batch;
      for (const auto& pair : nlohmann::json::parse(line)) {
        batch.source.push_back(pair.at(0).get<Ids>());
        batch.target.push_back(pair.at(1).get<Ids>());
        batch.source.back().push_back(kEos);
        batch.target.back().push_back(kEos);
      }
      batches.push_back(std::move(batch));
    } catch (const nlohmann::json::exception&) {
      throw DataError(name + ", line " + std::to_string(batches.size() + 1) +
                      ": wanted a list of [[source ids], [target ids]]");
    }
  }
  return batches;
}

}  // namespace gloss
