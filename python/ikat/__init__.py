"""ikat: interconnection networks, from Python.

    import ikat
    fabric = ikat.Fabric("karytree:k=4,n=3")
    routing = fabric.routing("dmodk")
    print(routing.prove(), routing.saturation("shift:by=4"))
    frame = routing.sweep("uniform", loads=[0.2, 0.5, 0.8])
    results = ikat.run("experiment.yaml", "experiment.db", progress=True)

Functions that compute take `threads`, `seed`, `progress`, `cancel` and `memory_limit` where these mean something; the interpreter
is free for other threads meanwhile. Every error is an `ikat.IkatError`. docs/python.md is the guide.
"""
from ikat._audit import Audit, AuditedRouting, AuditFinding, Compared, LoopStep, Measured, Multicast, Verdict
from ikat._core import (NONE, Cancel, Cancelled, CheckFailed, ClosedError, FileError, IkatError, InputError, InternalError,
                        MissingModule, NotSteadyWarning, OutOfMemory, Progress, Unsupported, UsageError, WrongType)
from ikat._deploy import DeployCheck, Deployment, LaneDifference, TableDifference, verify_deployed
from ikat._design import Design, DesignFailure, DesignMember, DesignMisfit, DesignTime, design
from ikat._experiments import Claim, Experiment, Results, merge, results, run, unit_of
from ikat._fabric import Fabric, Finding, LinkClass
from ikat._lists import examples, formats, help_of, patterns, routings, selections, topologies, version, vc_schemes
from ikat._plugins import FabricArrays, Outputs, PlugIn, load_plugin, plugins, register_routing, register_selection, register_traffic
from ikat._recordings import Recording, record, recording
from ikat._reproductions import ReproducedClaim, Reproduction, Study, reproduce, studies
from ikat._routing import Dependency, Proof, Routing
from ikat._simulation import Histogram, Simulation, result_names, settings, simulate, sweep
from ikat._traffic import Contention, FlowBound, Load, LoadGroup, Phases, Queues, Traffic

__all__ = [
    "Audit", "AuditFinding", "AuditedRouting", "Cancel", "Cancelled", "CheckFailed", "Claim", "ClosedError", "Compared",
    "Contention", "Dependency", "DeployCheck", "Deployment", "Design", "DesignFailure", "DesignMember", "DesignMisfit",
    "DesignTime", "Experiment", "Fabric", "FabricArrays", "FileError", "Finding", "FlowBound", "Histogram", "IkatError",
    "InputError", "InternalError", "LaneDifference", "LinkClass", "Load", "LoadGroup", "LoopStep", "Measured",
    "MissingModule", "Multicast", "NONE", "NotSteadyWarning", "OutOfMemory", "Outputs", "Phases", "PlugIn", "Progress",
    "Proof", "Queues", "Recording", "ReproducedClaim", "Reproduction", "Results", "Routing", "Simulation", "Study",
    "TableDifference", "Traffic", "Unsupported", "UsageError", "Verdict", "WrongType", "design", "examples", "formats",
    "help_of", "load_plugin", "merge", "patterns", "plugins", "record", "recording", "register_routing",
    "register_selection", "register_traffic", "reproduce", "result_names", "results", "routings", "run", "selections",
    "settings", "simulate", "studies", "sweep", "topologies", "unit_of", "vc_schemes", "verify_deployed", "version"]
__version__ = version().split()[0]
