#include "topologies/cni/calico/config.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "dataplane/net/prefix.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::calico {

namespace {

using document::Fields;
using document::FieldText;
using document::Value;
using manifest::given;
using manifest::given_bool;
using manifest::given_one_of;
using manifest::given_string;

constexpr std::string_view kDigits = "0123456789";
constexpr std::array<std::string_view, 16> kSuffixes = {
    "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

bool has_sign(std::string_view text) {
  return text.starts_with('+') || text.starts_with('-');
}

/// "e3", "E-6".
bool is_exponent(std::string_view text) {
  if (!text.starts_with('e') && !text.starts_with('E')) return false;
  text.remove_prefix(1);
  if (has_sign(text)) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of(kDigits) == text.npos;
}

/// Whether a Kubernetes quantity ("500m", "1.5Gi", "2e3") is more than zero; nullopt if `text` is
/// not a quantity (kubernetes/apimachinery pkg/api/resource/quantity.go).
std::optional<bool> is_positive_quantity(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (has_sign(text)) text.remove_prefix(1);
  const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, end);
  const std::string_view suffix = text.substr(end);
  if (number.find_first_of(kDigits) == number.npos || std::ranges::count(number, '.') > 1)
    return std::nullopt;
  if (std::ranges::find(kSuffixes, suffix) == kSuffixes.end() && !is_exponent(suffix))
    return std::nullopt;
  return !negative && number.find_first_of("123456789") != number.npos;
}

constexpr manifest::ConfigGroup kGroup{"calico.networking.extensions.gardener.cloud/v1alpha1",
                                       "calico.extensions.gardener.cloud/v1alpha1"};
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

void decode_ipam(Fields& config, NetworkConfig& calico) {
  Fields ipam = config.fields("ipam");
  calico.ipam_type = given_one_of(ipam, "type", {"host-local", "calico-ipam"});
  calico.ipam_cidr = given_string(ipam, "cidr");
  if (calico.ipam_cidr) {
    const std::string& text = calico.ipam_cidr->value;
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower != "usepodcidr" && !IpPrefix::parse(text))
      ipam.problems().error(ipam.any("cidr"), "bad-value",
                            fmt::format("{} must be usePodCIDR or a CIDR", calico.ipam_cidr->path));
  }
  ipam.no_others();
}

/// `ipv4:` and `ipv6:` (whose own fields are a superset).
Field<FamilyConfig> decode_family(Fields& config, std::string_view key) {
  const Value block = config.any(key);
  if (!block) return std::nullopt;
  Fields family(block, config.problems());
  FamilyConfig read;
  read.pool = given_one_of(family, "pool", {"ipip", "vxlan"});
  read.mode = given_one_of(family, "mode", kModes);
  const Value method = family.any("autoDetectionMethod");
  check_auto_detection(method, family);
  read.auto_detection_method = given(method, family.string("autoDetectionMethod"));
  if (key == "ipv6") read.source_nat = given_bool(family, "sourceNATEnabled");
  if (read.pool && read.mode && read.pool->value == "vxlan" && read.mode->value != "Always" &&
      read.mode->value != "Never")
    family.problems().error(
        family.any("mode"), "bad-value",
        fmt::format("with pool vxlan, {} must be Always or Never", read.mode->path));
  family.no_others();
  return manifest::Located<FamilyConfig>{std::move(read), block.place(),
                                         document::FieldPath(block)};
}

/// gardener-extension-networking-calico pkg/apis/calico/validation/networkconfig.go.
void check_quantity(const Value& quantity, Fields& fields) {
  if (!quantity) return;
  const auto positive =
      quantity.is(document::Kind::Scalar) ? is_positive_quantity(quantity.text()) : std::nullopt;
  if (positive == true) return;
  fields.problems().error(quantity, "bad-value",
                          positive ? fmt::format("{} must be more than 0", quantity.path())
                                   : fmt::format("{} is no quantity", quantity.path()),
                          "write a quantity like 250m or 100Mi");
}

void decode_auto_scaling(Fields& config, NetworkConfig& calico) {
  Fields scaling = config.fields("autoScaling");
  calico.auto_scaling_mode =
      given_one_of(scaling, "mode", {"cluster-proportional", "vpa", "static"});
  const Value given_resources = scaling.any("resources");
  Fields resources = scaling.fields("resources");
  for (const char* component : {"node", "typha"}) {
    Fields list = resources.fields(component);
    for (const char* resource : {"cpu", "memory"})
      check_quantity(list.any(resource), list);
    list.no_others();
  }
  resources.no_others();
  scaling.no_others();
  if (given_resources)
    calico.auto_scaling_resources = {"", given_resources.place(), given_resources.path()};
}

/// Decimal digits only: unlike YAML's integers, the text has no other base.
std::optional<std::int64_t> parse_decimal(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;
  if (text.empty() || text.size() > kMaxDigits || text.find_first_not_of("0123456789") != text.npos)
    return std::nullopt;
  std::int64_t number = 0;
  for (const char digit : text)
    number = number * 10 + (digit - '0');
  return number;
}

/// RFC 791: every IPv4 link carries 68 bytes; Linux refuses a lower MTU (ETH_MIN_MTU).
constexpr std::int64_t kMinMtu = 68;

Field<std::int64_t> decode_veth_mtu(Fields& config) {
  const Value value = config.any("vethMTU");
  const auto text = config.string("vethMTU");
  if (!text) return std::nullopt;
  const auto mtu = parse_decimal(*text);
  if (mtu && (*mtu == 0 || (*mtu >= kMinMtu && *mtu <= 65'535))) return given(value, mtu);
  config.problems().error(value, "bad-value",
                          fmt::format("{} must hold 0 or an integer from {} to 65535, in decimal "
                                      "digits",
                                      value.path(), kMinMtu),
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

NetworkConfig decode(const Value& value, document::Problems& problems) {
  Fields config(value, problems);
  manifest::check_config_type(config, kGroup);
  NetworkConfig calico;
  manifest::decode_overlay(config);  // For its errors: NetworkInputs::overlay has the value.
  calico.backend = given_one_of(config, "backend", {"bird", "none", "vxlan"});
  calico.ipv4 = decode_family(config, "ipv4");
  calico.ipv6 = decode_family(config, "ipv6");
  calico.veth_mtu = decode_veth_mtu(config);
  calico.vxlan = manifest::decode_switch(config, "vxlan");
  calico.ebpf = manifest::decode_switch(config, "ebpfDataplane");
  calico.wireguard = given_bool(config, "wireguardEncryption");
  decode_ipam(config, calico);
  decode_auto_scaling(config, calico);
  calico.snat_to_upstream_dns = manifest::decode_switch(config, "snatToUpstreamDNS");
  calico.typha = manifest::decode_switch(config, "typha");
  calico.bird_exporter = manifest::decode_switch(config, "birdExporter");
  Fields multus = config.fields("multus");
  calico.multus = given_bool(multus, "enabled");
  calico.multus_plugins = given_bool(multus, "installCNIPlugins");
  multus.no_others();
  calico.service_loop_prevention =
      given_one_of(config, "serviceLoopPrevention", {"Disabled", "Drop", "Reject"});
  config.one_of("ipip", kModes);
  config.string("ipAutodetectionMethod");
  warn_deprecated(config, "ipip");
  warn_deprecated(config, "ipAutodetectionMethod");
  config.no_others();
  return calico;
}

bool uses_calico_ipam(const NetworkConfig& config) {
  return (config.vxlan && config.vxlan->value) ||
         (config.ipam_type && config.ipam_type->value == "calico-ipam");
}

bool has_own_ipam_range(const NetworkConfig& config) {
  if (!config.ipam_cidr) return false;
  std::string lower = config.ipam_cidr->value;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower != "usepodcidr";
}

std::span<const document::FieldText> config_texts() {
  static constexpr std::array kTexts = {
      FieldText{"apiVersion", "The release of calico's NetworkConfig."},
      FieldText{"kind", "NetworkConfig."},
      FieldText{
          "overlay",
          "Whether pods' packets are encapsulated. An empty block is not the same as no block."},
      FieldText{"overlay.enabled", "true: IPIP, or VXLAN with vxlan.enabled; false: routed."},
      FieldText{"overlay.createPodRoutes",
                "Without overlay: whether BIRD writes routes to other nodes' pods, too."},
      FieldText{"backend", "bird, vxlan or none; overwritten wherever overlay is given."},
      FieldText{"ipv4", "The pool of IPv4 addresses."},
      FieldText{"ipv4.pool", "The encapsulation of the pool; ipip by default."},
      FieldText{"ipv4.mode",
                "When packets are encapsulated; Always by default, and overwritten by overlay."},
      FieldText{"ipv4.autoDetectionMethod",
                "How a node finds its address; overwritten where the shoot has nodes."},
      FieldText{"ipv6", "The pool of IPv6 addresses."},
      FieldText{"ipv6.pool", "The encapsulation of the pool; only vxlan can be reconciled."},
      FieldText{"ipv6.mode", "When packets are encapsulated; Never by default."},
      FieldText{"ipv6.autoDetectionMethod", "How a node finds its address."},
      FieldText{"ipv6.sourceNATEnabled", "Whether packets of pods get their node's address."},
      FieldText{"vethMTU",
                "The pods' MTU in bytes, as a string; \"0\", the default, lets Calico choose."},
      FieldText{"vxlan", "VXLAN instead of IPIP."},
      FieldText{"vxlan.enabled",
                "With the overlay: VXLAN. Without it: only the IPAM changes, which breaks pods."},
      FieldText{"ebpfDataplane", "Calico's eBPF dataplane."},
      FieldText{"ebpfDataplane.enabled", "false by default."},
      FieldText{"wireguardEncryption", "Encrypts between nodes with WireGuard."},
      FieldText{"ipam", "Allocation of pod addresses."},
      FieldText{"ipam.type", "host-local by default; vxlan.enabled forces calico-ipam."},
      FieldText{"ipam.cidr", "usePodCIDR (the default) or a range, for host-local."},
      FieldText{"autoScaling", "How calico-node and Typha get their resources."},
      FieldText{"autoScaling.mode",
                "cluster-proportional by default; vpa needs the vertical pod "
                "autoscaler of the shoot."},
      FieldText{"autoScaling.resources", "Requests for mode static."},
      FieldText{"autoScaling.resources.node", "Of calico-node."},
      FieldText{"autoScaling.resources.node.cpu", "A Kubernetes quantity."},
      FieldText{"autoScaling.resources.node.memory", "A Kubernetes quantity."},
      FieldText{"autoScaling.resources.typha", "Of Typha."},
      FieldText{"autoScaling.resources.typha.cpu", "A Kubernetes quantity."},
      FieldText{"autoScaling.resources.typha.memory", "A Kubernetes quantity."},
      FieldText{"snatToUpstreamDNS", "Whether queries to the upstream DNS get the node's address."},
      FieldText{"snatToUpstreamDNS.enabled",
                "Without overlay true by default; gcp and alicloud force it off."},
      FieldText{"typha", "Typha, which reduces the load of the API server."},
      FieldText{"typha.enabled", "true by default."},
      FieldText{"birdExporter", "Metrics of BIRD."},
      FieldText{"birdExporter.enabled", "false by default."},
      FieldText{"multus", "Several networks for a pod."},
      FieldText{"multus.enabled", "false by default."},
      FieldText{"multus.installCNIPlugins", "Whether the CNI plugins that it needs are installed."},
      FieldText{"serviceLoopPrevention",
                "How Felix handles packets to services that do not exist."},
      FieldText{"ipip", "Deprecated, without effect: use ipv4.mode."},
      FieldText{"ipAutodetectionMethod",
                "Deprecated, without effect: use ipv4.autoDetectionMethod."},
  };
  return kTexts;
}

}  // namespace overlane::calico
