#include "scenarios/library/library.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"

namespace overlane::library {
namespace library_test {

TEST(Library, ContainsTheFilesOfItsFolderUnchanged) {
  const auto names = file_names();
  ASSERT_TRUE(std::ranges::is_sorted(names));
  ASSERT_NE(std::ranges::find(names, "default-calico.yaml"), names.end());
  for (const std::string_view name : names) {
    std::ifstream file(source_file("scenarios/library/") + std::string(name));
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(find(name), text.str()) << name;
  }
}

TEST(Library, HasNoOtherFile) {
  EXPECT_EQ(find("no-such.yaml"), std::nullopt);
}

}  // namespace library_test
}  // namespace overlane::library
