#include "dataplane/node/state/security_group.h"

#include <fmt/format.h>

namespace overlane::node {

std::string_view to_string(RuleSource source) {
  switch (source) {
    case RuleSource::Networks:
      return "networks";
    case RuleSource::GroupInterfaces:
      return "interfaces of the group";
    case RuleSource::GroupAddresses:
      return "addresses of the group";
    case RuleSource::GroupFixedAddresses:
      return "fixed addresses of the group";
  }
  return "";
}

std::string to_string(const FabricRule& rule) {
  std::string text = "allow from";
  if (rule.source != RuleSource::Networks) text += fmt::format(" {}", to_string(rule.source));
  for (const IpPrefix& network : rule.networks)
    text += fmt::format(" {}", network.to_string());
  for (const std::uint8_t protocol : rule.protocols)
    text += fmt::format(" protocol {}", protocol);
  for (const PortRange& ports : rule.ports)
    text += fmt::format(" ports {}-{}", ports.first, ports.last);
  return text;
}

}  // namespace overlane::node
