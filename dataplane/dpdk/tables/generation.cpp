#include "dataplane/dpdk/tables/generation.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_lpm.h>
#include <set>

#include <fmt/format.h>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {
namespace {

/// rte_lpm stores the value of an entry in 24 bits.
constexpr std::size_t kMaxClasses = std::size_t{1} << 24;
constexpr std::uint8_t kDirectBits = 24;

/// Number of second-level groups: one for each /24 that contains a longer prefix.
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
  // A rule takes 8 bytes. DPDK requires unique names.
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
                          // rte_lpm supports no default route, so its two halves (/1) replace it.
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

Parsed<std::shared_ptr<const Generation>> generation(std::shared_ptr<const node::NodeState> state) {
  auto compiled = adjacency::compile(std::move(state));
  auto lpm = Lpm::make(compiled.classes);
  if (!lpm) return fail(lpm.error());
  adjacency::Ipv6Finder ipv6(compiled.classes);
  adjacency::PrefixFinder all_classes(compiled.classes);
  auto links =
      std::make_unique<adjacency::LinkHeaders>(compiled.next_hops.size(), compiled.has_neighbours);
  return std::make_shared<const Generation>(Generation{std::move(compiled), std::move(*lpm),
                                                       std::move(ipv6), std::move(all_classes),
                                                       std::move(links)});
}

Parsed<std::unique_ptr<GenerationMaker>> GenerationMaker::start(std::function<Made()> make) {
  std::unique_ptr<GenerationMaker> maker(new GenerationMaker(std::move(make)));
  pthread_t thread{};
  const int error = rte_ctrl_thread_create(&thread, "compile", nullptr, run, maker.get());
  if (error != 0) return fail(dpdk_error("no thread to compile a state on", error));
  maker->thread_ = thread;
  return maker;
}

GenerationMaker::~GenerationMaker() {
  if (thread_) pthread_join(*thread_, nullptr);
}

void* GenerationMaker::run(void* self) {
  auto& maker = *static_cast<GenerationMaker*>(self);
  try {
    maker.made_ = maker.make_();
  } catch (const std::exception& error) {
    // For example bad_alloc: forwarding threads need the memory more.
    maker.made_ = fail(std::string(error.what()));
  }
  maker.done_.store(true, std::memory_order_release);
  return nullptr;
}

std::optional<GenerationMaker::Made> GenerationMaker::take() {
  if (!done_.load(std::memory_order_acquire)) return std::nullopt;
  return std::exchange(made_, std::nullopt);
}

}  // namespace overlane::dpdk
