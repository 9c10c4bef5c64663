#include "dataplane/dpdk/io/eal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <net/if.h>
#include <optional>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <rte_pci.h>
#include <sched.h>
#include <set>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace overlane::dpdk {
namespace {

/// Collects what DPDK logs while it starts, for the error message.
class Log {
 public:
  Log() : stream_(open_memstream(&text_, &size_)) { rte_openlog_stream(stream_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() {
    rte_openlog_stream(nullptr);
    std::fclose(stream_);
    std::free(text_);  // NOLINT: open_memstream allocates with malloc
  }

  /// The logged lines, joined.
  std::string text() const {
    std::fflush(stream_);
    std::string all(text_, size_);
    while (!all.empty() && all.back() == '\n')
      all.pop_back();
    std::ranges::replace(all, '\n', ';');
    return all;
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

/// The PCI address at the beginning of a device argument.
std::optional<rte_pci_addr> pci_address(const std::string& device) {
  rte_pci_addr address{};
  const std::string name = device.substr(0, device.find(','));
  if (rte_pci_addr_parse(name.c_str(), &address) != 0) return std::nullopt;
  return address;
}

std::vector<std::string> arguments(const EalOptions& options) {
  std::vector<std::string> words{"overlane-fastpath", "--no-telemetry", "--log-level=error", "-l",
                                 fmt::format("{}", fmt::join(options.cores, ",")),
                                 fmt::format("--main-lcore={}", options.cores.at(0)),
                                 // The widest SIMD registers of the machine (rte_vect.h).
                                 "--force-max-simd-bitwidth=512"};
  if (options.hugepages) {
    // No files in /dev/hugepages, and no lock that a second instance would conflict with.
    words.insert(words.end(), {"--in-memory", "-m", std::to_string(options.memory_mib)});
  } else {
    words.insert(words.end(),
                 {"--no-huge", "--no-shconf", "-m", std::to_string(options.memory_mib)});
  }
  bool has_pci = false;
  for (const std::string& device : options.devices) {
    has_pci = has_pci || is_pci_address(device);
    words.push_back((is_pci_address(device) ? "--allow=" : "--vdev=") + device);
  }
  if (!has_pci) words.emplace_back("--no-pci");
  return words;
}

/// The value of `iface=` in "net_af_packet0,iface=veth0,framesz=4096".
std::string interface_of(const std::string& device) {
  constexpr std::string_view kKey = ",iface=";
  const std::size_t at = device.find(kKey);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kKey.size();
  return device.substr(begin, device.find(',', begin) - begin);
}

/// Binds a Unix socket to a name in the abstract namespace, which belongs to the network namespace
/// (unix(7)). Returns a negative number and sets errno if the name is in use.
int bound_socket(const std::string& name) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  // An abstract name begins with a zero byte.
  std::strncpy(address.sun_path + 1, name.c_str(), sizeof address.sun_path - 2);
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const auto* bound = reinterpret_cast<const sockaddr*>(&address);
  if (bind(socket, bound, sizeof address) == 0) return socket;
  const int error = errno;
  close(socket);
  errno = error;
  return -1;
}

/// Free hugepages of the machine, in MiB.
std::uint64_t free_hugepage_mib() {
  std::uint64_t mib = 0;
  std::error_code none;
  for (const auto& size : std::filesystem::directory_iterator("/sys/kernel/mm/hugepages", none)) {
    // "hugepages-2048kB".
    const std::string name = size.path().filename();
    std::uint64_t free = 0;
    std::ifstream(size.path() / "free_hugepages") >> free;
    mib += free * std::strtoull(name.c_str() + name.find('-') + 1, nullptr, 10) / 1024;
  }
  return mib;
}

}  // namespace

bool is_pci_address(const std::string& device) {
  return pci_address(device).has_value();
}

std::string port_name(const std::string& device) {
  const auto address = pci_address(device);
  if (!address) return device.substr(0, device.find(','));
  std::array<char, PCI_PRI_STR_SIZE> name{};
  rte_pci_device_name(&*address, name.data(), name.size());
  return name.data();
}

std::string dpdk_error(const std::string& what, int error) {
  const int number = std::abs(error);
  return fmt::format("{}: {} ({})", what, rte_strerror(number), number);
}

std::vector<unsigned> own_cores(std::size_t most) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<unsigned> cores;
  for (unsigned core = 0; core < CPU_SETSIZE && cores.size() < most; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  return cores;
}

Parsed<Eal> Eal::start(const EalOptions& options) {
  if (std::set(options.cores.begin(), options.cores.end()).size() != options.cores.size()) {
    return fail(std::string("a core is named twice"));
  }
  // For an invalid core, DPDK would print all of its own options.
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (const unsigned core : options.cores) {
    if (core >= CPU_SETSIZE || !CPU_ISSET(core, &allowed)) {
      return fail(fmt::format("there is no core {} for this process; it has {}", core,
                              CPU_COUNT(&allowed)));
    }
  }
  if (options.hugepages && free_hugepage_mib() < options.memory_mib) {
    return fail(
        fmt::format("{} MiB of free hugepages are needed, there are {}; set "
                    "vm.nr_hugepages, or do without (--no-hugepages)",
                    options.memory_mib, free_hugepage_mib()));
  }
  std::vector<std::string> words = arguments(options);
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  const Log log;
  if (rte_eal_init(static_cast<int>(pointers.size()), pointers.data()) < 0) {
    const std::string said = log.text();
    return fail(said.empty() ? dpdk_error("DPDK does not start", rte_errno)
                             : "DPDK does not start: " + said);
  }
  return Eal();
}

Eal::~Eal() {
  if (started_) rte_eal_cleanup();
}

Parsed<std::optional<InterfaceClaim>> InterfaceClaim::of(const std::string& device) {
  const std::string name = interface_of(device);
  if (name.empty()) return std::nullopt;
  const unsigned index = if_nametoindex(name.c_str());
  if (index == 0) return fail(dpdk_error("interface " + name, errno));
  const int socket = bound_socket("overlane-fastpath/" + name);
  if (socket < 0 && errno == EADDRINUSE) {
    return fail(fmt::format("interface {} belongs to another overlane-fastpath", name));
  }
  if (socket < 0) return fail(dpdk_error("interface " + name, errno));
  return InterfaceClaim(name, index, socket);
}

InterfaceClaim::InterfaceClaim(InterfaceClaim&& other) noexcept
    : name_(std::move(other.name_)),
      index_(other.index_),
      socket_(std::exchange(other.socket_, -1)) {}

InterfaceClaim::~InterfaceClaim() {
  if (socket_ >= 0) close(socket_);
}

bool InterfaceClaim::is_there() const {
  return if_nametoindex(name_.c_str()) == index_;
}

}  // namespace overlane::dpdk
