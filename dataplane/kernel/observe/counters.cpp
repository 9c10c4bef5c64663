#include "dataplane/kernel/observe/counters.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "dataplane/kernel/observe/rule_counters.h"

namespace overlane::kernel {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

/// /proc/net/snmp and netstat: "Ip: Name Name…" and below it "Ip: 1 2…".
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

/// /proc/net/snmp6: "Ip6InReceives 12".
void read_list(const char* path, Counters& counters) {
  std::ifstream file(path);
  std::string name;
  for (std::int64_t value = 0; file >> name >> value;)
    counters[name] = value;
}

/// /proc/net/dev: two lines of titles, then "eth0: 16 numbers".
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

/// /proc/net/stat/rt_cache: a line of titles, then one line of hexadecimal numbers per processor.
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

Counters moved(const Counters& before, const Counters& after) {
  Counters difference;
  for (const auto& [name, value] : after) {
    const auto earlier = before.find(name);
    const std::int64_t change = value - (earlier == before.end() ? 0 : earlier->second);
    if (change != 0 && !is_traffic(name)) difference[name] = change;
  }
  return difference;
}

}  // namespace overlane::kernel
