// Machine types (server types) of Hetzner Cloud, written by hand.
// Columns: name, cores, threads per core, sustained and burst rate in Mbit/s, receive queues,
// packets per second; 0: not published.

#include "topologies/provider/machines/machine_tables.h"

namespace overlane::provider {
namespace {

constexpr MachineType kHcloudTypes[] = {
    {"cx11", 1, 0},   {"cx21", 2, 0},  {"cx31", 2, 0},   {"cx41", 4, 0},   {"cx51", 8, 0},
    {"cx22", 2, 0},   {"cx32", 4, 0},  {"cx42", 8, 0},   {"cx52", 16, 0},  {"cx23", 2, 0},
    {"cx33", 4, 0},   {"cx43", 8, 0},  {"cx53", 16, 0},  {"cpx02", 1, 0},  {"cpx11", 2, 0},
    {"cpx12", 1, 0},  {"cpx21", 3, 0}, {"cpx22", 2, 0},  {"cpx31", 4, 0},  {"cpx32", 4, 0},
    {"cpx41", 8, 0},  {"cpx42", 8, 0}, {"cpx51", 16, 0}, {"cpx52", 12, 0}, {"cpx62", 16, 0},
    {"cax11", 2, 0},  {"cax21", 4, 0}, {"cax31", 8, 0},  {"cax41", 16, 0}, {"ccx12", 2, 2},
    {"ccx22", 4, 2},  {"ccx32", 8, 2}, {"ccx42", 16, 2}, {"ccx52", 32, 2}, {"ccx62", 48, 2},
    {"ccx13", 2, 2},  {"ccx23", 4, 2}, {"ccx33", 8, 2},  {"ccx43", 16, 2}, {"ccx53", 32, 2},
    {"ccx63", 48, 2},
};

}  // namespace

constinit const MachineTable kHcloudMachines{
    .provider = "hcloud",
    .cloud = "Hetzner Cloud",
    // Types that are no longer sold: API server_types, as demisto/content's pack HCloud records it.
    // Threads per core: Hetzner's documentation ("1 vCPU = 1 hyper-thread") for dedicated vCPUs.
    .source = "https://www.hetzner.com/cloud/",
    .remark = "Hetzner publishes no rates of private networks.",
    .types = kHcloudTypes};

}  // namespace overlane::provider
