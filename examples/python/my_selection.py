# %% [markdown]
# # Adaptive routing that selects outputs by a score
#
# **Problem.** Adaptive routing in a tree may send a packet up by any port. A paper proposes a score: free space at the next switch,
# less what waits here. Is it better than what is known, at a load that matters?

# %%
import ikat
import matplotlib.pyplot as plt
import pandas as pd

tree = ikat.Fabric("karytree:k=4,n=2")
tree

# %% The score: the output with the highest one is taken
def weighed(outputs, credit):
    """Free space at the next switch, weighed, less what waits here."""
    return credit * outputs.credit_bytes - outputs.queued_bytes


ikat.register_selection("weighed", weighed, parameters={"credit": 0.5})
ikat.help_of("weighed")["parameters"]

# %% Latency by load, of the score with two weights and of selections that ikat has
rows = []
for selection in ("random", "least_queued", "weighed:credit=0.5", "weighed:credit=4"):
    routing = tree.routing("adaptive_tree", selection=selection)
    runs = routing.sweep("uniform", [0.5, 0.7, 0.8], seeds=[1, 2, 3], model="ioq", warmup="50 us", duration="200 us")
    rows.append(runs.assign(selection=selection))
runs = pd.concat(rows)
print("points:", len(runs), "steady:", (runs.steady == "yes").sum())
latency = runs.pivot_table(index="load", columns="selection", values="latency_p99_ns")
print(latency.to_string(float_format="{:.0f}".format))
spread = runs.pivot_table(index="load", columns="selection", values="latency_p99_ns", aggfunc="std")
print("standard deviation over the seeds", spread.to_string(float_format="{:.0f}".format), sep="\n")

# %% The picture
axis = latency.plot(marker="o", figsize=(7, 4), xlabel="offered load", ylabel="99 % of the packets arrive within, ns")
axis.figure.savefig("my_selection.png", dpi=150)

# %% [markdown]
# **Conclusion.** At 80 % load 99 % of the packets arrive within **6089** ns instead of **7236** ns with a random choice. From
# `least_queued` (**6417** ns) the score cannot be told: the difference is smaller than what seeds differ by. Its weight makes no
# difference at that load either. A paper on this score needs a pattern that is less even than uniform traffic, or more seeds.
