# %% [markdown]
# # Replay a recorded program on other networks
#
# **Problem.** A program with 16 ranks exchanges the borders of its parts after every step. It was recorded with `ikat record`. Would a
# better network make it faster? Would one matter if the processors were a hundred times as fast?
#
# Run this notebook in a folder that has `data/` of ikat.

# %%
import ikat
import matplotlib.pyplot as plt
import pandas as pd

halo = ikat.recording("data/halo16.ikrec")
print(f"{halo.ranks} ranks, {halo.messages} messages of {halo.bytes / 1e6:.1f} MB, {halo.mpi_ns / halo.total_ns:.0%} of the time in MPI")
print(*halo.lines(rank=3).splitlines()[:5], sep="\n")

# %% The same program on three networks, with processors as recorded, and faster
networks = {"one switch": ("crossbar:n=16", "minimal"), "tree, 2:1": ("xgft:m=4:4,w=1:2", "dmodk"), "ring": ("ring:n=16", "shortest")}
rows = []
for title, (spec, name) in networks.items():
    routing = ikat.Fabric(spec).routing(name)
    for faster in (1, 10, 100, 1000):
        run = routing.simulate(f"program:trace={halo.path},compute_scale={1 / faster}", 1.0, until="delivered", at_most="1 s")
        rows.append({"network": title, "processors": f"x {faster}", "us": run.completion_ns / 1e3,
                     "computing": run.critical_path["compute"] / run.completion_ns})
runs = pd.DataFrame(rows)
times = runs.pivot(index="processors", columns="network", values="us")
print(times.round(1).to_string())

# %% The share of the critical path that is not computation
share = 100 - 100 * runs.pivot(index="processors", columns="network", values="computing")
figure, axis = plt.subplots(figsize=(7, 3.5))
share.plot.bar(ax=axis, rot=0, ylabel="time not spent computing, %", ylim=(0, 100))
figure.savefig("replay.png", dpi=150, bbox_inches="tight")
print(share.round(1).to_string())

# %% [markdown]
# **Conclusion.** The program spends **98** % of its time in MPI, but it waits there for other ranks, not for the network: every network
# gives **4794.2** us within a thousandth, and nothing but computation is on the critical path. A better network would not help.
# With processors that are 100 times as fast it would: a ring then takes **55.9** us, one switch **50.6** us.
