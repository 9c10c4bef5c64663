#include <gtest/gtest.h>

#include "scenarios/library/library.h"
#include "topologies/cni/profiles.h"

namespace overlane::runner {
namespace cni_defaults_test {

/// prepare() replaces the list of manifests.
TEST(CniDefaults, EveryCniHasAComparisonWithManifests) {
  for (const cni::Profile* profile : cni::profiles()) {
    const auto text = library::find(profile->run.scenario);
    ASSERT_TRUE(text) << profile->type();
    EXPECT_NE(text->find("\n  manifests:\n  - "), std::string_view::npos) << profile->type();
  }
}

}  // namespace cni_defaults_test
}  // namespace overlane::runner
