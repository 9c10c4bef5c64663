#include "dataplane/kernel/experiment/counters.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <net/if.h>
#include <netinet/in.h>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <vector>

// Must follow <net/if.h> and <netinet/in.h>, with which they conflict otherwise.
#include <linux/netfilter/xt_comment.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::kernel {
namespace {

/// Reads /proc/net/snmp or netstat: a line "Ip: Name Name…" followed by "Ip: 1 2…".
void read_pairs(const char* path, Counters& counters) {
  std::ifstream file(path);
  std::string names_line;
  std::string values_line;
  while (std::getline(file, names_line) && std::getline(file, values_line)) {
    const auto names = words_of(names_line);
    const auto values = words_of(values_line);
    if (names.empty() || names.size() != values.size()) continue;
    const std::string group = names[0].substr(0, names[0].size() - 1);
    for (std::size_t i = 1; i < names.size(); ++i)
      counters[group + names[i]] = std::stoll(values[i]);
  }
}

/// Reads /proc/net/snmp6: lines "Ip6InReceives 12".
void read_list(const char* path, Counters& counters) {
  std::ifstream file(path);
  std::string name;
  for (std::int64_t value = 0; file >> name >> value;)
    counters[name] = value;
}

/// Reads /proc/net/dev: two title lines, then lines "eth0: 16 numbers".
void read_devices(const char* path, Counters& counters) {
  constexpr std::array<std::string_view, 16> kColumns = {
      "rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo", "rx_frame", "",           "",
      "tx_bytes", "tx_packets", "tx_errors", "tx_dropped", "tx_fifo", "",         "tx_carrier", ""};
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string device = words_of(line.substr(0, colon)).at(0);
    const auto values = words_of(line.substr(colon + 1));
    for (std::size_t i = 0; i < kColumns.size() && i < values.size(); ++i) {
      if (kColumns[i].empty()) continue;
      counters["dev " + device + " " + std::string(kColumns[i])] = std::stoll(values[i]);
    }
  }
}

/// Reads /proc/net/stat/rt_cache: a title line, then one line of hexadecimal numbers per processor.
void read_route_statistics(const char* path, Counters& counters) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto names = words_of(line);
  while (std::getline(file, line)) {
    const auto values = words_of(line);
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
      counters["route " + names[i]] += std::stoll(values[i], nullptr, 16);
  }
}

bool is_traffic(const std::string& name) {
  for (const std::string_view part :
       {"Octets", "_bytes", "_packets", "InReceives", "InDelivers", "OutRequests", "OutTransmits",
        "NoECTPkts", "ECT0Pkts", "ECT1Pkts", "CEPkts", "ForwDatagrams", "McastPkts", "slow_tot",
        "in_hit", "out_hit", "entries"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

struct Ipv4Tables {
  static constexpr int kFamily = AF_INET;
  static constexpr int kLevel = IPPROTO_IP;
  static constexpr int kGetInfo = IPT_SO_GET_INFO;
  static constexpr int kGetEntries = IPT_SO_GET_ENTRIES;
  using Info = ipt_getinfo;
  using Entries = ipt_get_entries;
  using Entry = ipt_entry;
};

struct Ipv6Tables {
  static constexpr int kFamily = AF_INET6;
  static constexpr int kLevel = IPPROTO_IPV6;
  static constexpr int kGetInfo = IP6T_SO_GET_INFO;
  static constexpr int kGetEntries = IP6T_SO_GET_ENTRIES;
  using Info = ip6t_getinfo;
  using Entries = ip6t_get_entries;
  using Entry = ip6t_entry;
};

template <typename T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// The comment among the matches in the range from `begin` to `end`.
std::optional<std::string> comment_of(const char* begin, const char* end) {
  while (end - begin > static_cast<std::ptrdiff_t>(sizeof(xt_entry_match))) {
    const auto match = load<xt_entry_match>(begin);
    if (std::strcmp(match.u.user.name, "comment") == 0) {
      const auto info = load<xt_comment_info>(begin + sizeof(xt_entry_match));
      return std::string(info.comment);
    }
    if (match.u.match_size == 0) break;
    begin += match.u.match_size;
  }
  return std::nullopt;
}

template <typename Tables>
void read_table(int fd, const char* name, Counters& counters) {
  typename Tables::Info info{};
  std::strncpy(info.name, name, sizeof info.name - 1);
  socklen_t size = sizeof info;
  if (getsockopt(fd, Tables::kLevel, Tables::kGetInfo, &info, &size) != 0) return;
  std::vector<char> buffer(sizeof(typename Tables::Entries) + info.size);
  typename Tables::Entries request;
  std::memset(&request, 0, sizeof request);
  std::strncpy(request.name, name, sizeof request.name - 1);
  request.size = info.size;
  std::memcpy(buffer.data(), &request, sizeof request);
  size = static_cast<socklen_t>(buffer.size());
  if (getsockopt(fd, Tables::kLevel, Tables::kGetEntries, buffer.data(), &size) != 0) return;

  const char* end = buffer.data() + buffer.size();
  const char* at = buffer.data() + sizeof(typename Tables::Entries);
  while (at + sizeof(typename Tables::Entry) <= end) {
    const auto entry = load<typename Tables::Entry>(at);
    const auto comment = comment_of(at + sizeof entry, at + entry.target_offset);
    if (comment) counters["rule " + *comment] += static_cast<std::int64_t>(entry.counters.pcnt);
    at += entry.next_offset;
  }
}

template <typename Tables>
void read_tables(Counters& counters) {
  const OwnedFd fd(socket(Tables::kFamily, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW));
  for (const char* table : {"raw", "filter"})
    read_table<Tables>(fd.get(), table, counters);
}

bool has_changed(const Counters& changed, std::string_view counter) {
  if (!counter.starts_with('*')) return changed.contains(std::string(counter));
  counter.remove_prefix(1);
  return std::ranges::any_of(changed,
                             [=](const auto& entry) { return entry.first.ends_with(counter); });
}

/// Adds "rule COMMENT" for each comment of the packet filter rules in the thread's namespace: the
/// number of packets that the rules with this comment matched. Queries the kernel directly
/// (IPT_SO_GET_ENTRIES, linux/netfilter_ipv4/ip_tables.h), because an iptables-save per packet is
/// too slow in user-mode Linux.
void read_rule_counters(Counters& counters) {
  read_tables<Ipv4Tables>(counters);
  read_tables<Ipv6Tables>(counters);
}

}  // namespace

Counters read_counters(const NetworkNamespace& node) {
  const Inside inside(node);
  Counters counters;
  read_pairs("/proc/thread-self/net/snmp", counters);
  read_pairs("/proc/thread-self/net/netstat", counters);
  read_list("/proc/thread-self/net/snmp6", counters);
  read_devices("/proc/thread-self/net/dev", counters);
  read_route_statistics("/proc/thread-self/net/stat/rt_cache", counters);
  read_rule_counters(counters);
  return counters;
}

bool has_input(const Counters& before, const Counters& after) {
  return std::ranges::any_of(
      std::array{"IpInReceives", "Ip6InReceives", "IpOutRequests", "Ip6OutRequests"},
      [&](const char* name) {
        const auto earlier = before.find(name);
        const auto later = after.find(name);
        if (later == after.end()) return false;
        return earlier == before.end() ? later->second != 0 : later->second != earlier->second;
      });
}

Counters changed_counters(const Counters& before, const Counters& after) {
  Counters difference;
  for (const auto& [name, value] : after) {
    const auto earlier = before.find(name);
    const std::int64_t change = value - (earlier == before.end() ? 0 : earlier->second);
    if (change != 0 && !is_traffic(name)) difference[name] = change;
  }
  return difference;
}

bool confirms_drop(const Counters& changed, Drop drop) {
  const auto& counters = facts(drop).counters;
  return counters.front().empty() || std::ranges::any_of(counters, [&](std::string_view counter) {
           return !counter.empty() && has_changed(changed, counter);
         });
}

std::string to_string(const Counters& changed) {
  std::string text;
  for (const auto& [name, value] : changed)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

}  // namespace overlane::kernel
