#include "dataplane/kernel/observe/rule_counters.h"

#include <cstring>
#include <linux/netfilter/xt_comment.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <optional>
#include <sys/socket.h>
#include <vector>

namespace overlane::kernel {
namespace {

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

/// The comment among the matches in [begin, end).
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

}  // namespace

void read_rule_counters(Counters& counters) {
  read_tables<Ipv4Tables>(counters);
  read_tables<Ipv6Tables>(counters);
}

}  // namespace overlane::kernel
