#pragma once

#include <filesystem>
#include <string>

namespace overlane::store::testing {

/// A path for a new store file in a temporary folder. The destructor removes the folder with its
/// content.
class StoreFile {
 public:
  StoreFile();
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;
  ~StoreFile();

  std::string path() const { return (folder_ / "store.sqlite").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace overlane::store::testing
