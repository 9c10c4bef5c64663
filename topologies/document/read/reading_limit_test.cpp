#include "topologies/document/read/reading_limit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/read/read.h"

namespace overlane::document {

namespace reading_limit_test {

namespace fs = std::filesystem;

/// A folder "inside" with a manifest and links, and a manifest outside of it.
fs::path make_folders() {
  const fs::path base =
      fs::canonical(::testing::TempDir()) / fmt::format("reading_limit_{}", getpid());
  fs::remove_all(base);
  fs::create_directories(base / "inside/deeper");
  for (const char* file : {"secret.yaml", "inside/shoot.yaml", "inside/deeper/shoot.yaml"})
    std::ofstream(base / file) << "kind: Shoot\n";
  fs::create_symlink("../secret.yaml", base / "inside/link.yaml");
  fs::create_symlink("..", base / "inside/up");
  fs::create_symlink("deeper/shoot.yaml", base / "inside/near.yaml");
  return base;
}

/// The messages of reading `path` after the limit, in a process of its own, because the limit
/// cannot be lifted. Ends that process with 0 if the limit refuses the path.
[[noreturn]] void end_with_refusal_of(const fs::path& root, const std::string& path) {
  fs::current_path(root);
  limit_reading_to_current_folder("choose another folder");
  const auto read = document::read(path);
  const Findings findings = read ? read->findings : Findings{read.error()};
  const bool refused = std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.message.find("this is outside " + root.string()) == 0 &&
           finding.hint == "choose another folder";
  });
  _exit(refused ? 0 : 1);
}

TEST(ReadingLimit, RefusesPathsThatLeadOut) {
  const fs::path base = make_folders();
  for (const std::string path :
       {"../secret.yaml", "link.yaml", "up/secret.yaml", "deeper/../../secret.yaml",
        "../missing.yaml", "/etc/passwd", "..", "up", "/proc/self/environ"})
    EXPECT_EXIT(end_with_refusal_of(base / "inside", path), testing::ExitedWithCode(0), "") << path;
  // A folder is read without the link that leads out.
  EXPECT_EXIT(end_with_refusal_of(base / "inside", "."), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(end_with_refusal_of(base / "inside", base / "inside-2"), testing::ExitedWithCode(0),
              "");
  fs::remove_all(base);
}

TEST(ReadingLimit, ReadsWhatIsInside) {
  const fs::path base = make_folders();
  for (const std::string& path :
       {std::string("shoot.yaml"), std::string("deeper"), std::string("near.yaml"),
        std::string("./deeper/../shoot.yaml"), (base / "inside/shoot.yaml").string(),
        std::string("missing.yaml")})
    EXPECT_EXIT(end_with_refusal_of(base / "inside", path), testing::ExitedWithCode(1), "") << path;
  fs::remove_all(base);
}

TEST(ReadingLimit, DoesNotLimitWithoutACall) {
  EXPECT_EQ(refused_by_reading_limit("/etc/passwd"), std::nullopt);
}

}  // namespace reading_limit_test

}  // namespace overlane::document
