"""One fabric in each of the forms in which tools of InfiniBand write it, so that tests can compare what is read from them."""
import re

UNIT = "Mellanox Technologies Aggregation Node"
SPEEDS = {"SDR": (1, "2.5"), "DDR": (2, "5.0"), "QDR": (4, "10.0"), "FDR10": (1 << 16, "10.0 Gbps (FDR10)"), "FDR": (1 << 8, "14.0625"),
          "EDR": (2 << 8, "25.78125"), "HDR": (4 << 8, "53.125"), "NDR": (8 << 8, "106.25"), "XDR": (1 << 24, "212.5")}
WIDTHS = {"1x": 1, "4x": 2, "8x": 4, "12x": 8, "2x": 16}
COUNTERS = ("SymbolErrorCounter", "LinkDownedCounter", "PortXmitData", "PortRcvErrors", "PortXmitWait")


class Port:
    def __init__(self, guid=0, lid=0, peer=None, peer_port=0, rate=""):
        self.guid, self.lid, self.peer, self.peer_port, self.rate = guid, lid, peer, peer_port, rate


class Node:
    def __init__(self, switch, guid, name, radix, lid=0, lmc=0):
        self.switch, self.guid, self.name, self.radix, self.lid, self.lmc, self.ports = switch, guid, name, radix, lid, lmc, {}

    def key(self):
        return f"{'S' if self.switch else 'H'}-{self.guid:016x}"

    def port_guid(self, number):
        """What a port of the node says of itself, also if it has no cable."""
        port = self.ports.get(number)
        return self.guid if self.switch else port.guid if port else self.guid + number

    def port_lid(self, number):
        port = self.ports.get(number)
        return self.lid if self.switch else port.lid if port else 0


class Fabric:
    """Read from what ikat writes as ibnetdiscover; all LIDs are given anew."""

    def __init__(self, dump, units=0, first_guids=False):
        self.nodes, by_key, current = [], {}, None
        for line in dump.splitlines():
            head = re.match(r'(Switch|Ca)\s+(\d+) "(\w-(\w+))"\s*# "([^"]*)"', line)
            port = re.match(r'\[(\d+)\](?:\((\w+)\))?\s+"(\w-\w+)"\[(\d+)\](?:\((\w+)\))?.* (\d+x\w+)$', line)
            if head:
                current = Node(head.group(1) == "Switch", int(head.group(4), 16), head.group(5), int(head.group(2)))
                by_key[head.group(3)] = current
                self.nodes.append(current)
            elif port:
                current.ports[int(port.group(1))] = Port(int(port.group(2) or "0", 16), 0, port.group(3), int(port.group(4)), port.group(6))
        for node in self.nodes:
            for port in node.ports.values():
                port.peer = by_key[port.peer]
        for switch in [node for node in self.nodes if node.switch][:units]:
            self.add_unit(switch)
        if first_guids:  # as adapters have them today
            for node in self.nodes:
                node.guid = node.guid if node.switch or not node.ports else node.port_guid(min(node.ports))
        lid = 0
        for node in self.nodes:
            for port in [node] if node.switch else node.ports.values():
                lid = port.lid = lid + 1

    def add_unit(self, switch):
        switch.radix += 1
        unit = Node(False, 0x7000 + switch.guid, UNIT, 1)
        switch.ports[switch.radix] = Port(0, 0, unit, 1, "4xEDR")
        unit.ports[1] = Port(unit.guid, 0, switch, switch.radix, "4xEDR")
        self.nodes.append(unit)

    def ends(self):
        return [(node, number, port) for node in self.nodes for number, port in sorted(node.ports.items())]

    # ---- the forms

    def ibnetdiscover(self):
        lines = ["#", "# Topology file: generated on Thu Jan  1 00:00:00 2026", "#", ""]
        for node in self.nodes:
            if node.switch:
                lines += [f"switchguid=0x{node.guid:x}({node.guid:x})", f'Switch\t{node.radix} "{node.key()}"\t\t# "{node.name}" base port 0 lid {node.lid} lmc {node.lmc}']
            else:
                lines += [f"caguid=0x{node.guid:x}", f'Ca\t{node.radix} "{node.key()}"\t\t# "{node.name}"']
            for number, port in sorted(node.ports.items()):
                far, own = port.peer, "" if node.switch else f"({port.guid:x}) "
                far_guid = "" if far.switch else f"({far.port_guid(port.peer_port):x})"
                said = f'"{far.name}" lid {far.port_lid(port.peer_port)} {port.rate}'
                lines.append(f'[{number}]{own}\t"{far.key()}"[{port.peer_port}]{far_guid}\t\t# ' + ("" if node.switch else f"lid {port.lid} lmc {node.lmc} ") + said)
            lines.append("")
        return "\n".join(lines) + "\n"

    def db_csv(self, counters=None):
        """Nodes, ports and cables; counters: {(GUID, port): {name: value}}."""
        def table(name, columns, rows):
            return [f"START_{name}", columns, *rows, f"END_{name}", "", ""]
        nodes = [f'"{n.name}",{n.radix},{2 if n.switch else 1},1,1,0x{n.guid:016x},0x{n.guid:016x},0x{n.guid:016x},54000,8,0x2c9' for n in self.nodes]
        ports = []
        for node in self.nodes:
            for number in range(0 if node.switch else 1, node.radix + 1):
                port = node.ports.get(number)
                width, speed = (0, 0) if not port else (WIDTHS[re.match(r"\d+x", port.rate).group()], SPEEDS[port.rate.split("x", 1)[1]][0])
                base = 4 if speed > 4 else 0  # extended speeds come with the highest of the older ones
                state, lid = 4 if port else 1, node.lid if node.switch and number == 0 else node.port_lid(number) if not node.switch else 0
                ports.append(f"0x{node.guid:016x},0x{node.port_guid(number):016x},{number},0x0000000000000000,{lid},{width},31,{speed | base},{node.lmc},{state},N/A")
        links, seen = [], set()
        for node, number, port in self.ends():
            if (port.peer.guid, port.peer_port) not in seen:
                links.append(f"0x{node.guid:016x},{number},0x{port.peer.guid:016x},{port.peer_port}")
            seen.add((node.guid, number))
        pm = [f"0x{guid:016x},0x{guid:016x},{number}," + ",".join(str(values.get(c, 0)) if c in values or c != "PortXmitWait" else "NA" for c in COUNTERS)
              for (guid, number), values in (counters or {}).items()]
        lines = ["# This database file was written by a test", '# Running version   : "IBDIAGNET 2.10.0"', ""]
        lines += table("NODES", "NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID,PartitionCap,VendorID", nodes)
        lines += table("PORTS", "NodeGuid,PortGuid,PortNum,MKey,LID,LinkWidthActv,LinkWidthSup,LinkSpeedActv,LMC,PortState,CapMsk2", ports)
        lines += table("SWITCHES", "NodeGUID,LinearFDBCap", [f"0x{n.guid:016x},49152" for n in self.nodes if n.switch])
        lines += table("LINKS", "NodeGuid1,PortNum1,NodeGuid2,PortNum2", links)
        if pm:
            lines += table("PM_INFO", "NodeGUID,PortGUID,PortNumber," + ",".join(c + ("Extended" if c == "PortXmitData" else "") for c in COUNTERS), pm)
        return "\n".join(lines) + "\n"

    def pm(self, counters):
        """The counters of ports as ibdiagnet2.pm has them, wide forms beside those of 32 bits."""
        odd = {"LinkDownedCounter": "link_down_counter", "PortXmitDiscards": "port_xmit_discard", "ExcessiveBufferOverrunErrors": "excessive_buffer_errors"}
        lines = ["# This file was written by a test", ""]
        for (guid, number), values in counters.items():
            node = next(n for n in self.nodes if n.guid == guid)
            lines += ["-" * 40, f"Port={number} Lid=0x{node.port_lid(number):04x} GUID=0x{node.port_guid(number):016x} Device=54000 Port Name={node.name}/P{number}", "-" * 40]
            for name in COUNTERS:
                value = values.get(name, 0)
                snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
                known = name in values or name != "PortXmitWait"
                lines += [f"{odd.get(name, snake)}={f'0x{min(value, (1 << 32) - 1):04x}' if known else 'NA'}", f"{snake}_extended={f'0x{value:016x}' if known else 'NA'}"]
            lines += ["retransmission_per_sec=0", ""]
        return "\n".join(lines) + "\n"

    def iblinkinfo(self, long=False):
        lines = []
        for node in self.nodes:
            if not long:
                lines.append(f"Switch: 0x{node.guid:016x} {node.name}:" if node.switch else f"CA: {node.name}:")
            for number in range(1, node.radix + 1):
                port, front = node.ports.get(number), "      "
                if long:
                    front = f'0x{node.port_guid(number):016x} "{node.name:>30}" '
                elif not node.switch:
                    front += f"0x{node.port_guid(number):016x} "
                front += f"{node.port_lid(number):6d} {number:4d}[  ] =="
                if not port:
                    lines.append(front + '(                Down/ Polling)==>             [  ] "" ( )')
                    continue
                width, speed = port.rate.split("x", 1)
                speed = SPEEDS[speed][1] if "Gbps" in SPEEDS[speed][1] else SPEEDS[speed][1] + " Gbps"
                far, guid = port.peer, f"0x{port.peer.port_guid(port.peer_port):016x} " if long else ""
                lines.append(front + f'({width + "X":>3} {speed:>18} Active/  LinkUp)==>  {guid}{far.port_lid(port.peer_port):6d} {port.peer_port:4d}[  ] "{far.name}" ( )')
        return "\n".join(lines) + "\n"

    def iblinkinfo_long(self):
        return self.iblinkinfo(True)

    def ports(self):
        lines = []

        def end(node, number):
            return f"{'SW' if node.switch else 'CA'} {node.port_lid(number):5d} {number:2d} 0x{node.port_guid(number):016x}"
        for node in self.nodes:
            for number in range(node.radix, 0, -1):
                port = node.ports.get(number)
                if port:
                    width, speed = port.rate.split("x", 1)
                    lines.append(f"{end(node, number)} {width}x {speed} - {end(port.peer, port.peer_port)} ( '{node.name}' - '{port.peer.name}' )")
                else:
                    lines.append(f"{end(node, number)} 4x ???" + " " * 36 + f"'{node.name}'")
        return "\n".join(lines) + "\n"

    def log(self):
        """A log of a terminal around the dump, with what it sends beside text."""
        front = "=~=~=~=~=~=~= PuTTY log 2026.01.01 00:00:00 =~=~=~=~=~=~=\n\x1b]0;root@mgr: ~\x07\x1b[01;32m[root@mgr ~]#\x1b[0m ibnetdiscov\x08\x1b[Ker\n"
        return (front + self.ibnetdiscover() + "\x1b[?2004h\x1b[01;32m[root@mgr ~]#\x1b[0m exit\nlogout\n").replace("\n", "\r\n")


FORMS = {"db_csv": Fabric.db_csv, "iblinkinfo": Fabric.iblinkinfo, "iblinkinfo_long": Fabric.iblinkinfo_long, "ports": Fabric.ports, "log": Fabric.log}
