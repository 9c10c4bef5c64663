#include "topologies/effective/families.h"

namespace overlane::effective {

Families::Families(const manifest::ClusterSpec& spec) {
  if (!spec.ip_families) return;
  const auto& names = spec.ip_families->value;
  if (names.front() == "IPv6") primary_ = Family::Ipv6;
  dual_stack_ = names.size() > 1;
}

}  // namespace overlane::effective
