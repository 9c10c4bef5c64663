#include "dataplane/dpdk/tables/lpm.h"

#include <algorithm>
#include <atomic>
#include <rte_errno.h>
#include <rte_lpm.h>
#include <set>

#include <fmt/format.h>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {
namespace {

/// rte_lpm keeps an entry in 24 bits.
constexpr std::size_t kMaxClasses = std::size_t{1} << 24;
constexpr std::uint8_t kDirectBits = 24;

/// One for each /24 with something longer in it.
std::size_t groups_needed(std::span<const adjacency::AddressClass> classes) {
  std::set<std::uint32_t> groups;
  for (const adjacency::AddressClass& one : classes) {
    const auto prefix = one.prefix.ipv4();
    if (prefix && prefix->length > kDirectBits) groups.insert(prefix->network.bits >> 8);
  }
  return groups.size();
}

rte_lpm* new_table(std::size_t rules, std::size_t groups) {
  static std::atomic<unsigned> made = 0;
  // A rule takes 8 bytes; DPDK wants names that differ.
  const rte_lpm_config config{
      .max_rules = static_cast<std::uint32_t>(rules),
      .number_tbl8s = static_cast<std::uint32_t>(std::max(groups, std::size_t{1})),
      .flags = 0};
  return rte_lpm_create(fmt::format("overlane-{}", made++).c_str(), SOCKET_ID_ANY, &config);
}

}  // namespace

Parsed<Lpm> Lpm::make(std::span<const adjacency::AddressClass> classes) {
  if (classes.size() > kMaxClasses) {
    return fail(fmt::format("{} address classes; the table holds {}", classes.size(), kMaxClasses));
  }
  Lpm made(new_table(classes.size(), groups_needed(classes)));
  if (!made.table_)
    return fail(dpdk_error("no memory for a longest-prefix match table of 64 MiB", rte_errno));
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const auto prefix = classes[i].prefix.ipv4();
    if (!prefix) continue;
    const int error = prefix->length == 0
                          // rte_lpm knows no default route: its two halves stand for it.
                          ? rte_lpm_add(made.table_.get(), 0, 1, i) +
                                rte_lpm_add(made.table_.get(), 1u << 31, 1, i)
                          : rte_lpm_add(made.table_.get(), prefix->network.bits, prefix->length, i);
    if (error != 0) return fail(dpdk_error("longest-prefix match, " + prefix->to_string(), error));
  }
  return made;
}

void Lpm::Free::operator()(rte_lpm* table) const {
  rte_lpm_free(table);
}

}  // namespace overlane::dpdk
