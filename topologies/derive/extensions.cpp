#include "topologies/derive/extensions.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "topologies/cni/calico/calico.h"
#include "topologies/cni/cilium/cilium.h"
#include "topologies/cni/declarative/declarative.h"
#include "topologies/document/fields/header.h"

namespace overlane::derive {
namespace {

using cni::NetworkExtension;

void add_network_provider(const document::Tree& tree, Findings& findings,
                          DeclarativeExtensions& declarative) {
  auto provider = declarative::decode_network_provider(tree);
  if (!provider) {
    findings.insert(findings.end(), provider.error().begin(), provider.error().end());
    return;
  }
  if (extension_of(provider->type, declarative) != nullptr) {
    findings.push_back({.rule = "duplicate-network-type",
                        .message = fmt::format("{}: the network type {} is known already",
                                               provider->name, provider->type),
                        .object = document::object_of(tree),
                        .path = "spec.type",
                        .place = tree.root()["spec"]["type"].place(),
                        .hint = "give each type once; calico and cilium need no file"});
    return;
  }
  declarative.push_back(std::make_shared<declarative::Extension>(*std::move(provider)));
}

}  // namespace

std::span<const NetworkExtension* const> network_extensions() {
  static const calico::Extension kCalico;
  static const cilium::Extension kCilium;
  static const std::array<const NetworkExtension*, 2> kAll = {&kCalico, &kCilium};
  return kAll;
}

const NetworkExtension* extension_of(std::string_view type,
                                     const DeclarativeExtensions& declarative) {
  for (const NetworkExtension* one : network_extensions())
    if (one->type() == type) return one;
  for (const auto& one : declarative)
    if (one->type() == type) return one.get();
  return nullptr;
}

bool describes_network(const document::Tree& tree) {
  const document::Value root = tree.root();
  return root["kind"].text() == declarative::kKind &&
         document::is_own_api_version(root["apiVersion"].text());
}

void take_network_providers(document::Stream& stream, DeclarativeExtensions& declarative) {
  for (const document::Tree& tree : stream.take_if(describes_network))
    add_network_provider(tree, stream.findings, declarative);
}

}  // namespace overlane::derive
