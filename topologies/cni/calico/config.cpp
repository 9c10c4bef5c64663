#include "topologies/cni/calico/config.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "dataplane/net/prefix.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::calico {

namespace {

using document::FieldKey;
using document::Fields;
using document::Value;
using manifest::decode_switch;
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

/// Whether `text` is the exponent of a quantity, like "e3" or "E-6".
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
                                       "calico.extensions.gardener.cloud/v1alpha1",
                                       "The release of calico's NetworkConfig."};
constexpr std::array<std::string_view, 4> kModes = {"Always", "Never", "CrossSubnet", "Off"};

/// Implements the validation of gardener-extension-networking-calico
/// pkg/apis/calico/validation/networkconfig.go.
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
  Fields ipam = config.fields(FieldKey("ipam", "Allocation of pod addresses."));
  calico.ipam_type = given_one_of(
      ipam, FieldKey("type", "host-local by default; vxlan.enabled forces calico-ipam."),
      {"host-local", "calico-ipam"});
  calico.ipam_cidr =
      given_string(ipam, FieldKey("cidr", "usePodCIDR (the default) or a range, for host-local."));
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

/// The keys of `ipv4:` or `ipv6:`, with their meanings.
struct FamilyKeys {
  FieldKey block;
  FieldKey pool;
  FieldKey mode;
  FieldKey method;
};

/// Decodes `ipv4:` or `ipv6:`; the fields of `ipv6:` are a superset.
Field<FamilyConfig> decode_family(Fields& config, const FamilyKeys& keys) {
  const Value block = config.any(keys.block);
  if (!block) return std::nullopt;
  Fields family(block, config.problems());
  FamilyConfig read;
  read.pool = given_one_of(family, keys.pool, {"ipip", "vxlan"});
  read.mode = given_one_of(family, keys.mode, kModes);
  const Value method = family.any(keys.method);
  check_auto_detection(method, family);
  read.auto_detection_method = given(method, family.string(keys.method));
  if (keys.block.name == "ipv6")
    read.source_nat = given_bool(
        family, FieldKey("sourceNATEnabled", "Whether packets of pods get their node's address."));
  if (read.pool && read.mode && read.pool->value == "vxlan" && read.mode->value != "Always" &&
      read.mode->value != "Never")
    family.problems().error(
        family.any("mode"), "bad-value",
        fmt::format("with pool vxlan, {} must be Always or Never", read.mode->path));
  family.no_others();
  return manifest::Located<FamilyConfig>{std::move(read), block.place(),
                                         document::FieldPath(block)};
}

/// Implements the validation of gardener-extension-networking-calico
/// pkg/apis/calico/validation/networkconfig.go.
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
  Fields scaling =
      config.fields(FieldKey("autoScaling", "How calico-node and Typha get their resources."));
  calico.auto_scaling_mode = given_one_of(
      scaling,
      FieldKey(
          "mode",
          "cluster-proportional by default; vpa needs the vertical pod autoscaler of the shoot."),
      {"cluster-proportional", "vpa", "static"});
  const Value given_resources = scaling.any(FieldKey("resources", "Requests for mode static."));
  Fields resources = scaling.fields("resources");
  for (const FieldKey& component :
       {FieldKey("node", "Of calico-node."), FieldKey("typha", "Of Typha.")}) {
    Fields list = resources.fields(component);
    for (const char* resource : {"cpu", "memory"})
      check_quantity(list.any(FieldKey(resource, "A Kubernetes quantity.")), list);
    list.no_others();
  }
  resources.no_others();
  scaling.no_others();
  if (given_resources)
    calico.auto_scaling_resources = {"", given_resources.place(), given_resources.path()};
}

/// Parses decimal digits. YAML's integers may have another base; this text may not.
std::optional<std::int64_t> parse_decimal(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;
  if (text.empty() || text.size() > kMaxDigits || text.find_first_not_of("0123456789") != text.npos)
    return std::nullopt;
  std::int64_t number = 0;
  for (const char digit : text)
    number = number * 10 + (digit - '0');
  return number;
}

/// Minimum MTU: every IPv4 link carries 68 bytes (RFC 791), and Linux refuses a lower MTU
/// (ETH_MIN_MTU).
constexpr std::int64_t kMinMtu = 68;

Field<std::int64_t> decode_veth_mtu(Fields& config) {
  const FieldKey key(
      "vethMTU", "The pods' MTU in bytes, as a string; \"0\", the default, lets Calico choose.");
  const Value value = config.any(key);
  const auto text = config.string(key);
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

/// Warns about fields that the extension accepts and overwrites.
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
  manifest::check_overlay(config, "true: IPIP, or VXLAN with vxlan.enabled; false: routed.",
                          "Without overlay: whether BIRD writes routes to other nodes' pods, too.");
  calico.backend = given_one_of(
      config, FieldKey("backend", "bird, vxlan or none; overwritten wherever overlay is given."),
      {"bird", "none", "vxlan"});
  calico.ipv4 = decode_family(
      config,
      {.block = FieldKey("ipv4", "The pool of IPv4 addresses."),
       .pool = FieldKey("pool", "The encapsulation of the pool; ipip by default."),
       .mode = FieldKey(
           "mode", "When packets are encapsulated; Always by default, and overwritten by overlay."),
       .method = FieldKey("autoDetectionMethod",
                          "How a node finds its address; overwritten where the shoot has nodes.")});
  calico.ipv6 = decode_family(
      config,
      {.block = FieldKey("ipv6", "The pool of IPv6 addresses."),
       .pool = FieldKey("pool", "The encapsulation of the pool; only vxlan can be reconciled."),
       .mode = FieldKey("mode", "When packets are encapsulated; Never by default."),
       .method = FieldKey("autoDetectionMethod", "How a node finds its address.")});
  calico.veth_mtu = decode_veth_mtu(config);
  calico.vxlan = decode_switch(
      config, FieldKey("vxlan", "VXLAN instead of IPIP."),
      "With the overlay: VXLAN. Without it: only the IPAM changes, which breaks pods.");
  calico.ebpf = decode_switch(config, FieldKey("ebpfDataplane", "Calico's eBPF dataplane."),
                              "false by default.");
  calico.wireguard =
      given_bool(config, FieldKey("wireguardEncryption", "Encrypts between nodes with WireGuard."));
  decode_ipam(config, calico);
  decode_auto_scaling(config, calico);
  calico.snat_to_upstream_dns = decode_switch(
      config,
      FieldKey("snatToUpstreamDNS", "Whether queries to the upstream DNS get the node's address."),
      "Without overlay true by default; gcp and alicloud force it off.");
  calico.typha =
      decode_switch(config, FieldKey("typha", "Typha, which reduces the load of the API server."),
                    "true by default.");
  calico.bird_exporter =
      decode_switch(config, FieldKey("birdExporter", "Metrics of BIRD."), "false by default.");
  Fields multus = config.fields(FieldKey("multus", "Several networks for a pod."));
  calico.multus = given_bool(multus, FieldKey("enabled", "false by default."));
  calico.multus_plugins = given_bool(
      multus,
      FieldKey("installCNIPlugins", "Whether the CNI plugins that it needs are installed."));
  multus.no_others();
  calico.service_loop_prevention = given_one_of(
      config,
      FieldKey("serviceLoopPrevention", "How Felix handles packets to services that do not exist."),
      {"Disabled", "Drop", "Reject"});
  config.one_of(FieldKey("ipip", "Deprecated, without effect: use ipv4.mode."), kModes);
  config.string(FieldKey("ipAutodetectionMethod",
                         "Deprecated, without effect: use ipv4.autoDetectionMethod."));
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

}  // namespace overlane::calico
