#pragma once

#include <string>
#include <vector>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/pairs/search.h"
#include "topologies/overlap/report/find.h"
#include "topologies/overlap/report/report.h"

namespace overlane::overlap::testing {

/// A Shoot manifest, by the fields that decide about overlaps. An "inside" is the content of a flow
/// mapping, without braces.
struct ShootText {
  std::string name = "a";
  std::string provider = "gcp";
  std::string networks;  ///< Inside of infrastructureConfig.networks: "vpc: {name: shared}".
  std::string pods = "100.96.0.0/11";  ///< Empty: this field, `services` and `nodes` are left out.
  std::string services = "100.64.0.0/13";
  std::string nodes = "10.250.0.0/16";
  std::string families;     ///< "IPv4, IPv6".
  std::string credentials;  ///< Name of the CredentialsBinding; empty: not given.
  bool overlay = false;
  int minimum = 3;
  int maximum = 3;
  bool live = true;    ///< False: the shoot exists only as this manifest.
  std::string spec;    ///< Further fields of the spec, as an inside.
  std::string status;  ///< Further fields of the status, as an inside.
  std::string config;  ///< Further fields of the infrastructureConfig, as an inside.

  /// The manifest, in the namespace garden-dev.
  std::string yaml() const;
};

/// `others` and the shoots' manifests, as documents of one text.
std::string texts(const std::vector<ShootText>& shoots, const std::string& others = "");

/// The Infrastructure document of a shoot of the builder: `provider` is the value of `spec.type`,
/// `provider_status` the content of `status.providerStatus`.
std::string infrastructure(const std::string& shoot, const std::string& provider,
                           const std::string& provider_status);

/// A RoutingDomains document; `spec` is the content of its spec.
std::string routing_domains(const std::string& spec);

/// A Node with an address and a pod CIDR, created at `second`.
std::string node(const std::string& name, int second, const std::string& address,
                 const std::string& pod_cidr, const std::string& provider_id = "");

/// Reads the documents into an inventory. Throws std::invalid_argument if a document is unusable.
Inventory read(const std::string& yaml, ReadOptions options = {});

/// The shoots of a text, ready to be compared.
struct LocatedShoots : Comparison {
  explicit LocatedShoots(const std::string& yaml, ReadOptions options = {});

  const Shoot& shoot(const std::string& name) const;
  const RoutingScope& routing_scope(const std::string& name) const;
  /// All overlaps of at least a note, with up to 1000 pairs per group.
  OverlapReport report() const;
};

IpPrefix prefix(const std::string& text);

/// Documents and their report.
struct ReportedLandscape : Comparison {
  explicit ReportedLandscape(const std::string& yaml, const FindOptions& options = {});

  OverlapReport report;
};

/// A Shoot garden-dev/NAME on gcp in the network "shared-vpc". Empty `pods`: the field is left out.
struct GcpShoot {
  std::string name;
  std::string nodes;
  std::string pods;
  bool overlay = false;
};
std::string yaml_of(const std::vector<GcpShoot>& shoots);

/// An overlap of the routed default pods of two shoots garden-dev/A and garden-dev/B in one VPC.
Overlap contested(const std::string& a, const std::string& b);

/// A report that lists exactly these overlaps.
OverlapReport report_of(std::vector<Overlap> overlaps);

}  // namespace overlane::overlap::testing
