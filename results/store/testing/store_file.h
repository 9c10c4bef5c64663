#pragma once

#include <filesystem>
#include <string>

namespace overlane::store::testing {

/// The name of a file that is not there yet, in a folder that is removed with everything in it.
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
