#include "results/model/testing/example_report.h"

namespace overlane::model {
namespace {

TrafficResult bulk(std::int64_t goodput_bps, std::int64_t latency_ns) {
  TrafficResult traffic{.name = "bulk",
                        .kind = TrafficKind::Tcp,
                        .throughput_bps = goodput_bps + goodput_bps / 20,
                        .goodput_bps = goodput_bps,
                        .packets = {.sent = 1010, .delivered = 1000, .dropped = 7, .in_flight = 3}};
  for (std::int64_t i = 0; i < 1000; ++i)
    traffic.latency_ns.record(latency_ns + i * 10);
  traffic.drops[Drop::NicQueueFull] = 5;
  traffic.drops[Drop::MtuExceeded] = 2;
  return traffic;
}

VariantResult routed() {
  return {.name = "routed",
          .dataplane = VariantDataplane{.mode = "routed",
                                        .encapsulation = "none",
                                        .backend = "none",
                                        .routes_by = "cloud-route-table",
                                        .service_routing = "kube-proxy-iptables",
                                        .encryption = "none",
                                        .link_mtu = 9001,
                                        .pod_mtu = 9001},
          .engine = {.events = 90'000,
                     .packet_hops = 40'000,
                     .setup_seconds = 0.01,
                     .loop_seconds = 0.25},
          .byte_path = {.checked = 12},
          .traffic = {bulk(9'415'000'000, 41'000)},
          .limits = {{.traffic = "bulk",
                      .station = "link node-1 eth0",
                      .constant = "nic rate 10 Gbit/s",
                      .source = "default"}},
          .cpu_utilisation = {.mean_ppm = 125'000, .max_ppm = 250'000}};
}

VariantResult ipip() {
  VariantResult variant = routed();
  variant.name = "ipip";
  variant.dataplane->mode = "overlay";
  variant.dataplane->encapsulation = "ipip";
  variant.dataplane->backend = "bird";
  variant.dataplane->routes_by = "bgp";
  variant.dataplane->pod_mtu = 8981;
  variant.dataplane->overhead_bytes = 20;
  variant.traffic = {bulk(9'285'000'000, 45'000)};
  return variant;
}

}  // namespace

RunReport example_report() {
  return {.scenario = "example",
          .seed = 7,
          .assumptions = {{.parameter = "nic_rate",
                           .value = "10 Gbit/s",
                           .range = "5–100 Gbit/s",
                           .source = "machine types of the provider",
                           .tag = "default"}},
          .machine = NodeMachine{.type = "m5.large",
                                 .cores = 2,
                                 .cores_from = FigureSource::CloudProfile,
                                 .nic_bps = 10'000'000'000,
                                 .nic_from = FigureSource::Published,
                                 .sustained_bps = 750'000'000,
                                 .sends_at_sustained_rate = true},
          .variants = {routed(),
                       ipip(),
                       {.name = "vxlan",
                        .status = VariantStatus::NotAdmitted,
                        .reason = "the provider's admission refuses backend vxlan"}},
          .comparison = {{.traffic = "bulk",
                          .metric = "goodput_bps",
                          .variant = "ipip",
                          .baseline = "routed",
                          .ratio_ppm = 986'192},
                         {.traffic = "bulk",
                          .metric = "retransmissions",
                          .variant = "ipip",
                          .baseline = "routed"}},
          .cost_profile = "calibrated-example",
          .environment = {.overlane_version = "0.1.0",
                          .compiler = "GNU 12.2.0",
                          .build_type = "Release",
                          .cpu_model = "some processor",
                          .kernel = "6.1.0",
                          .cores = 2},
          .findings = {{.rule = "assumed-nodes",
                        .severity = Severity::Note,
                        .message = "garden-dev/a: runs with 2 nodes",
                        .object = {"Shoot", "garden-dev", "a"},
                        .path = "spec.provider.workers",
                        .place = {"shoot.yaml", 12, 5},
                        .hint = "pass --nodes"}}};
}

}  // namespace overlane::model
