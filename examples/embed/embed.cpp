/* SPDX-License-Identifier: Apache-2.0
 *
 * embed.cpp: builds a fabric cable by cable with libikat, and says what the loss of a cable costs:
 * a leaf-spine network is routed, proved and loaded, whole and with each of some cables taken out.
 *
 * usage: embed_cpp [LEAVES [SPINES [HOSTS_PER_LEAF]]]
 */
#include <ikat/ikat.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

// The objects of the library, freed where they go out of scope.
template <auto free_it> struct Freed {
    template <typename T> void operator()(T *object) const { free_it(object); }
};
using Fabric = std::unique_ptr<ik_fabric, Freed<ik_fabric_free>>;
using Plan = std::unique_ptr<ik_plan, Freed<ik_plan_free>>;
using Traffic = std::unique_ptr<ik_traffic, Freed<ik_traffic_free>>;
using Builder = std::unique_ptr<ik_builder, Freed<ik_builder_free>>;

// A status that is not IK_OK, as an exception.
void check(ik_status status, const ik_error &err)
{
    if (status != IK_OK)
        throw std::runtime_error(std::string(ik_status_name(status)) + ": " + err.text +
                                 (err.hint[0] ? std::string("; ") + err.hint : ""));
}

// Every leaf is cabled once to every spine. Hosts are below the leaves, in order.
Fabric leaf_spine(uint32_t leaves, uint32_t spines, uint32_t hosts_per_leaf)
{
    Builder b(ik_builder_new());
    if (!b)
        throw std::bad_alloc();
    uint16_t link = ik_builder_class(b.get(), 100000000000u, 6000, nullptr); // 100 Gb/s, 6 ns
    uint32_t leaf = ik_builder_switches(b.get(), leaves, hosts_per_leaf + spines);
    uint32_t spine = ik_builder_switches(b.get(), spines, leaves);
    uint32_t host = ik_builder_hosts(b.get(), leaves * hosts_per_leaf, 1);
    for (uint32_t l = 0; l < leaves; l++) {
        ik_builder_switch_level(b.get(), leaf + l, 1);
        for (uint32_t h = 0; h < hosts_per_leaf; h++)
            ik_builder_link(b.get(), ik_hs(host + l * hosts_per_leaf + h, 0), ik_sw(leaf + l, h),
                            link);
        for (uint32_t s = 0; s < spines; s++)
            ik_builder_link(b.get(), ik_sw(leaf + l, hosts_per_leaf + s), ik_sw(spine + s, l),
                            link);
    }
    for (uint32_t s = 0; s < spines; s++)
        ik_builder_switch_level(b.get(), spine + s, 2);
    // Errors of the calls above are kept in the builder until here.
    ik_fabric *made = nullptr;
    ik_error err;
    check(ik_builder_finish(b.get(), &made, &err), err);
    return Fabric(made);
}

// The fabric without the cable at one port.
Fabric without(const ik_fabric *whole, uint32_t port)
{
    ik_fabric *made = nullptr;
    ik_error err;
    check(ik_fabric_degrade(whole, &port, 1, nullptr, 0, &made, &err), err);
    return Fabric(made);
}

struct Verdict {
    bool proved; // every pair of hosts has a route, and no deadlock can arise
    double saturation;
};

// Every host sends to the host of the same number below the next leaf.
Verdict judge(const ik_fabric *f, uint32_t hosts_per_leaf)
{
    ik_env env{};
    ik_error err;
    ik_plan *p = nullptr;
    check(ik_plan_from_specs(f, "dmodc", nullptr, nullptr, 0, &env, &p, &err), err);
    Plan plan(p);
    ik_proof proof{};
    check(ik_verify(plan.get(), nullptr, &env, &proof, &err), err);
    bool proved = proof.delivered == IK_YES && proof.deadlock_free == IK_YES;
    ik_proof_free(&proof);
    ik_traffic *t = nullptr;
    std::string shift = "shift:by=" + std::to_string(hosts_per_leaf);
    check(ik_traffic_from_spec(f, shift.c_str(), &env, &t, &err), err);
    Traffic traffic(t);
    ik_load load{};
    check(ik_load_measure(plan->routing, traffic.get(), &env, &load, &err), err);
    double saturation = load.saturation;
    ik_load_free(&load);
    return {proved, saturation};
}

void print(const char *what, const Verdict &v)
{
    std::printf("%-24s %-8s %.3f of what hosts can send\n", what, v.proved ? "proved" : "unproved",
                v.saturation);
}

uint32_t argument(int argc, char **argv, int i, uint32_t otherwise)
{
    unsigned long n = argc > i ? std::strtoul(argv[i], nullptr, 10) : otherwise;
    if (n < 1 || n > 64)
        throw std::invalid_argument("numbers from 1 to 64 are expected");
    return static_cast<uint32_t>(n);
}

} // namespace

int main(int argc, char **argv)
try {
    uint32_t leaves = argument(argc, argv, 1, 4), spines = argument(argc, argv, 2, 4),
             hosts = argument(argc, argv, 3, 4);
    Fabric whole = leaf_spine(leaves, spines, hosts);
    std::printf("ikat %s: %u leaves, %u spines, %u hosts\n", ik_version(), leaves, spines,
                whole->num_hosts);
    print("all cables", judge(whole.get(), hosts));
    for (uint32_t s = 0; s < spines && s < 2; s++) {
        Fabric damaged = without(whole.get(), whole->port_base[0] + hosts + s);
        std::string what = "without leaf 0 - spine " + std::to_string(s);
        print(what.c_str(), judge(damaged.get(), hosts));
    }
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "embed_cpp: %s\n", e.what());
    return 2;
}
