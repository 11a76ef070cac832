# %% [markdown]
# # What the counters of a cluster say
#
# **Problem.** The tables of a cluster are balanced for hosts that send evenly to all others. The counters of its ports show what was
# really sent. Where does traffic differ from what was expected, and which link is the busiest?
#
# Run this notebook in a folder that has `data/` of ikat. The counters come from a simulation, so that the answer is known; on a cluster,
# `ibqueryerrors --counters` prints them.

# %%
import ikat
import matplotlib.pyplot as plt
import numpy as np

cluster = ikat.Fabric("data/cluster96.ibnetdiscover")
tables = cluster.routing("lft:path=data/cluster96.lfts")

# %% A job with a hot spot, simulated over the installed tables
run = tables.simulate("hotspot:fraction=20%", 0.03)
print(run)

# %% Its counters, as perfquery prints them: words of 4 bytes that each port has sent
def reading(sent):
    """Answers of `perfquery -x` for all ports."""
    lines = []
    for port in np.flatnonzero(cluster.port_peer != ikat.NONE):
        node, number = cluster.port_node[port], cluster.port_number[port]
        lines += [f"# Port extended counters: Lid {cluster.node_lid[node]} port {number} (CapMask: 0x0)",
                  f"{'PortXmitData:':.<33}{int(sent[port]) // 4}"]
    return "\n".join(lines) + "\n"


before, after = np.zeros_like(run.channel_bytes), run.channel_bytes
for name, sent in ("first.perfquery", before), ("later.perfquery", after):
    with open(name, "w", encoding="utf-8") as file:
        file.write(reading(sent))

# %% The audit compares them with what the tables predict
audit = cluster.audit("data/cluster96.lfts", routing="none", counters="first.perfquery", counters_later="later.perfquery",
                      interval=f"{run.window_ps / 1e6:.6f} us")
measured = audit.measured
print(f"links between switches: mean {measured.mean:.1%}, correlation with the prediction {measured.likeness:.2f}")

# %% Where they differ
fabric = audit.fabric  # its nodes are sorted by GUID, and the arrays of the audit are by its ports
ports = np.flatnonzero((measured.used >= 0) & (measured.predicted > 0) & (fabric.port_node < fabric.num_switches))
used, predicted = 100 * measured.used[ports], 100 * measured.predicted[ports]
figure, axis = plt.subplots(figsize=(5, 5))
axis.scatter(predicted, used, s=12)
axis.plot([0, predicted.max()], [0, predicted.max()], color="grey", label="as predicted")
axis.set(xlabel="predicted for hosts that send evenly to all, % of the link's rate", ylabel="measured, %")
axis.legend()
figure.savefig("counters.png", dpi=150)
for port in ports[np.argsort(used - predicted)[::-1][:3]]:
    print(f"{measured.used[port]:.1%} instead of {measured.predicted[port]:.1%}: {fabric.describe_port(port)},"
          f" to {fabric.describe_port(fabric.port_peer[port])}")

# %% [markdown]
# **Conclusion.** The traffic is not what the tables are balanced for: its correlation with the prediction is **0.50**. What stands out most
# leads to one host, gpu024, whose own link is used for **59.5** % and the way to it for **42.8** %. No routing can help against
# a full link of a host: find the job that sends to it. On a cluster, `ikat watch` makes this comparison again and again.
