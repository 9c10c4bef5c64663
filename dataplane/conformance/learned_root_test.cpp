#include <chrono>
#include <functional>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dataplane/byte_rewrite/rewrite_steps.h"
#include "dataplane/conformance/testing/pod_kernel.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/node/runtime/node_runtime.h"
#include "dataplane/node/state/world.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::conformance {
namespace learned_root_test {

using node::Device;
using node::NodeEditor;
using node::NodeRuntime;
using node::NodeState;
using node::Route;
using testing::PodKernel;
using testing::PodSide;

constexpr std::uint32_t kPathMtu = 1400;
constexpr MacAddress kRouterMac{{0xee, 0xee, 0xee, 0xee, 0xee, 0xee}};

IpAddress parsed(const char* text) {
  return IpAddress::parse(text).value();
}
IpPrefix net(const char* text) {
  return IpPrefix::parse(text).value();
}

/// A kernel and a state with a route to a destination whose path MTU both have learned, in one
/// family.
class Learned {
 public:
  Learned(const PodKernel& kernel, const PodSide& side)
      : kernel_(kernel), side_(side), is_ipv4_(side.address.is_ipv4()) {
    node::ClusterTable cluster;
    state.self = cluster.add({.name = "pod"});
    state.cluster = std::make_shared<const node::ClusterTable>(std::move(cluster));
    state.devices = {{.name = "eth0", .addresses = {side.address}}};
    add_route(route());
    add_route(default_route());
  }

  NodeState state;
  NodeRuntime runtime;

  IpPrefix route() const { return net(is_ipv4_ ? "192.0.2.0/24" : "2001:db8:9::/48"); }
  IpPrefix longer() const { return IpPrefix::host(destination()); }
  IpPrefix other() const { return net(is_ipv4_ ? "198.51.100.0/24" : "2001:db8:a::/48"); }
  IpPrefix default_route() const { return net(is_ipv4_ ? "0.0.0.0/0" : "::/0"); }

  void ip(const std::string& arguments) const {
    const auto done = kernel_.ip(arguments);
    EXPECT_TRUE(done) << arguments << ": " << done.error();
  }
  void add_in_kernel(const IpPrefix& destination, const std::string& more = "") const {
    ip("route add " + destination.to_string() + " via " + side_.gateway.to_string() + " dev eth0" +
       more);
  }
  void remove_in_kernel(const IpPrefix& destination) const {
    ip("route del " + destination.to_string() + " dev eth0");
  }

  void change(const std::function<void(NodeEditor&)>& edit) {
    NodeEditor editor(state);
    edit(editor);
    node::forget(runtime, state, editor.take());
  }
  void add_route(const IpPrefix& destination,
                 node::RouteProtocol protocol = node::RouteProtocol::Boot) {
    change([&](NodeEditor& editor) {
      editor.set_route(destination,
                       Route{.device = "eth0", .via = side_.gateway, .protocol = protocol});
    });
  }
  void remove_route(const IpPrefix& destination) {
    change([&](NodeEditor& editor) { editor.remove_route(destination); });
  }
  void set_device(const std::function<void(Device&)>& edit) {
    change([&](NodeEditor& editor) {
      Device device = *editor.state().find_device("eth0");
      edit(device);
      editor.set_device(device);
    });
  }

  /// A router says what fits.
  void learn() {
    forward::Packet cause;
    cause.inner = {.source = side_.address,
                   .destination = destination(),
                   .total_length = 1450,
                   .dont_fragment = true,
                   .protocol = wire::kUdp};
    cause.source_port = cause.destination_port = 7;
    const IpAddress router = parsed(is_ipv4_ ? "203.0.113.1" : "2001:db8:b::1");
    const auto error =
        forward::icmp_error(forward::IcmpReason::PacketTooBig, cause, router, kPathMtu);
    ASSERT_TRUE(error);
    byte_rewrite::PacketBuffer bytes;
    byte_rewrite::write_error(*error, wire::ip_packet(cause.flow(), 1450), bytes);
    const auto frame = wire::framed(bytes.bytes(), testing::kPodMac, kRouterMac);
    ASSERT_TRUE(kernel_.transmit(frame));
    for (int i = 0; i < 1000 && in_kernel() != kPathMtu; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_EQ(in_kernel(), kPathMtu);
    runtime.path_mtus.learn(destination(), kPathMtu, {});
  }

  std::optional<std::uint32_t> in_kernel() const { return kernel_.path_mtu(destination()); }
  std::optional<std::uint32_t> in_model() const {
    const auto path = runtime.path_mtus.find(destination(), seconds(1));
    return path ? std::optional(path->mtu) : std::nullopt;
  }

 private:
  IpAddress destination() const { return parsed(is_ipv4_ ? "192.0.2.9" : "2001:db8:9::9"); }

  const PodKernel& kernel_;
  PodSide side_;
  bool is_ipv4_;
};

struct Step {
  const char* what;
  std::function<void(Learned&)> change;
};

/// From what both have learned: the kernel decides, the model must agree.
const Step kSteps[] = {
    {"its route is removed and added",
     [](Learned& l) {
       l.remove_in_kernel(l.route());
       l.add_in_kernel(l.route());
       l.remove_route(l.route());
       l.add_route(l.route());
     }},
    {"its route is removed, the default route is left",
     [](Learned& l) {
       l.remove_in_kernel(l.route());
       l.remove_route(l.route());
     }},
    {"its route is replaced",
     [](Learned& l) {
       l.remove_in_kernel(l.route());
       l.add_in_kernel(l.route(), " proto static");
       l.add_route(l.route(), node::RouteProtocol::Static);
     }},
    {"another route comes and goes",
     [](Learned& l) {
       l.add_in_kernel(l.other());
       l.remove_in_kernel(l.other());
       l.add_route(l.other());
       l.remove_route(l.other());
     }},
    {"a longer route comes",
     [](Learned& l) {
       l.add_in_kernel(l.longer());
       l.add_route(l.longer());
     }},
    {"a longer route with another next hop comes",
     [](Learned& l) {
       l.ip("route add " + l.longer().to_string() + " dev eth0");
       l.change([&](NodeEditor& editor) { editor.set_route(l.longer(), Route{.device = "eth0"}); });
     }},
    {"the device goes down and comes up",
     [](Learned& l) {
       l.ip("link set eth0 down");
       l.ip("link set eth0 up");
       for (const PodSide& side : testing::pod_sides())
         l.ip(side.address.is_ipv4()
                  ? "route add " + side.gateway.to_string() + " dev eth0"
                  : "addr add " + side.address.to_string() + "/128 dev eth0 nodad");
       l.add_in_kernel(l.default_route());
       l.add_in_kernel(l.route());
       l.set_device([](Device& device) { device.up = false; });
       l.set_device([](Device& device) { device.up = true; });
     }},
    {"the default route goes",
     [](Learned& l) {
       l.remove_in_kernel(l.default_route());
       l.remove_route(l.default_route());
     }},
    {"the device's MTU falls, but not below it",
     [](Learned& l) {
       l.ip("link set dev eth0 mtu 1450");
       l.set_device([](Device& device) { device.mtu = 1450; });
     }},
    {"the device's MTU falls below it",
     [](Learned& l) {
       l.ip("link set dev eth0 mtu 1390");
       l.set_device([](Device& device) { device.mtu = 1390; });
     }},
    {"the device's MTU falls below it, and rises again",
     [](Learned& l) {
       l.ip("link set dev eth0 mtu 1390");
       l.ip("link set dev eth0 mtu 1500");
       l.set_device([](Device& device) { device.mtu = 1390; });
       l.set_device([](Device& device) { device.mtu = 1500; });
     }},
    {"the device gets its MTU, and another",
     [](Learned& l) {
       l.ip("link set dev eth0 mtu 1400");
       l.ip("link set dev eth0 mtu 1480");
       l.set_device([](Device& device) { device.mtu = 1400; });
       l.set_device([](Device& device) { device.mtu = 1480; });
     }},
};

TEST(LearnedRoot, PathMtusAreForgottenWhereTheKernelForgetsThem) {
  if (geteuid() != 0) GTEST_SKIP() << "making a network namespace needs root";
  for (const Step& step : kSteps) {
    const auto kernel = PodKernel::make();
    ASSERT_TRUE(kernel) << kernel.error();
    for (const PodSide& side : testing::pod_sides()) {
      Learned learned(*kernel, side);
      learned.ip("link set dev eth0 mtu 1500");
      learned.add_in_kernel(learned.route());
      ASSERT_NO_FATAL_FAILURE(learned.learn()) << step.what;
      step.change(learned);
      EXPECT_EQ(learned.in_model(), learned.in_kernel())
          << step.what << ", " << side.address.to_string();
    }
  }
}

}  // namespace learned_root_test
}  // namespace overlane::conformance
