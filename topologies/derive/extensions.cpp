#include "topologies/derive/extensions.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/cni/declarative/declarative.h"
#include "topologies/cni/profiles.h"
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
                        .message = fmt::format("{}: the network type {} already exists",
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

const NetworkExtension* extension_of(std::string_view type,
                                     const DeclarativeExtensions& declarative) {
  if (const cni::Profile* coded = cni::find_profile(type)) return coded->extension;
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
