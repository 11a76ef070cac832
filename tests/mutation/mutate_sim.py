#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the simulator on purpose, one small fault at a time, and demands that a test of the simulator notices each.

usage: mutate_sim.py BUILD [NAME ...]    (BUILD: a built tree of this source, made with ninja; NAME: only faults whose names begin so)
       mutate_sim.py --list [BUILD] [NAME ...]   (lists the faults and checks that each can be applied and, with BUILD, compiled and linked)

A fault is a text that must stand exactly once in its file, inside a function, and what replaces it (or several of both): if the source
moves on, the script fails until its fault has been looked at again. All faults are compiled at once, into a copy of the sources: beside a
function with faults stand its broken versions, and the function goes to the one whose number is in the environment, IKAT_FAULT. So the
simulator is compiled once and each test is linked once, from the objects of the build. A test that fails, crashes, or takes much more
processor time than the unbroken simulator has noticed."""
import concurrent.futures
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = ["test_sim_timing", "test_sim_conserve", "test_sim_kernels", "test_sim_threads", "test_sim_pipeline", "test_sim_models",
         "test_sim_switch", "test_sim_processes", "test_sim_buffers", "test_sim_rest",
         "test_sim_adapter", "test_sim_choice", "test_sim_congestion", "test_sim_pipe_threads", "test_sim_crossbar",
         "test_sim_hold", "test_sim_graph", "test_sim_replies", "test_sim_priority", "test_traffic_mix", "test_sim_loads", "test_sim_outputs", "test_sim_random", "test_sim_stop",
         "test_sim_completion"]
TIMES, SECONDS = 3, 20  # processor time that a fault may take: so many times that of the unbroken simulator, and so many seconds more
WAITING_S = 60  # a test that takes no processor time at all for so long sleeps for ever, however busy the machine is
PIPE = ["test_sim_pipeline", "test_sim_models"]
PIPE_MESSAGES = ["test_sim_pipe_threads"]

# name, file in src/sim, text, what replaces it, tests that should notice (asked first)
FAULTS = [
    ("completion: messages of a host never take turns", "packet/crossbar_engine.c", "    c->contended |= pk->t_gen < c->turn_closed[host];\n", "", ["test_sim_completion"]),
    ("completion: turns are over with a first packet", "packet/crossbar_engine.c", "(packets - 2) * c->full_ps + 1", "1", ["test_sim_completion"]),
    ("completion: jobs take turns as the first one says", "packet/crossbar_engine.c", "packets > sim_finite_turn(s, host)", "packets > s->adapter.turn_packets", ["test_sim_completion"]),
    ("completion: messages never take turns at an output", "packet/crossbar_engine.c", "comes < c->out_closed[m->dst] || ", "", ["test_sim_completion"]),
    ("completion: hosts never lack credit", "packet/crossbar_engine.c", " || goes - comes > c->most_late_ps", "", ["test_sim_completion"]),
    ("completion: outputs are free", "packet/crossbar_engine.c", "comes > c->out_free[m->dst] ? comes : c->out_free[m->dst];", "comes;", ["test_sim_completion"]),
    ("completion: the higher port goes first", "packet/crossbar_engine.c", "(x->src > y->src) - (x->src < y->src)", "(x->src < y->src) - (x->src > y->src)", ["test_sim_completion"]),
    ("graph: a message overtakes one of its source", "workload/finite_any.c", "        if (!f->any[k].taken && finite_any_fits_tag(g, recv, f->any[k].op))\n            return false;\n", "", ["test_sim_graph"]),
    ("graph: a message that arrives takes the receive that began last", "workload/finite_any.c", "        f->ops[l->tail].next = recv;\n    else\n        l->head = recv;\n    l->tail = recv;",
     "        f->ops[recv].next = l->head;\n    l->head = recv;\n    if (l->num == 1)\n        l->tail = recv;", ["test_sim_graph"]),
    ("graph: a held message is forgotten when the other comes", "workload/finite_any.c", "k == m || (held && f->any[k].flow == flow)", "k == m", ["test_sim_graph"]),
    ("graph: a receive begins with its message", "workload/finite.c", "    o->vc |= RECV_BEGUN;\n    finite_tell_after(p, host, op, true, now);\n", "    o->vc |= RECV_BEGUN;\n", ["test_sim_graph"]),
    ("graph: calculations before sends of the same time", "workload/finite.c", ("t * DUE_RANKS + rank", "switch (item->key % DUE_RANKS) {"),
     ("t * DUE_RANKS + (rank ? (rank + 1) % 3 + 1 : 0)", "switch (item->key % DUE_RANKS ? (item->key + 4) % DUE_RANKS % 3 + 1 : 0) {"),
     ["test_sim_graph"]),
    ("graph: a receive takes no overhead", "workload/finite.c", "    uint64_t end = time ? finite_later(finite_take_cpu(f, host, op, now, time), time) : now;", "    uint64_t end = now;", ["test_sim_graph"]),
    ("graph: a start is not when the processor begins", "workload/finite.c", "    finite_tell_after(p, host, op, true, begin);\n    finite_finish(p, host, op, finite_later(begin, time));", "    finite_tell_after(p, host, op, true, now);\n    finite_finish(p, host, op, finite_later(begin, time));",
     ["test_sim_graph"]),
    ("graph: nobody acknowledges", "workload/finite.c", "        finite_tell(p, host, g->ack[send], op, end);\n", "        ;\n", ["test_sim_graph"]),
    ("fast: a credit is lost", "fast/fast.c", "                ++*credit;\n", "                ;\n", ["test_sim_conserve"]),
    ("fast: a scarce credit wakes nobody", "fast/fast_switch.h", "        keys_switch_port(h, k, st, out)->ready |= context_asked_of(k, keys_switch_port(h, k, st, out))[v];\n    return bit_out & ~before;",
     "        keys_switch_port(h, k, st, out)->ready |= context_asked_of(k, keys_switch_port(h, k, st, out))[v];\n    return 0;", ["test_sim_kernels"]),
    ("fast: grant pointers stay", "fast/fast_switch.h", "->grant = (uint8_t)((in + 1) & 63);",
     "->grant = (uint8_t)in;", ["test_sim_models", "test_sim_kernels"]),
    ("fast: accept pointers stay", "fast/fast_switch.h", "->accept = (uint8_t)((out + 1) & 63);",
     "->accept = (uint8_t)out;", ["test_sim_kernels"]),
    ("fast: pairs left over are forgotten", "fast/fast_switch.h", "    fsw->left |= left;\n", "    fsw->left |= left & (left - 1);\n", ["test_sim_kernels"]),
    ("fast: an input that comes free wakes nobody", "fast/fast_switch.h", "return 1ull << out | keys_switch_port(h, k, st, in)->row;", "return 1ull << out;",
     ["test_sim_kernels"]),
    ("fast: no traversal delay", "fast/fast_state.c", "head = s->sw.traversal_ps + class->latency_ps;",
     "head = class->latency_ps;", ["test_sim_timing"]),
    ("fast: keys are not put in order", "fast/keys.h", "!k.dense && place > first && place[-1] > key; place--)",
     "!k.dense && place > first + 64 && place[-1] > key; place--)",
     ["test_sim_kernels"]),
    ("fast: many keys of a switch", "fast/keys.h", "        if (n == SWITCH_EVENTS)\n", "        if (n == SWITCH_EVENTS + 1)\n",
     ["test_sim_kernels", "test_sim_models"]),
    ("fast: the next in a queue does not ask", "fast/departures.h", "        keys_request_vc(h, k, fsw, sw, in, v, h->out[next], k.steps ? context_vc_of(h, word) : v);\n",
     "        ;\n", ["test_sim_conserve", "test_sim_kernels"]),
    ("fast: a VC that steps looks for its own credit", "fast/keys.h", "to->ready |= (keys_ok_of(h, k, fsw, sw)[u] >> out & 1) << in;",
     "to->ready |= (keys_ok_of(h, k, fsw, sw)[v] >> out & 1) << in;", ["test_sim_kernels"]),
    ("fast: another VC that asks for the same one is forgotten", "fast/keys.h", "still |= (uint32_t)(to->want[w] >> in & 1) << context_vc_of(h, word);",
     "still |= (uint32_t)(w == v && to->want[w] >> in & 1) << context_vc_of(h, word);", ["test_sim_kernels"]),
    ("fast: a VC goes whose head asks for one without credit", "fast/fast_grants.h", "ready |= (g->vcs >> v & g->vcs >> (16 + context_vc_of(h, word)) & 1) << v;",
     "ready |= (g->vcs >> v & 1) << v;", ["test_sim_kernels", "test_sim_random"]),
    ("fast: a host's credit comes early", "fast/departures.h", "context_event_time_at(h, BIN_CREDIT, context_until(h, t + out->latency_ps));",
     "context_event_time_at(h, BIN_CREDIT, context_until(h, t));", ["test_sim_kernels", "test_sim_timing"]),
    ("plain: a host's credit comes early", "fast/fast_state.c", ".host_credit = fast_state_window_time_of(s, full + head + class->latency_ps),",
     ".host_credit = fast_state_window_time_of(s, full + head),", ["test_sim_kernels", "test_sim_timing"]),
    ("plain: the later of two windows is never meant", "fast/context.h", "return (event_time){far ? a->far : a->near,", "return (event_time){a->near,",
     ["test_sim_kernels"]),
    ("fast: a port that comes free in this window passes for busy", "fast/fast.c", "            fsw->may_in |= 1ull << fast_key_in(*at);\n", "",
     ["test_sim_kernels"]),
    ("fast: a busy input's request is looked at", "fast/fast_switch.h", "return st->free_in & bit_in ? bit_out : 0;", "return bit_out;", ["test_sim_kernels"]),
    ("fast: the last of a queue passes for one of several", "fast/departures.h", "*place = none ? IK_NONE : last | context_tag_of(h, k, word);",
     "*place = next == last ? IK_NONE : last | context_tag_of(h, k, word);",
     ["test_sim_kernels", "test_sim_conserve"]),
    ("choices: space counts where busy outputs may have none", "fast/context.h", "(k.chooses ? 3 : 2))", "(k.chooses ? 2 : 2))",
     ["test_sim_kernels"]),
    ("choices: a credit counts before its instant", "fast/fast.c", "< host_ports ? 2 : 1;", "< host_ports ? 1 : 1;", ["test_sim_kernels"]),
    ("choices: the last credit is gone after the window only", "fast/choice.h", "        *ok &= ~((uint64_t)(*credit == 1) << out);\n", "",
     ["test_sim_kernels"]),
    ("choices: who waits does not choose again", "fast/choice.h", "    *choice_waiting_of(h, k, st->sw, c, out, v) |= 1ull << in;\n", "",
     ["test_sim_kernels"]),
    ("choices: who loses waits for another instant", "fast/fast_switch.h", "again at once */\n                open = fast_switch_choose_anew(h, k, st);\n", "again at once */\n                open = 0;\n",
     ["test_sim_kernels"]),
    ("choices: an input that comes free wakes nobody", "fast/fast_switch.h",
     "        open |= keys_switch_port(h, k, st, (unsigned)__builtin_ctzll(bits))->row;\n", "        ;\n", ["test_sim_kernels"]),
    ("choices: busy outputs are as good as free ones", "fast/choice.h", "    return now ? now : room;\n", "    return room;\n",
     ["test_sim_kernels"]),
    ("choices: the last credit of a VC is gone after the window only", "fast/choice.h", "    ok[v] &= ~((scarce >> v & 1) << out);\n", "",
     ["test_sim_kernels"]),
    ("choices: the output with least credit", "fast/choice.h", "best = (here > most ? 0 : best)", "best = (here < most ? 0 : best)",
     ["test_sim_kernels"]),
    ("choices: equal outputs are not drawn", "fast/choice.h", "    if (!h->f->draws_ties || ", "    if (true || ", ["test_sim_kernels"]),
    ("choices: an input asks twice for an output that is drawn", "fast/choice.h", " || choice_asks_already(h, k, st, in, to))", ")",
     ["test_sim_kernels", "test_sim_conserve"]),
    ("choices: credit counts early where its amount matters", "fast/context.h", "    if (context_is_exact(h, k, port))\n", "    if (false)\n",
     ["test_sim_kernels"]),
    ("choices: a packet moves behind one that asks already", "fast/choice.h", "        inputs &= ~*keys_asks_of(k, keys_switch_port(h, k, st, to), w);\n", "        ;\n",
     ["test_sim_kernels", "test_sim_conserve"]),
    ("early: space counts where there is not enough for two", "fast/context.h", "(k.chooses ? 3 : 2))", "(k.chooses ? 3 : 1))", ["test_sim_kernels"]),
    ("early: a packet that flies passes for one that has come", "fast/fast_pool.c", "return ps->in_flight && ps->in_flight[first] ? IK_NONE : first;", "return first;",
     ["test_sim_kernels"]),
    ("early: a packet asks a window late", "fast/keys.h", "context_post(h, context_slot_ahead(h, BIN_ASK, windows), key);",
     "context_post(h, context_slot_ahead(h, BIN_ASK, windows + 1), key);", ["test_sim_kernels"]),
    ("early: a port that comes free in the next window passes for busy", "fast/fast.c", "        fsw->may_in |= 1ull << fast_key_in(key);\n", "",
     ["test_sim_kernels"]),
    ("early: a transmission that ends a window later ends later still", "fast/fast.c", "context_post(h, context_slot_ahead(h, BIN_TAIL, 2), key - limit);",
     "context_post(h, context_slot_ahead(h, BIN_TAIL, 3), key - limit);", ["test_sim_kernels"]),
    ("early: transmissions last whole windows", "fast/fast.c", "uint64_t rest = (uint64_t)h->f->links[0].tail.rest << KEY_OFFSET,",
     "uint64_t rest = 0,", ["test_sim_kernels"]),
    ("early: grants stand where others are under way", "fast/fast_state.c", "    t->room = multiple * most;\n", "    t->room = most;\n",
     ["test_sim_kernels"]),
    ("outputs: a packet that comes goes before those that could go at its instant", "fast/output_buffers.h", "        o->joined_at = 2 * d->offset + 1;\n",
     "        o->joined_at = 2 * d->offset;\n", ["test_sim_outputs"]),
    ("outputs: VCs do not take turns", "fast/output_buffers.h", "    o->turn = (uint8_t)(u + 1 == k.vcs ? 0 : u + 1);\n", "", ["test_sim_outputs"]),
    ("outputs: credit counts from the window's beginning", "fast/output_buffers.h", "    q->credit_at = at;\n", "    q->credit_at = OUTPUT_ALWAYS;\n",
     ["test_sim_outputs"]),
    ("outputs: space comes back unnoticed", "fast/output_buffers.h", "    if (*space >= (k.chooses ? 2 : 1) && ", "    if (", ["test_sim_outputs"]),
    ("watchdog: an output without space passes for an open one", "inspect/watchdog.c", "        if (*state_gate_of(s, s->sw.vcs, port, v) < (int32_t)s->adapter.packet_bytes)\n",
     "        if (*state_gate_of(s, s->sw.vcs, port, v) < 0)\n", ["test_sim_conserve"]),
    ("outputs: space counts where those who choose may find none", "fast/output_buffers.h", "(k.chooses ? 2 : 1)", "1", ["test_sim_outputs"]),
    ("outputs: who is left over chooses as before anything entered", "fast/fast_switch.h", "        } while (fast_switch_enter_buffers(h, k, st) && ",
     "        } while (fast_switch_enter_buffers(h, k, st) && false && ", ["test_sim_outputs"]),
    ("outputs: packets in the crossbar are forgotten", "fast/fast_switch.h", "        st->entering |= 1ull << out;\n", "        ;\n", ["test_sim_outputs"]),
    ("outputs: a busy output is not chosen", "fast/choice.h", "k.buffers ? 0 : room & st->free_out;", "room & st->free_out;", ["test_sim_outputs"]),
    ("outputs: a head remembers what the one before it chose", "fast/overlap.h", ".known &= ~(1ull << out);\n", ".known &= ~0ull;\n", ["test_sim_outputs"]),
    ("outputs: heads remember what they chose where space was elsewhere", "fast/overlap.h", "c->known = c->space == space ? c->known : 0;", ";",
     ["test_sim_outputs"]),
    ("choices: a packet prefers another output when it is asked again", "fast/choice.c", "    if (preferred == NO_OUT)\n", "    if (false)\n",
     ["test_sim_outputs"]),
    ("outputs: a fast crossbar waits for no tail", "fast/fast_state.c", " || f->links[c].transfer_ps < full;", ";", ["test_sim_outputs"]),
    ("general: space that nobody waits for is looked at", "packet/output.h", "        was_short = *state_space_of(", "        was_short = s != NULL || *state_space_of(", ["test_sim_outputs"]),
    ("watchdog: skipped while nothing happens", "parallel/rest.c", "    next = t->next_watch < next ? t->next_watch : next;\n",
     "",
     ["test_sim_kernels"]),
    ("paranoid: deadlocks are looked for where something happens", "parallel/rest.c", "(time >= t->next_watch || over)",
     "(time >= t->next_watch || due->check || over)", ["test_sim_rest"]),
    ("dense: keys are not put in order", "fast/fast_switch.h", "e[-(rank[0] + rank[1] + rank[2] + rank[3])]", "e[at]", ["test_sim_kernels"]),
    ("dense: a scarce credit is not seen", "fast/fast_switch.h", "    *ok |= bit_out & credit;\n", "", ["test_sim_kernels"]),
    ("dense: a busy input's request is looked at", "fast/fast_switch.h", "(bit_out & (~arrival | free))", "bit_out", ["test_sim_kernels"]),
    ("fast: VCs do not take turns", "fast/fast_grants.h", "        *turn = v + 1 == k.vcs ? 0 : v + 1;\n", "", ["test_sim_kernels"]),
    ("fast: a host forgets the rest of a block", "fast/fast_host.c", "    l->mine &= (uint8_t)(l->mine - 1);\n", "    l->mine = 0;\n",
     ["test_sim_kernels", "test_sim_conserve"]),
    ("fast: an awaited credit wakes no host", "fast/fast_host.c", "adapter->wake_at == now || adapter->blocked)", "adapter->wake_at == now)",
     ["test_sim_timing", "test_sim_kernels"]),
    ("general: a credit is long", "packet/switch.c", "*credit += (int32_t)calendar_space_bytes(data);",
     "*credit += (int32_t)calendar_space_bytes(data) + 8;", ["test_sim_conserve"]),
    ("general: an input that comes free wakes nobody", "packet/switch.c", "    shape_mark(ch->in, k, input);\n", "", ["test_sim_kernels"]),
    ("general: pointers move on the later iterations", "packet/match.h", "if (first || (s->sw.arbiter == ARB_ROUND_ROBIN)) {",
     "if (!first || (s->sw.arbiter == ARB_ROUND_ROBIN)) {", ["test_sim_kernels"]),
    ("general: the first VC, room or not", "packet/match.h", "unsigned u = shape_choose_vc(p, k, out_port, pk);",
     "unsigned u = pk->vc_first;", ["test_sim_models"]),
    ("general: one VC of a pair is preferred", "packet/match.h", "*pointer = (uint8_t)(v + 1 == k.vcs ? 0 : v + 1);",
     "*pointer = (uint8_t)v;", ["test_sim_kernels"]),
    ("general: an output arbitration is skipped", "packet/match.h", "shape_mark(p->granted + (size_t)input * k.words, k, out);",
     "p->granted[(size_t)input * k.words] = 0; shape_mark(p->granted + (size_t)input * k.words, k, out);", ["test_sim_kernels"]),
    ("stop: MSER takes the longest of equal truncations", "measure/stationary.c", "left >= STATIONARY_TAIL && error <= least", "left >= STATIONARY_TAIL && error < least", ["test_sim_stop"]),
    ("stop: the error is of single values", "measure/stationary.c", "double error = squares / ((double)left * (double)left);", "double error = squares / (double)left;", ["test_sim_stop"]),
    ("stop: a truncation may lie anywhere", "measure/stationary.c", "return out <= s->num / 2 && !stationary_rest_drifts", "return !stationary_rest_drifts", ["test_sim_stop"]),
    ("stop: the rest may drift", "measure/stationary.c", "return out <= s->num / 2 && !stationary_rest_drifts(s, which, out) ? out : SIZE_MAX;", "return out <= s->num / 2 ? out : SIZE_MAX;", ["test_sim_stop"]),
    ("stop: batches may depend on each other", "measure/stationary.c", "stationary_neighbours(fine, STATIONARY_FINE) < MOST_CORRELATED", "stationary_neighbours(fine, STATIONARY_FINE) < 2", ["test_sim_stop"]),
    ("stop: the interval is not widened", "measure/stationary.c", "(1 + left) / (1 - left)", "1", ["test_sim_stop"]),
    ("stop: one partition's batches alone", "measure/stationary.c", "(const char *)first + k * stride",
     "(const char *)first + 0 * k * stride", ["test_sim_stop"]),
    ("ioq: output room is lost", "packet/output.h", "change_output_space(s, sw, k, port, calendar_space_vc(data), (int32_t)calendar_space_bytes(data));",
     "change_output_space(s, sw, k, port, calendar_space_vc(data), (int32_t)calendar_space_bytes(data) - 8);",
     ["test_sim_conserve"]),
    ("ioq: no traversal delay", "packet/output.h", "events_post_own(p, t0 + s->sw.traversal_ps, node, EV_WAKE",
     "events_post_own(p, t0, node, EV_WAKE", ["test_sim_timing"]),
    ("ideal: a credit comes at once", "packet/output.h", "events_post_remote(p, end + from->latency_ps, from->peer_node, EV_CREDIT, from->peer_port,",
     "events_post_remote(p, p->now + from->latency_ps, from->peer_node, EV_CREDIT, from->peer_port,", ["test_sim_models"]),
    ("host: a blocked host sleeps on", "adapter/host.c", "return h->blocked;", "return false;", ["test_sim_timing", "test_sim_switch", "test_sim_processes"]),
    ("host: credit for VC 0", "adapter/host.c", "space_post_credit(p, &s->net.ports[port], t, pk->rt.vc,", "space_post_credit(p, &s->net.ports[port], t, 0,",
     ["test_sim_conserve"]),
    ("congestion: depth does not grow", "measure/congest.c", "w->depth = ++depth;", "w->depth = depth;", ["test_sim_congestion"]),
    ("congestion: the channel above the root is the root", "measure/congest.c", "root = last->root = last->out;",
     "root = c->queues[c->path[0]].out, last->root = last->out;", ["test_sim_congestion"]),
    ("congestion: circles have a root", "measure/congest.c", "root = c->queues[q].root == ON_PATH ? IK_NONE : c->queues[q].root;",
     "root = c->queues[q].root == ON_PATH ? c->queues[q].out : c->queues[q].root;", ["test_sim_congestion"]),
    ("congestion: culprits are victims", "measure/congest.c", "culprit ? h->weight : 0, culprit ? 0 : h->weight",
     "0, h->weight", ["test_sim_congestion"]),
    ("congestion: early samples count", "measure/congest.c", "if (num > early)", "if (num)", ["test_sim_congestion"]),
    ("congestion: a sending input hides what it sends to", "inspect/congest_packets.c", "    return turn ?", "    return false && turn ?",
     ["test_sim_congestion"]),
    ("congestion: a busy output holds nobody up", "inspect/congest_packets.c", "if (look_output_free(s, p->choices[c].port) && congest_packets_choice",
     "if (congest_packets_choice", ["test_sim_congestion"]),
    ("congestion: what output buffers wait for is not followed", "inspect/congest_packets.c", "        pk = look_packet(p, first);\n    }\n",
     "        return IK_NONE;\n    }\n", ["test_sim_congestion"]),
    ("congestion: samples come a step late", "steps.c", "until = rest_next(t), end",
     "until = t->next_watch, end", ["test_sim_threads", "test_sim_congestion"]),
    ("classes: culprits are victims", "measure/classes.c", "*(culprit ?", "*(!culprit ?", ["test_traffic_mix"]),
    ("classes: of the message before", "inspect/congest_packets.c", "pk->number / s->source.packets_per_message", "pk->number / s->source.packets_per_message - 1",
     ["test_traffic_mix"]),
    ("backlog: messages left out are counted", "workload/messages.c", "!s->traffic->gaps ||", "!s->traffic->gaps || true ||", ["test_traffic_mix"]),
    ("backlog: messages left out are counted, pipelined", "flit/pipe_host.c",
     "        if (p->traffic->family->dest(p->traffic, host, h->messages) != IK_NONE)\n", "", ["test_traffic_mix"]),
    ("classes: bytes of the other class", "measure/classes.c", "c->of[class].window_bytes += bytes;", "c->of[!class].window_bytes += bytes;",
     ["test_sim_congestion"]),
    ("pipelined: a held VC is not an obstacle", "flit/pipe_congest.c", "w->lacks = p->in[holder].count ? pipe_congest_lacks_credit(p, holder) : pipe_congest_rest_upstream(p, holder);",
     "w->lacks = IK_NONE;", ["test_sim_congestion"]),
    ("mail: the next window is skipped", "state/events.c", "if (time < p->out_first)", "if (time > p->out_first)",
     ["test_sim_threads"]),
    ("mail: a step lasts too long", "partition.c", "    return least / s->window.lookahead;\n", "    return least / s->window.lookahead + 1;\n",
     ["test_sim_threads"]),
    ("mail: times beyond 32 bits are cut", "steps.c", "time = since + ((uint64_t)at->data << 32 | at[1].dt);",
     "time = since + at[1].dt;", ["test_sim_processes"]),
    ("mail: what does not fit is lost", "steps.c", "for (uint32_t k = 0; k < list->count; k++)", "for (uint32_t k = 0; k < 1; k++)",
     ["test_sim_processes"]),
    ("wheel: far events fire early", "core/calendar.c", "uint64_t end = (revolution + 1) *", "uint64_t end = (revolution + 2) *",
     ["test_sim_timing"]),
    ("route: VCs of another choice", "state/route.c", "pk->vc_first = c->vc_first;", "pk->vc_first = 0;",
     ["test_sim_conserve", "test_sim_models"]),
    ("accounts: what is shared is not taken", "state/space.h", "    l->shared[port] -= space_above(*used, own) - before;\n", "    (void)before;\n",
     ["test_sim_conserve"]),
    ("accounts: no upper bound", "state/space.h", "return room < limit ? room : limit;", "return room;", ["test_sim_conserve"]),
    ("accounts: the output ahead is not looked for", "state/route.c",
     "return p->choices_ahead[sim_drawn(s, &then, number, n, preferred)].port - s->net.switches[to->peer_node].port_base;", "return 0;",
     ["test_sim_conserve"]),
    ("accounts: the output ahead is not the one that is drawn there", "state/route.c", "p->choices_ahead[sim_drawn(s, &then, number, n, preferred)]",
     "p->choices_ahead[preferred]", ["test_sim_loads"]),
    ("routes: no output is drawn", "state/route.c", "return ik_plan_draw(s->plan, rt, &draw, n, preferred);", "return preferred;",
     ["test_sim_loads"]),
    ("routes: all packets of a host draw alike", "state/route.c", "ik_draw draw = {s->seed, rt->src, number};",
     "ik_draw draw = {s->seed, rt->src, 0};", ["test_sim_loads"]),
    ("fast: packets draw without their number", "fast/fast_pool.c", "number ? number[id] : 0", "0", ["test_sim_kernels"]),
    ("pipelined: no output is drawn", "flit/pipe_route.c", "return ik_plan_draw(p->plan, rt, &draw, n, preferred);",
     "return preferred;", ["test_sim_loads"]),
    ("accounts: a VC keeps nothing", "state/space.c", "s->sw.queue_min = s->sw.vcs > 1 ? s->adapter.packet_bytes : 0;", "s->sw.queue_min = 0;",
     ["test_sim_conserve"]),
    ("voqnet: others ask on without credit", "packet/match.h", "        net_space_changed(p, sw, k, out, dst);\n", "        (void)dst;\n",
     ["test_sim_conserve"]),
    ("voqnet: credit wakes nobody", "packet/switch.c",
     "        net_space_changed(p, sw, k, port - sw->port_base, account % s->f->num_hosts);\n", "        ;\n", ["test_sim_conserve"]),
    ("voqnet: a ring forgets who comes next", "packet/voqnet.h", "        ring->head = q->next;\n", "        ring->head = IK_NONE;\n",
     ["test_sim_conserve"]),
    ("shared outputs: room is lost", "packet/output.h", "space_ledger_add(&s->net.out_space, port, calendar_space_vc(data), -(int32_t)calendar_space_bytes(data));",
     "space_ledger_add(&s->net.out_space, port, calendar_space_vc(data), 8 - (int32_t)calendar_space_bytes(data));", ["test_sim_conserve"]),
    ("watchdog: shared space that others free is not seen", "inspect/watchdog.c", "if (alive[a] && used[a] > s->net.in_space.bounds[out_port].own)",
     "if (alive[a] && used[a] < 0)", ["test_sim_buffers"]),
    ("adapter: a destination does not give up its turn", "adapter/by_destination.c", "        by_destination_ring_append(d, ring, id);\n    else\n",
     "        {\n            q->next = ring->head;\n            ring->head = id;\n            ring->tail = ring->tail == IK_NONE ? id : ring->tail;\n"
     "        }\n    else\n", ["test_sim_adapter"]),
    ("adapter: a destination without room stops the others", "adapter/by_destination.c", "if (!s->net.in_space.accounts && s->source.uniform_size)", "if (s->source.uniform_size)",
     ["test_sim_adapter"]),
    ("adapter: one queue passes over a blocked packet", "params/params.c", "s->adapter.num_queues = s->adapter.queues == ADAPTER_VC ? s->sw.vcs : 1;",
     "s->adapter.num_queues = s->adapter.queues != ADAPTER_DESTINATION ? s->sw.vcs : 1;", ["test_sim_adapter"]),
    ("adapter: injection is not paced", "adapter/host.c", "return own > link_ps ? own : link_ps;", "return (void)own, link_ps;", ["test_sim_adapter"]),
    ("adapter: packets drain in parallel", "adapter/host.c", "begin = *until > now ? *until : now;", "begin = now;", ["test_sim_adapter"]),
    ("adapter: credit before the buffer has drained", "adapter/host.c", "space_post_credit(p, &s->net.ports[port], t, pk->rt.vc,",
     "space_post_credit(p, &s->net.ports[port], pk->t_tail, pk->rt.vc,", ["test_sim_adapter"]),
    ("choice: heads never choose again", "state/route.c", "pk->revocable = s->choice.rechoose;", "pk->revocable = 0;", ["test_sim_choice"]),
    ("choice: only with every output free", "packet/switch.c", "any |= free_out[w] & (p->sim->choice.overtakes ? UINT64_MAX : ~row[w]);", "any |= ~free_out[w] ? 0 : ~row[w];",
     ["test_sim_choice"]),
    ("choice: the next head stays marked", "packet/shape.h", "            shape_clear_revocable(p->sim, sw, k, in, v, out);\n", "            ;\n",
     ["test_sim_conserve"]),
    ("choice: bytes stay booked where they waited", "packet/switch.c",
     "    shape_note_queued(s, sw->port_base + out, v, -(int64_t)pk->size);\n", "", ["test_sim_conserve"]),
    ("watchdog: what stands behind a head that leaves stays dead", "inspect/watchdog.c", "if (leaves && !h->alive[buffer])",
     "if (leaves && !h->alive[buffer] && id == state_out_queue_of(s, s->sw.vcs, out_port, (unsigned)(q % s->sw.vcs))->tail)", ["test_sim_conserve"]),
    ("memory: growth is not weighed", "parallel/rest.c", "if (!limit || bytes <= limit)",
     "if (!limit || bytes <= 2 * limit)", ["test_sim_conserve"]),
    ("pipelined: a flit needs no credit", "flit/pipe_switch.h", "bool starved = --r->credits[out_bit] == 0;", "bool starved = false;", PIPE),
    ("pipelined: an output VC is never given back", "flit/pipe_switch.h", "        pipe_sets_set_add(q->freed, out_bit, k.words);\n", "", PIPE),
    ("pipelined: an output VC that a tail frees is offered at once", "flit/pipe_switch.h", "pipe_sets_set_add(q->freed, out_bit, k.words);",
     "pipe_sets_set_add(pipe_free_out(r, k), out_bit, k.words);", PIPE),
    ("pipelined: packets are routed a tick too early", "flit/pipe_router.c",
     "    if (!k.plain && p->routing == 0)\n        pipe_router_start_packets(q, r, sw, k);\n", "    pipe_router_start_packets(q, r, sw, k);\n", PIPE),
    ("pipelined: pointers of VC allocation never move", "flit/pipe_vcs.h", "        pipe_last_holders(r, out, k.words, p->vcs)[vc] = (uint16_t)bit;\n",
     "", PIPE),
    ("pipelined: pointers of switch allocation never move", "flit/pipe_switch.h", "        *pipe_last_in(r, out, k.words) = (uint16_t)(in * p->vcs + p->vcs - 1); /* its last bit */\n",
     "", PIPE),
    ("pipelined: a flit that ends a VC's wait is forgotten", "flit/pipe_events.c", "            pipe_end_starvation(q, *c);\n", "            ;\n", PIPE),
    ("pipelined: a credit counts twice", "flit/pipe_events.c", "if (credits[*c]++ == 0 &&", "if ((credits[*c] += 2) == 2 &&", PIPE),
    ("pipelined: flits that are left to a router come twice", "flit/pipe_router.c", "    q->turns[sw].arrivals = IK_NONE;\n", "", PIPE_MESSAGES),
    ("pipelined: the second flit is the first one again", "flit/pipe_switch.h", "v->front = r->rings[((size_t)bit << p->ring_shift) + v->head];", ";", PIPE),
    ("pipelined: the watchdog believes in credits that are not there", "flit/pipe_deadlock.c", "p->credits[channel] || h->credits[channel]",
     "p->depth || h->credits[channel]", PIPE),
    ("pipelined: all VCs at one port of the crossbar", "flit/pipe_init.c", "p->input_speedup + bit % p->vcs % p->input_speedup);",
     "p->input_speedup);", ["test_sim_crossbar"]),
    ("pipelined: all inputs at one port of an output", "flit/pipe_lists.h", "return out * p->output_speedup + in % p->output_speedup;",
     "return out * p->output_speedup;", ["test_sim_crossbar"]),
    ("pipelined: a connection outlasts its packet", "flit/pipe_lists.h", "bool keeps = v->state == VC_ACTIVE && v->count;",
     "bool keeps = v->count;", ["test_sim_hold"]),
    ("pipelined: a connection without credit is kept", "flit/pipe_lists.h", "            r->kept_in[port] = PIPE_NO_HOLDER;\n", "", ["test_sim_hold"]),
    ("replies: a place is free before the reply has come", "workload/replies.c", "    replies_free_place(p, host, d->t);\n", "    replies_free_place(p, host, q->t_open);\n",
     ["test_sim_replies"]),
    ("replies: the first packet of a request is answered", "workload/replies.c", "    if (q->left)\n        return false;\n", "", ["test_sim_replies"]),
    ("replies: in the VCs of requests", "workload/replies.c", ".dst = dst, .vc = s->reply.vcs};", ".dst = dst, .vc = 0};", ["test_sim_replies"]),
    ("replies: the service takes no time", "workload/replies.c", "d->t + s->reply.service_ps);", "d->t);", ["test_sim_replies"]),
    ("priorities: VCs of an input in turn", "packet/match.h", "v = p->sim->sw.by_age ? match_most_urgent_vc(p, sw, k, ready, input, out)",
     "v = false ? match_most_urgent_vc(p, sw, k, ready, input, out)", ["test_sim_priority"]),
    ("priorities: adapters in turn", "adapter/host.c", "    unsigned num = s->sw.levels.vcs, before = k / num * num,",
     "    unsigned num = s->adapter.num_queues, before = k / num * num,", ["test_sim_priority"]),
    ("pipelined: a VC of another port of the crossbar goes", "flit/pipe_lists.h", "uint64_t vcs = p->crossbar_vcs[won.in - in * p->input_speedup];",
     "uint64_t vcs = p->vc_mask;", ["test_sim_crossbar"]),
    ("pipelined mail: a step lasts too long", "flit/pipe_init.c", "        p->step_cycles = latency / p->speedup + 1;\n",
     "        p->step_cycles = latency / p->speedup + 2;\n", PIPE_MESSAGES),
    ("pipelined mail: credits of another part come late", "flit/pipe_messages.c", "pipe_add_credit(q, since + at->dt, at->node);",
     "pipe_add_credit(q, since + at->dt + 1, at->node);", PIPE_MESSAGES),
    ("pipelined mail: body flits belong to an older packet", "flit/pipe_messages.c", "        *id = pipe_new_packet(q);\n        if (*id == IK_NONE)",
     "        *id = *id ? *id : pipe_new_packet(q);\n        if (*id == IK_NONE)", PIPE_MESSAGES),
    ("pipelined mail: only the first message is read", "flit/pipe_messages.c", "from != q->id && k < list->count; k++)", "from != q->id && k < 1 && k < list->count; k++)",
     PIPE_MESSAGES),
    ("pipelined mail: credits of another part are lost", "flit/pipe_messages.c", "            pipe_add_credit(q, since + at->dt, at->node);\n", "", PIPE_MESSAGES),
    ("pipelined: samples do not end a step", "flit/pipe_run.c", "    end = next < end ? next : end;\n",
     "", PIPE_MESSAGES),
]


def files_of(folder):
    """The sources below a folder, as paths from there."""
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names
                  if name.endswith((".c", ".h")))


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


# ---- faults in a source

def pattern_of(text):
    """Matches the tokens of a text, wherever its lines are broken."""
    return r"\s*".join(re.escape(token) for token in re.findall(r"\w+|[^\w\s]", text))


def edits_of(fault):
    """(text, what replaces it) of a fault."""
    _, _, text, other, _ = fault
    return [(text, other)] if isinstance(text, str) else list(zip(text, other))


class Function:
    """A function of a source that is laid out by .clang-format: its braces stand alone in the first column."""

    def __init__(self, source, at):
        self.brace = source.rfind("\n{\n", 0, at + 1) + 1
        self.end = source.find("\n}\n", at) + 3
        if not self.brace or self.end == 2 or source.rfind("\n}\n", 0, at) > self.brace:
            raise RuntimeError("it stands in no function")
        head = source.rfind("\n\n", 0, self.brace) + 2
        head += re.match(r"(?:/\*.*?\*/\n|#.*\n)*", source[head:self.brace], re.S).end()
        self.begin, self.head = head, source[head:self.brace]
        found = re.fullmatch(r"(.*?)(\w+)\((.*)\)\s*", re.sub(r"__attribute__\(\(.*?\)\)+", "", self.head), re.S)
        self.result, self.name, self.parameters = found.group(1), found.group(2), found.group(3)

    def arguments(self):
        """The names of its parameters."""
        if self.parameters.strip() == "void":
            return ""
        flat, depth = "", 0
        for c in self.parameters:
            depth -= c == ")"
            flat += ";" if c == "," and depth else c
            depth += c == "("
        names = []
        for one in flat.split(","):
            pointer = re.search(r"\(\*(\w+)\)", one)
            names.append(pointer.group(1) if pointer else re.search(r"(\w+)\s*(?:\[.*\])?\s*$", one).group(1))
        return ", ".join(names)

    def broken(self, number, body):
        """Its version with a fault."""
        result = re.sub(r"\b(static|inline|SIM_INLINE|NEWER)\b", "", self.result).strip()
        return "static __attribute__((noinline)) %s %s_fault%d(%s)\n%s\n" % (result, self.name, number, self.parameters, body)

    def choice(self, number):
        return "    if (__builtin_expect(ikat_fault == %d, 0))\n        return %s_fault%d(%s);\n" % (
            number, self.name, number, self.arguments())


def place(path, source, text):
    found = list(re.finditer(pattern_of(text), source))
    if len(found) != 1:
        raise RuntimeError("src/sim/%s has %r %d times, expected once: look at this fault again" % (path, text, len(found)))
    return found[0].span()


def versions(path, source, faults):
    """[(function, number, its body with the fault)] of faults in a file, as {number: fault}."""
    made = []
    for number, fault in faults.items():
        bodies = {}
        for text, other in edits_of(fault):
            begin, end = place(path, source, text)
            try:
                function = Function(source, begin)
            except RuntimeError as error:
                raise RuntimeError("src/sim/%s, %r: %s" % (path, text, error))
            body = bodies.get(function.brace, (function, source[function.brace:function.end]))[1]
            found = re.search(pattern_of(text), body)
            bodies[function.brace] = (function, body[:found.start()] + other + body[found.end():])
        made += [(function, number, body) for function, body in bodies.values()]
    return made


def with_faults(path, source, faults):
    """A source with the broken versions of its functions beside them."""
    made = versions(path, source, faults)
    for brace in sorted({function.brace for function, _, _ in made}, reverse=True):
        mine = [one for one in made if one[0].brace == brace]
        function = mine[0][0]
        copies = "".join(function.broken(number, body) for _, number, body in mine)
        choices = "".join(function.choice(number) for _, number, _ in mine)
        source = (source[:function.begin] + copies + function.head + "{\n" + choices + source[function.brace + 2:])
    return source


# ---- programs with all faults

FAULT_H = "extern int ikat_fault;\n"
FAULT_C = """#include <stdlib.h>
int ikat_fault;
__attribute__((constructor)) static void choose(void)
{
    const char *number = getenv("IKAT_FAULT");
    ikat_fault = number ? atoi(number) : 0;
}
"""


def program_of(build, test):
    """The program that a test is in: it bears the test's name, or the test is a link to it."""
    return os.path.basename(os.path.realpath(os.path.join(build, "tests", test)))


def commands(build):
    """Compilations by source file, links by test, as argument lists."""
    targets = sorted({"tests/" + program_of(build, test) for test in TESTS})
    text = subprocess.run(["ninja", "-C", build, "-t", "commands"] + targets, stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout
    compiles, links = {}, {}
    for line in text.splitlines():
        # a link may be followed by other commands: "&& cmake -E create_symlink ..."
        parts = [[]]
        for word in shlex.split(line):
            parts += [[]] if word == "&&" else []
            parts[-1] += [word] if word not in ("&&", ":") else []
        words = next((part for part in parts if "-c" in part or "-o" in part), [])
        if "-c" in words:
            source = words[words.index("-c") + 1]
            compiles[os.path.relpath(os.path.join(build, source), os.path.join(SOURCE, "src", "sim"))] = words
        elif "-o" in words:
            links[os.path.basename(words[words.index("-o") + 1])] = words
    return compiles, links


def kill_sleeper(pid, ended):
    """Ends a process that has taken no processor time for WAITING_S."""
    last, since = None, time.monotonic()
    while not ended.wait(5):
        used = read("/proc", str(pid), "stat").rpartition(")")[2].split()[11:13]
        if used != last:
            last, since = used, time.monotonic()
        elif time.monotonic() - since > WAITING_S:
            os.kill(pid, signal.SIGKILL)


class Bench:
    def __init__(self, build, scratch, pool):
        self.build, self.scratch = build, scratch
        self.compiles, self.links = commands(build)
        tree = os.path.join(scratch, "src", "sim")
        shutil.copytree(os.path.join(SOURCE, "src", "sim"), tree)
        for path in {fault[1] for fault in FAULTS}:
            faults = {k + 1: fault for k, fault in enumerate(FAULTS) if fault[1] == path}
            text = with_faults(path, read(SOURCE, "src", "sim", path), faults)
            with open(os.path.join(tree, path), "w", encoding="utf-8") as file:
                file.write(text)
        for name, text in (("fault.h", FAULT_H), ("fault.c", FAULT_C)):
            with open(os.path.join(scratch, name), "w", encoding="utf-8") as file:
                file.write(text)
        # the longest first
        sources = sorted((f for f in files_of(tree) if f.endswith(".c")), key=lambda f: f not in ("fast/fast.c", "packet/switch.c"))
        self.objects = list(pool.map(self.compile, sources)) + [os.path.join(scratch, "fault.o")]
        subprocess.run(["cc", "-c", os.path.join(scratch, "fault.c"), "-o", self.objects[-1]], check=True)
        programs = {test: program_of(build, test) for test in TESTS}
        list(pool.map(self.link, sorted(set(programs.values()))))
        for test, program in programs.items():
            if test != program:
                os.symlink(program, os.path.join(scratch, test))
        self.cost = {}  # processor time of the unbroken simulator
        self.measured = {test: threading.Lock() for test in TESTS}

    def compile(self, name):
        words = list(self.compiles[name])
        obj = os.path.join(self.scratch, name.replace("/", "-") + ".o")
        words[words.index("-c") + 1] = os.path.join(self.scratch, "src", "sim", name)
        words[words.index("-o") + 1] = obj
        words[words.index("-c"):words.index("-c")] = ["-O1", "-g0", "-w", "-include", os.path.join(self.scratch, "fault.h")]
        compiler = next(k for k, w in enumerate(words) if w.startswith("-"))
        words[compiler:compiler] = ["-I" + os.path.join(self.scratch, "src")]
        done = subprocess.run(words, cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        if done.returncode:
            raise RuntimeError("%s does not compile:\n%s" % (name, done.stdout))
        return obj

    def link(self, program):
        words = list(self.links[program])
        words[words.index("-o") + 1] = os.path.join(self.scratch, program)
        words[words.index("-o"):words.index("-o")] = self.objects
        subprocess.run(words, cwd=self.build, check=True)

    def cost_of(self, test):
        """Its processor time without a fault, which is measured when it is asked for."""
        with self.measured[test]:
            if test not in self.cost and not self.passes(test, 0):
                raise RuntimeError("the unbroken simulator fails %s" % test)
        return self.cost[test]

    def passes(self, test, fault):
        """Whether a test passes with a fault (0 = none); it ends at its first failure."""
        limit = int(TIMES * self.cost_of(test) + SECONDS) if fault else resource.RLIM_INFINITY
        program = subprocess.Popen([os.path.join(self.scratch, test)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=dict(os.environ, IKAT_FAULT=str(fault), IKAT_TEST_ALL="1"),  # a test as a whole
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        ended = threading.Event()
        watch = threading.Thread(target=kill_sleeper, args=(program.pid, ended))
        watch.start()
        failed = any(b"FAILED" in line for line in program.stderr)
        ended.set()
        watch.join()
        if failed:
            os.kill(program.pid, signal.SIGKILL)
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = status
        program.stderr.close()
        if not fault:
            self.cost[test] = usage.ru_utime + usage.ru_stime
        return status == 0 and not failed

    def noticed_by(self, index):
        """The test that notices the fault, or None; those that should are asked first, the others by what they cost."""
        first = FAULTS[index][4]
        for tests in (first, [test for test in TESTS if test not in first]):
            for test in sorted(tests, key=self.cost_of):
                if not self.passes(test, index + 1):
                    return test
        return None


def listed(wanted):
    """Prints the faults; 1 if one cannot be applied, or names a test that is not asked."""
    wrong = 0
    for k, fault in enumerate(FAULTS):
        name, path, _, _, first = fault
        if wanted and not name.startswith(tuple(wanted)):
            continue
        try:
            source = read(SOURCE, "src", "sim", path)
            error = "" if with_faults(path, source, {k + 1: fault}) != source else "nothing changes"
        except (OSError, RuntimeError) as failure:
            error = str(failure)
        error = error or ", ".join("%s is not a test of the simulator" % test for test in first if test not in TESTS)
        wrong += error != ""
        print("%-70s src/sim/%s%s" % (name, path, error and ": " + error))
    print("%d faults, %d cannot be applied" % (len(FAULTS), wrong))
    return 1 if wrong else 0


def not_built(build):
    """1 if the build does not say how a source of the simulator is compiled, or a program of the tests linked."""
    compiles, links = commands(build)
    missing = sorted({fault[1] for fault in FAULTS if fault[1].endswith(".c")} - set(compiles))
    missing += sorted({program_of(build, test) for test in TESTS} - set(links))
    for name in missing:
        print("%s: the build has no command for it" % name)
    return 1 if missing else 0


def main():
    if sys.argv[1] == "--list":
        build = sys.argv[2] if len(sys.argv) > 2 and os.path.isdir(sys.argv[2]) else None
        return listed(sys.argv[3:] if build else sys.argv[2:]) or (not_built(os.path.abspath(build)) if build else 0)
    build, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    chosen = [k for k, f in enumerate(FAULTS) if not wanted or f[0].startswith(tuple(wanted))]
    failures = 0 if chosen else 1
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        bench = Bench(build, scratch, pool)
        try:
            for k, test in zip(chosen, pool.map(bench.noticed_by, chosen)):
                failures += test is None
                print("%-50s %s" % (FAULTS[k][0], test or "NOT NOTICED"), flush=True)
        except RuntimeError as error:
            print(error)
            return 1
    print("%d faults, %d not noticed" % (len(chosen), failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
