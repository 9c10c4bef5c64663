#include "scenarios/testbed/fast_path.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/namespaces/process.h"

namespace overlane::testbed {
namespace fast_path_test {

using ::testing::HasSubstr;

/// A test program in place of overlane-fastpath that records its arguments.
class FastPathProgram : public ::testing::Test {
 protected:
  Parsed<kernel::OtherFigure> forward(const std::string& body, const FastPathLoad& load) {
    const std::filesystem::path file = folder_.path() / "program";
    std::ofstream(file) << "#!/bin/sh\necho \"$@\" >" << arguments_ << "\n" << body << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return forward_with_fast_path({.program = file, .inputs = {"shoot.yaml"}, .hugepages = {}},
                                  load);
  }
  std::string arguments() const {
    std::string line;
    std::ifstream file(arguments_);
    std::getline(file, line);
    return line;
  }

 private:
  kernel::TemporaryFolder folder_ = *kernel::TemporaryFolder::make();
  std::string arguments_ = folder_.path() / "arguments";
};

constexpr const char* kReport = R"(cat <<END
EAL: a line that is no part of it
{"cases": [{"name": "vxlan/encap/106", "mpps": 20.0}, {"name": "vxlan/decap/106", "mpps": 18.5}],
 "environment": {"overlane_version": "0.1.0"}}
END)";

TEST_F(FastPathProgram, TheSlowerOfBothNodesLimitsTheDatagrams) {
  const auto figure =
      forward(kReport, {.encapsulation = "vxlan", .payload_bytes = 64, .flows = 4, .peers = 2});
  ASSERT_TRUE(figure) << figure.error();
  EXPECT_EQ(figure->program, "overlane-fastpath 0.1.0");
  EXPECT_EQ(figure->value, 18'500'000ll * 64 * 8);
  EXPECT_THAT(arguments(), HasSubstr("bench shoot.yaml --mode vxlan --direction encap,decap "
                                     "--size 106 --flows 4 --routes 2"));
}

TEST_F(FastPathProgram, WhatItCannotMeasureIsNamed) {
  const FastPathLoad load{.encapsulation = "none", .payload_bytes = 64};
  FastPathLoad ipv6 = load;
  ipv6.family = Family::Ipv6;
  EXPECT_THAT(forward(kReport, ipv6).error(), HasSubstr("IPv4"));
  FastPathLoad sit = load;
  sit.encapsulation = "sit";
  EXPECT_THAT(forward(kReport, sit).error(), HasSubstr("VXLAN or Geneve"));
  EXPECT_EQ(forward("echo 'error: no memory'\nexit 4", load).error(),
            "overlane-fastpath ended with 4: error: no memory");
  EXPECT_EQ(forward("echo '{}'", load).error(), "overlane-fastpath measured nothing");
  EXPECT_EQ(forward_with_fast_path({.program = "no-fastpath", .inputs = {}, .hugepages = {}}, load)
                .error(),
            "no-fastpath is not installed");
}

}  // namespace fast_path_test
}  // namespace overlane::testbed
