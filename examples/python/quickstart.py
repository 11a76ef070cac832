# %% [markdown]
# # What a degraded link costs
#
# **Problem.** One link of a cluster of 96 hosts runs at 16 Gb/s instead of 100 Gb/s. What does it cost, with two routings and two traffic
# patterns, and would the cluster be faster with the link repaired? This is the experiment of the quickstart, run and plotted from Python.
#
# Start it in a folder that has `experiments/` and `data/` of ikat (the source tree, or a copy of what is in `/usr/share/doc/ikat`), as a
# notebook, cell by cell in an editor that knows `# %%`, or as a whole: `python3 quickstart.py`.

# %%
import ikat
import matplotlib.pyplot as plt

# %% The plot in ten lines
results = ikat.run("experiments/quickstart.yaml", "quickstart.db", progress=True)
points = results.frame()
points = points[points.steady == "yes"]  # other points say how long they were simulated
points["fabric"] = points.fabric.str.contains("repair").map({True: "repaired", False: "as it is"})
figure, axes = plt.subplots(1, points.traffic.nunique(), figsize=(11, 4), sharey=True)
for axis, (traffic, part) in zip(axes, points.groupby("traffic")):
    curves = part.groupby(["load", "routing", "fabric"]).throughput.mean().unstack(["routing", "fabric"])
    (100 * curves.set_index(100 * curves.index)).plot(ax=axis, title=traffic, marker=".")
    axis.set(xlabel="offered load, % of the hosts' rate", ylabel="throughput, %")
figure.savefig("quickstart.png", dpi=150)

# %% What the link costs: the highest throughput of each routing in the long run, as it is and repaired
print((100 * points.groupby(["traffic", "routing", "fabric"]).throughput.max()).round(1).to_string())

# %% [markdown]
# **Conclusion.** Under uniform traffic the link costs more than three quarters of the throughput, with either routing: dmodc reaches 10.7 %
# of the hosts' rate instead of 58.3 %, updown 7.8 % instead of 42.2 %. Where hosts send to one other host each, it costs less than 2 %
# of the rate. Repair the link before choosing another routing.
