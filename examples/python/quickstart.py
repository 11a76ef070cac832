# %% [markdown]
# What a degraded link costs: the experiment of the quickstart (`experiments/quickstart.yaml`), run and plotted from Python.
# Run the cells in an editor that knows `# %%`, or the whole file: `python3 quickstart.py [EXPERIMENT [PICTURE]]`.

# %%
import sys
import ikat
import matplotlib.pyplot as plt

experiment = sys.argv[1] if len(sys.argv) > 1 else "experiments/quickstart.yaml"
picture = sys.argv[2] if len(sys.argv) > 2 else "quickstart.png"

# %% The plot in ten lines
results = ikat.run(experiment, progress=True)
points = results.frame()
points["fabric"] = points.fabric.str.contains("repair").map({True: "repaired", False: "as it is"})
figure, axes = plt.subplots(1, points.traffic.nunique(), figsize=(11, 4), sharey=True)
for axis, (traffic, part) in zip(axes, points.groupby("traffic")):
    curves = part.groupby(["load", "routing", "fabric"]).throughput.mean().unstack(["routing", "fabric"])
    (100 * curves.set_index(100 * curves.index)).plot(ax=axis, title=traffic, marker=".")
    axis.set(xlabel="offered load, % of the hosts' rate", ylabel="throughput, %")
figure.savefig(picture, dpi=150)

# %% What the link costs: the highest throughput of each routing, as it is and repaired
print((100 * points.groupby(["traffic", "routing", "fabric"]).throughput.max()).round(1).to_string())
