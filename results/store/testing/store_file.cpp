#include "results/store/testing/store_file.h"

#include <cstdlib>
#include <stdexcept>

namespace overlane::store::testing {

StoreFile::StoreFile() {
  std::string name = std::filesystem::temp_directory_path() / "overlane-store-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

StoreFile::~StoreFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace overlane::store::testing
