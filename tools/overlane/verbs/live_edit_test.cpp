#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "tools/overlane/testing/run_overlane.h"

// Edits of a live shoot: every verb answers about the object that admission would store, or says
// that its answer is about the file as it is.
namespace overlane::command {

namespace live_edit_test {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kLibraryShoot = "topologies/library/manifests/shoot-aws-ipip.yaml";

std::string with(std::string text, std::string_view old_part, std::string_view new_part) {
  const std::size_t at = text.find(old_part);
  if (at == std::string::npos) throw std::runtime_error(std::string(old_part) + " is missing");
  return text.replace(at, old_part.size(), new_part);
}

/// A routed or overlay shoot of AWS as `kubectl get shoot -o yaml` prints it, with these settings
/// of the cloud controller manager.
std::string live_shoot(bool overlay, std::string_view manager, int resource_version = 1) {
  std::string text = with(read_text(source_file(kLibraryShoot)), "  name: ipip-aws\n",
                          fmt::format("  name: ipip-aws\n  uid: 6a1f3d5c\n  resourceVersion: "
                                      "\"{}\"\n",
                                      resource_version));
  text = with(std::move(text), "    infrastructureConfig:\n",
              fmt::format("    controlPlaneConfig:\n"
                          "      apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1\n"
                          "      kind: ControlPlaneConfig\n{}    infrastructureConfig:\n",
                          manager));
  return with(std::move(text), "        enabled: true\n",
              fmt::format("        enabled: {}\n", overlay));
}

constexpr std::string_view kManagers[] = {
    "", "      cloudControllerManager: {useCustomRouteController: false}\n"};
constexpr std::string_view kOff = " --patch '{overlay: {enabled: false}}'";

Answer overlane(std::string_view verb, const std::string& files, std::string_view options = "") {
  return run_overlane(fmt::format("{} {}{}", verb, files, options));
}

TEST(LiveEdit, ComparisonShowsWhatAdmissionStores) {
  for (const std::string_view manager : kManagers) {
    const std::string stored = write_temporary("stored.yaml", live_shoot(true, manager));
    const std::string edited = write_temporary("edited.yaml", live_shoot(false, manager));
    const Answer answer = overlane("explain", stored, " --compare-to " + edited);
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_THAT(answer.out,
                HasSubstr("  dataplane.cloud_routes\n    - not-needed\n    + written\n"));
    const Answer states =
        overlane("explain", stored, " --node-state --fabric-state --compare-to " + edited);
    const Answer patched = overlane("explain", stored, " --fabric-state" + std::string(kOff));
    EXPECT_THAT(states.out, HasSubstr("(route controller)"));
    EXPECT_EQ(states.out.substr(0, states.out.find("# assumed")),
              patched.out.substr(0, patched.out.find("# assumed")));
  }
}

TEST(LiveEdit, ComparisonOfTwoStoredVersionsChangesNeither) {
  const std::string before = write_temporary("before.yaml", live_shoot(true, ""));
  const std::string after = write_temporary("after.yaml", live_shoot(false, "", 2));
  EXPECT_THAT(overlane("explain", before, " --compare-to " + after).out,
              HasSubstr("    - not-needed\n    + not-written\n"));
  EXPECT_EQ(overlane("explain", after, " --compare-to " + after).out.substr(0, 15),
            "nothing differs");
}

TEST(LiveEdit, AFileThatAdmissionWouldChangeHasItsConditionInTheFirstLines) {
  for (const std::string_view manager : kManagers) {
    const std::string stored = write_temporary("stored.yaml", live_shoot(true, manager));
    const std::string edited = write_temporary("edited.yaml", live_shoot(false, manager));
    const std::string condition =
        "if this file is the object as the garden stores it, although admission would change "
        "cloud_routes to written; for an edit that is not applied yet, use --patch on the stored "
        "file, or check --update";
    const Answer explained = overlane("explain", edited);
    EXPECT_THAT(unwrapped(explained.out), HasSubstr("the cloud's routes to them, " + condition));
    const Answer traced = overlane("trace", edited, " --reply");
    EXPECT_EQ(traced.exit_code, 1);
    EXPECT_THAT(unwrapped(traced.out),
                HasSubstr("DROPPED at gate route: vpc, hop 7, " + condition + "."));
    EXPECT_THAT(unwrapped(overlane("check", edited).out + overlane("check", edited).err),
                HasSubstr("if this file is an edit that is not applied yet, use --patch"));
    const Answer patched = overlane("trace", stored, " --reply" + std::string(kOff));
    EXPECT_EQ(patched.exit_code, 0) << patched.out;
    EXPECT_THAT(patched.out, Not(HasSubstr("garden stores")));
    EXPECT_THAT(overlane("explain", stored).out, Not(HasSubstr("garden stores")));
  }
}

/// The shell commands of a page, each on one line.
std::vector<std::string> commands_of_page(const std::string& page) {
  std::vector<std::string> commands;
  bool is_command = false;
  std::string command;
  std::string_view text = page;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("```")) {
      is_command = line == "```sh";
      continue;
    }
    if (!is_command) continue;
    const bool goes_on = line.ends_with('\\');
    command += line.substr(0, line.size() - (goes_on ? 1 : 0));
    if (!goes_on) commands.push_back(std::exchange(command, ""));
  }
  return commands;
}

std::string replace_all(std::string text, std::string_view old_part, std::string_view new_part) {
  for (std::size_t at = text.find(old_part); at != std::string::npos;
       at = text.find(old_part, at + new_part.size()))
    text.replace(at, old_part.size(), new_part);
  return text;
}

TEST(LiveEdit, TheHowToIsRightForALiveShoot) {
  const std::string stored = write_temporary("stored.yaml", live_shoot(true, ""));
  const std::string edited = write_temporary("edited.yaml", live_shoot(false, ""));
  std::size_t steps = 0;
  for (std::string command :
       commands_of_page(read_text(source_file("docs/how-to/before-a-switch.md")))) {
    command = replace_all(std::move(command), kLibraryShoot, stored);
    command = replace_all(std::move(command), "new.yaml", edited);
    // The slowest steps, whose answers other tests compare.
    if (!command.starts_with("overlane ") || command.find("--disturb") != command.npos) continue;
    const Answer answer = run_overlane(command.substr(9));
    const std::string said = unwrapped(answer.out + answer.err);
    EXPECT_LE(answer.exit_code, 1) << command << "\n" << said;
    for (const char* wrong : {"not-written", "DROPPED", "pods do not reach", "garden stores"})
      EXPECT_THAT(said, Not(HasSubstr(wrong))) << command;
    ++steps;
  }
  EXPECT_GE(steps, 5u);
}

TEST(LiveEdit, HintsAboutALiveShootNameTheSimulationFirst) {
  const std::string stored = write_temporary("stored.yaml", live_shoot(true, ""));
  const Answer live = overlane("check", stored);
  EXPECT_THAT(unwrapped(live.out + live.err),
              HasSubstr("[ipip-single-flow]; set overlay.enabled: false, or create the shoot with "
                        "vxlan.enabled: true; the shoot is live: see first what `overlane migrate "
                        "FILE --to MODE` says"));
  const Answer created = overlane("check", std::string(kLibraryShoot));
  EXPECT_THAT(unwrapped(created.out + created.err), HasSubstr("[ipip-single-flow]"));
  EXPECT_THAT(unwrapped(created.out + created.err), Not(HasSubstr("overlane migrate")));
}

TEST(LiveEdit, TheOtherPlausibleMtuIsInTheFirstLineAndInTheReasons) {
  const std::string stored = write_temporary("stored.yaml", live_shoot(true, ""));
  const std::string explained = unwrapped(overlane("explain", stored).out);
  EXPECT_THAT(explained, HasSubstr("with packets of up to 8981 bytes (1440 if the link MTU is 1460 "
                                   "instead of 9001)"));
  for (const char* verb : {"explain", "trace", "run"}) {
    const Answer answer = overlane(verb, stored);
    EXPECT_THAT(unwrapped(answer.out + answer.err),
                HasSubstr("1460 if enableMTUCustomizer is on, which the live object does not set"))
        << verb;
  }
  const Answer traced = overlane("trace", stored);
  EXPECT_THAT(unwrapped(traced.out), HasSubstr("; 1440 if the link MTU is 1460"));
  const std::string set =
      unwrapped(overlane("explain", stored, " --set landscape.link-mtu=1460").out);
  EXPECT_THAT(set, HasSubstr("with packets of up to 1440 bytes [row"));
}

TEST(LiveEdit, MissingRoutesAreCountedOncePerPairOfNodes) {
  const std::string file = write_temporary("routed.yaml", live_shoot(false, kManagers[0]));
  EXPECT_THAT(overlane("migrate", file, " --to ipip --nodes 4").out,
              HasSubstr("before the switch: 6 pairs of nodes do not reach each other's pods"));
}

}  // namespace live_edit_test

}  // namespace overlane::command
