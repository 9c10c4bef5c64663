#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace piped_input_test {

/// A pipe that contains a text, like the shell's <(…).
class Pipe {
 public:
  explicit Pipe(const std::string& text) {
    EXPECT_EQ(::pipe(ends_), 0);
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends_[1]);
  }
  ~Pipe() { ::close(ends_[0]); }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {};
};

TEST(PipedInput, ScenarioAndManifestAreReadFromPipesOnce) {
  const std::string manifest = testing::manifest("shoot-aws.yaml");
  const std::string scenario =
      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: piped}\nspec:\n"
      "  manifests: [" +
      manifest + "]\n  traffic: [{name: a, kind: tcp}]\n";
  const Pipe first(scenario);
  const auto piped = prepare({.paths = {first.path()}});
  ASSERT_TRUE(piped);
  EXPECT_EQ(piped->scenario.name, "piped");
  EXPECT_EQ(piped->text, scenario) << "for --print-scenario";

  std::ifstream file(manifest);
  const Pipe second(std::string(std::istreambuf_iterator<char>(file), {}));
  const auto compared = prepare({.paths = {second.path()}});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->scenario.name, "default-calico");
}

}  // namespace piped_input_test
}  // namespace overlane::runner
