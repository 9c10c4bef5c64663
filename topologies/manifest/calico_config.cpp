#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "dataplane/net/prefix.h"
#include "topologies/manifest/network_config_decoders.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Value;

constexpr std::array<std::string_view, 4> kModes = {"Always", "Never", "CrossSubnet", "Off"};

/// gardener-extension-networking-calico pkg/apis/calico/validation/networkconfig.go.
void check_auto_detection(const Value& method, Fields& fields) {
  const auto text = read_string(method, fields.problems());
  if (!text || *text == "first-found" || *text == "kubernetes-internal-ip") return;
  constexpr std::array kPrefixes = {"can-reach=", "interface=", "skip-interface=", "cidr="};
  if (std::ranges::any_of(kPrefixes, [&](const char* p) { return text->starts_with(p); })) return;
  fields.problems().error(method, "bad-value",
                          fmt::format("{} names no known autodetection method", method.path()),
                          "use first-found, kubernetes-internal-ip, can-reach=, interface=, "
                          "skip-interface= or cidr=");
}

void check_ipam(Fields& config) {
  Fields ipam = config.fields("ipam");
  ipam.one_of("type", {"host-local", "calico-ipam"});
  const Value cidr = ipam.any("cidr");
  if (const auto text = ipam.string("cidr")) {
    std::string lower = *text;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower != "usepodcidr" && !IpPrefix::parse(*text))
      ipam.problems().error(cidr, "bad-value",
                            fmt::format("{} must be usePodCIDR or a CIDR", cidr.path()));
  }
  ipam.no_others();
}

/// `ipv4:` and `ipv6:` (whose own fields are a superset).
void decode_family(Fields& config, std::string_view key, Field<std::string>* pool_out,
                   Field<std::string>* mode_out) {
  Fields family = config.fields(key);
  const auto pool = given(family.any("pool"), family.one_of("pool", {"ipip", "vxlan"}));
  const auto mode = given(family.any("mode"), family.one_of("mode", kModes));
  check_auto_detection(family.any("autoDetectionMethod"), family);
  if (key == "ipv6") family.boolean("sourceNATEnabled");
  if (pool && mode && pool->value == "vxlan" && mode->value != "Always" && mode->value != "Never")
    family.problems().error(family.any("mode"), "bad-value",
                            fmt::format("with pool vxlan, {} must be Always or Never", mode->path));
  family.no_others();
  if (pool_out != nullptr) *pool_out = pool;
  if (mode_out != nullptr) *mode_out = mode;
}

void check_auto_scaling(Fields& config) {
  Fields scaling = config.fields("autoScaling");
  scaling.one_of("mode", {"cluster-proportional", "vpa", "static"});
  Fields resources = scaling.fields("resources");
  for (const char* component : {"node", "typha"}) {
    Fields list = resources.fields(component);
    list.ignore({"cpu", "memory"});
    list.no_others();
  }
  resources.no_others();
  scaling.no_others();
}

/// Decimal digits only: unlike YAML's integers, the text has no other base.
std::optional<std::int64_t> parse_decimal(std::string_view text) {
  constexpr std::size_t kMostDigits = 18;
  if (text.empty() || text.size() > kMostDigits ||
      text.find_first_not_of("0123456789") != text.npos)
    return std::nullopt;
  std::int64_t number = 0;
  for (const char digit : text)
    number = number * 10 + (digit - '0');
  return number;
}

/// RFC 791: every IPv4 link carries 68 bytes; Linux refuses a lower MTU (ETH_MIN_MTU).
constexpr std::int64_t kLeastMtu = 68;

Field<std::int64_t> decode_veth_mtu(Fields& config) {
  const Value value = config.any("vethMTU");
  const auto text = config.string("vethMTU");
  if (!text) return std::nullopt;
  const auto mtu = parse_decimal(*text);
  if (mtu && (*mtu == 0 || (*mtu >= kLeastMtu && *mtu <= 65'535))) return given(value, mtu);
  config.problems().error(value, "bad-value",
                          fmt::format("{} must hold 0 or an integer from {} to 65535, in decimal "
                                      "digits",
                                      value.path(), kLeastMtu),
                          "\"0\" lets Calico choose");
  return std::nullopt;
}

/// Fields that the extension accepts and overwrites.
void warn_deprecated(Fields& config, std::string_view key) {
  const Value value = config.any(key);
  if (value)
    config.problems().warning(value, "deprecated-field",
                              fmt::format("{} is deprecated and has no effect", value.path()),
                              "use the ipv4 block");
}

}  // namespace

CalicoConfig decode_calico(Fields& config) {
  CalicoConfig calico;
  calico.overlay = decode_overlay(config);
  calico.backend =
      given(config.any("backend"), config.one_of("backend", {"bird", "none", "vxlan"}));
  decode_family(config, "ipv4", &calico.ipv4_pool, &calico.ipv4_mode);
  decode_family(config, "ipv6", nullptr, nullptr);
  calico.veth_mtu = decode_veth_mtu(config);
  calico.vxlan = decode_switch(config, "vxlan");
  calico.ebpf = decode_switch(config, "ebpfDataplane");
  calico.wireguard =
      given(config.any("wireguardEncryption"), config.boolean("wireguardEncryption"));
  check_ipam(config);
  check_auto_scaling(config);
  calico.snat_to_upstream_dns = decode_switch(config, "snatToUpstreamDNS");
  for (const char* key : {"typha", "birdExporter"})
    decode_switch(config, key);
  Fields multus = config.fields("multus");
  multus.boolean("enabled");
  multus.boolean("installCNIPlugins");
  multus.no_others();
  config.one_of("serviceLoopPrevention", {"Disabled", "Drop", "Reject"});
  config.one_of("ipip", kModes);
  config.string("ipAutodetectionMethod");
  warn_deprecated(config, "ipip");
  warn_deprecated(config, "ipAutodetectionMethod");
  config.no_others();
  return calico;
}

}  // namespace overlane::manifest
