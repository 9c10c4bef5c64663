#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::Provider;
using effective::Stage;
namespace {

void check_customizer(const LintInputs& in, RuleReport& report) {
  const auto& customizer = in.shoot.spec.shoot.infrastructure.mtu_customizer;
  if (in.shoot.provider.machines.customized_mtu != 0 && customizer && customizer->value)
    report.add(*customizer,
               fmt::format("every NIC gets the MTU {}, but the VPC supports {}",
                           in.shoot.link_mtu.value, in.shoot.provider.fabric.link_mtu),
               "set enableMTUCustomizer: false; then " +
                   node_replacement(in.shoot.spec.shoot, "roll the nodes"));
}

void check_customizer_unset(const LintInputs& in, RuleReport& report) {
  if (in.shoot.provider.machines.customized_mtu != 0 && in.shoot.stage == Stage::Live &&
      in.shoot.link_mtu.basis.assumed && !in.shoot.spec.shoot.infrastructure.mtu_customizer)
    report.add(fmt::format(
        "the live shoot does not set enableMTUCustomizer: its nodes' MTU may be {} instead of {}",
        in.shoot.provider.machines.customized_mtu, in.shoot.link_mtu.value));
}

constexpr Check<LintInputs> kLinkMtuLints[] = {
    {{.id = "aws-mtu-customizer",
      .section = "§2.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "AWS nodes are forced to a smaller MTU than the VPC supports.",
      .why = "enableMTUCustomizer sets one MTU without jumbo frames on every NIC, although most "
             "instance "
             "types have them: six times as many packets for the same data.",
      .remedy = "set enableMTUCustomizer: false and roll the nodes",
      .source = "gardener-extension-provider-aws docs/usage/usage.md"},
     check_customizer},
    {{.id = "aws-mtu-customizer-unset",
      .section = "§2.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A live AWS shoot does not say whether its nodes' MTU is forced.",
      .why = "The field is documented as true by default, while admission writes false into new "
             "shoots. An older shoot without it may have the smaller MTU.",
      .remedy =
          "check a node's MTU, and write enableMTUCustomizer or pass --set landscape.link-mtu=N",
      .source = "gardener-extension-provider-aws docs/usage/usage.md"},
     check_customizer_unset},
};

}  // namespace

std::span<const Check<LintInputs>> link_mtu_lints() {
  return kLinkMtuLints;
}

}  // namespace overlane::rules
