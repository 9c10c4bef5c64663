#include <fmt/format.h>

#include "topologies/cni/cilium/rule_tables.h"

namespace overlane::cilium {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

bool is_on(const Field<bool>& field) {
  return field && field->value;
}

void check_switched_off(const LintInputs& in, RuleReport& report) {
  const EncryptionConfig& encryption = in.config.encryption;
  if (is_on(encryption.enabled)) return;
  for (const auto& setting : {encryption.node_to_node, encryption.strict})
    if (is_on(setting))
      report.add(*setting, fmt::format("{} has no effect while encryption is off", setting->path));
}

void check_strict(const LintInputs& in, RuleReport& report) {
  const EncryptionConfig& encryption = in.config.encryption;
  if (is_on(encryption.enabled) && is_on(encryption.strict) &&
      in.dataplane.dataplane.mode == effective::Mode::Overlay)
    report.add(*encryption.strict,
               "in a tunnel, strict mode lets unencrypted packets of remote nodes pass");
}

constexpr Check<LintInputs> kEncryptionLints[] = {
    {{.id = "encryption-switched-off",
      .section = "§1.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "encryption has settings but is not enabled.",
      .why = "nodeToNodeEnabled and strictMode alone encrypt nothing.",
      .remedy = "set encryption.enabled: true, or remove them",
      .source = "gardener-extension-networking-cilium pkg/apis/cilium/validation/"
                "networkconfig.go"},
     check_switched_off},
    {{.id = "strict-mode-in-tunnel",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Strict encryption is combined with a tunnel.",
      .why = "When tunnelling, and where pods and nodes overlap, strict mode must allow the "
             "identities of remote nodes: it does not guarantee encryption.",
      .remedy = "set overlay.enabled: false where every packet must be encrypted",
      .source = "gardener-extension-networking-cilium pkg/charts/utils.go"},
     check_strict},
};

}  // namespace

std::span<const Check<LintInputs>> encryption_lints() {
  return kEncryptionLints;
}

}  // namespace overlane::cilium
