# %% [markdown]
# # Audit a real fabric, and deploy what is better
#
# **Problem.** Jobs on a cluster of 96 hosts are slow, and no device reports a fault. There is a dump of the fabric (`ibnetdiscover`) and
# one of the forwarding tables (`dump_fts`). What is wrong, and what should be done today?
#
# Run this notebook in a folder that has `data/` of ikat.

# %%
import ikat
import matplotlib.pyplot as plt
import numpy as np

cluster = ikat.Fabric("data/cluster96.ibnetdiscover")
audit = cluster.audit("data/cluster96.lfts", engine="ftree")

# %% What was found, and what to do
for found in audit.findings:
    if found.severity != "note":
        print(f"{found.code}: {found.text}\n    {found.remedy}")

# %% What the installed tables do
installed = audit.installed
print(f"{installed.delivered} of {installed.pairs} pairs delivered, deadlock-free: {installed.deadlock_free}")
print(f"full at {installed.saturation:.1%} of the hosts' rate: {audit.fabric.describe_port(installed.tightest)}")

# %% Three ways to go on
slow = cluster.links[cluster.links["rate_bps"] < 100e9]["port_a"]
pulled = cluster.degrade(links=slow)
repaired = ikat.Fabric("pgft:m=24:4,w=1:2,p=1:6")
choices = {"as it is": installed.saturation, "other tables": cluster.routing("dmodc").saturation(),
           "link pulled": pulled.routing("dmodc").saturation(), "link repaired": repaired.routing("dmodc").saturation()}
figure, axis = plt.subplots(figsize=(7, 3))
bars = axis.barh(list(choices), [100 * value for value in choices.values()])
axis.bar_label(bars, fmt="%.1f %%", padding=3)
axis.set(xlabel="offered load at which the first link is full, %", xlim=(0, 100))
axis.invert_yaxis()
figure.savefig("audit.png", dpi=150, bbox_inches="tight")
print({name: f"{value:.1%}" for name, value in choices.items()})

# %% The folder that the subnet manager installs after the link was pulled
deployment = pulled.deploy("without-the-link", "dmodc", from_="data/cluster96.lfts", force=True)
print(f"proved: {deployment.proved}; {deployment.update['changed']} of {deployment.entries} entries change")
print(*deployment.summary().splitlines()[-8:], sep="\n")

# %% [markdown]
# **Conclusion.** One cable runs at 16 Gb/s, and tables that ignore rates are limited by it to **10.6** % of the hosts' rate. Pull it today:
# that alone makes **44.0** % of it, with tables that are proved and written, beside the commands that install them, in the folder
# `without-the-link`. Replace the cable at the next maintenance, which makes **66.0** %.
