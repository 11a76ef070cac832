/* SPDX-License-Identifier: Apache-2.0
 *
 * The declared parameters of switches, host adapters and measurements. */
#include "sim/params/parameters.h"
#include "sim/state/space.h"
#include "sim/state/state.h"

const ik_param ik_switch_params[] = {
    {"model", IK_PARAM_ENUM, "iq", 0, 0, "iq|ioq|ideal|pipelined",
     "switch architecture: iq: input-queued; ioq: input- and output-queued; ideal: a switch that "
     "never blocks internally; pipelined: a router with pipeline stages, virtual channels and "
     "flits"},
    {"buffer", IK_PARAM_SIZE, "192 KiB", 1, 1e12, NULL,
     "size of a port's input buffer, divided evenly among its virtual channels unless queues says "
     "otherwise"},
    {"queues", IK_PARAM_ENUM, "voqsw", 0, 0, "fifo|voqsw|damq|voqnet",
     "queues of an input buffer: fifo: one FIFO queue per virtual channel; voqsw: one queue per "
     "output, in the space of each virtual channel; damq: the same in shared space with bounds; "
     "voqnet: one queue with its own space per destination host (model iq)",
     "model=iq|ioq",
     "model pipelined has one FIFO queue per virtual channel, and model ideal has queues at its "
     "outputs"},
    {"voq", IK_PARAM_BOOL, "", 0, 0, NULL,
     "older spelling: true means queues=voqsw, false means queues=fifo", "model=iq|ioq",
     "model pipelined has one FIFO queue per virtual channel, and model ideal has queues at its "
     "outputs"},
    {"damq_bounds", IK_PARAM_ENUM, "vc", 0, 0, "vc|output",
     "what queue_min and queue_max limit (queues=damq): the space of a virtual channel, or of each "
     "of its queues to an output; the sender then computes the output at the next switch",
     "model=iq|ioq and queues=damq", "set queues to damq in model iq or ioq"},
    {"queue_min", IK_PARAM_SIZE, "", 0, 1e12, NULL,
     "space that is reserved (default: one packet; nothing if there is only one virtual channel)",
     "model=iq|ioq and queues=damq", "set queues to damq in model iq or ioq"},
    {"queue_max", IK_PARAM_SIZE, "", 1, 1e12, NULL,
     "most space that may be in use (default: the whole buffer)", "model=iq|ioq and queues=damq",
     "set queues to damq in model iq or ioq"},
    {"adaptive_choice", IK_PARAM_ENUM, "until_granted", 0, 0, "until_granted|at_arrival",
     "when packets choose among outputs: until_granted: the packet at the head of a queue chooses "
     "again while its output cannot take it (in FIFO queues, every packet at the head, at every "
     "scheduling instant); at_arrival: once, on arrival (with voqnet and model ideal always so)",
     "model=iq|ioq and queues=fifo|voqsw|damq", "elsewhere there is only one way to choose"},
    {"output_buffer", IK_PARAM_SIZE, "100 KiB", 1, 1e12, NULL,
     "size of a port's output buffer (model ioq); size of the queue of flits after the crossbar "
     "(model pipelined with speedup or output_speedup)",
     "model=ioq or model=pipelined and speedup>1 or model=pipelined and output_speedup>1",
     "buffer is the input buffer"},
    {"output_sharing", IK_PARAM_ENUM, "split", 0, 0, "split|shared",
     "output buffer (model ioq): divided evenly among its virtual channels, or shared by them, "
     "with room for one packet reserved for each",
     "model=ioq"},
    {"arbiter", IK_PARAM_ENUM, "islip", 0, 0, "islip|round_robin|oldest_first|random|class_first",
     "how inputs and outputs are matched; class_first: by class_priority, then the oldest packet, "
     "also in adapters and on links, so classes with a lower priority may starve",
     "model=iq|ioq",
     "model pipelined has vc_allocator and sw_allocator; in model ideal nothing is matched"},
    {"age", IK_PARAM_ENUM, "generated", 0, 0, "generated|injected",
     "from when the age of a packet counts: from when its message was generated, or from when its "
     "source sent it",
     "model=iq|ioq and arbiter=oldest_first|class_first", "the other arbiters do not use the age"},
    {"class_priority", IK_PARAM_UINT_LIST, "", 0, 63, NULL,
     "priority of each class of the traffic (the members of mix, in their order); higher numbers "
     "go first. Each priority has as many virtual channels as the routing needs, and a queue for "
     "each of them in the adapters",
     "model=iq|ioq and arbiter=class_first", "set arbiter to class_first"},
    {"iterations", IK_PARAM_UINT, "3", 1, 64, NULL, "number of iterations of the matching",
     "model=iq|ioq or model=pipelined and vc_allocator=islip|separable_input|separable_output or "
     "model=pipelined and sw_allocator=islip|separable_input|separable_output",
     "a wavefront matches at once, and in model ideal nothing is matched"},
    {"input_speedup", IK_PARAM_UINT, "1", 1, 16, NULL,
     "number of packets that an input port may read at a time, from different virtual channels; in "
     "model pipelined, the number of crossbar ports of an input: virtual channel v uses port v mod "
     "input_speedup",
     "model=iq|ioq|pipelined", "in model ideal nothing is matched"},
    {"output_speedup", IK_PARAM_UINT, "1", 1, 16, NULL,
     "number of crossbar ports of an output: input i uses port i mod output_speedup",
     "model=pipelined", "model ioq has speedup"},
    {"speedup", IK_PARAM_REAL, "1", 1, 64, NULL,
     "speed of the crossbar relative to the link (model ioq), or of the whole router, a whole "
     "number (model pipelined)",
     "model=ioq|pipelined", "model iq has input_speedup"},
    {"switching", IK_PARAM_ENUM, "vct", 0, 0, "vct|saf",
     "virtual cut-through, or store-and-forward", "model=iq|ioq|ideal",
     "model pipelined forwards flits"},
    {"routing_delay", IK_PARAM_TIME, "0 ns", 0, 1e12, NULL,
     "time from a packet's arrival to its first request of an output", "model=iq|ioq|ideal",
     "model pipelined has routing_cycles"},
    {"traversal_delay", IK_PARAM_TIME, "0 ns", 0, 1e12, NULL,
     "time from leaving the input buffer to the start of the link", "model=iq|ioq|ideal",
     "model pipelined has traversal_cycles"},
    {"flit", IK_PARAM_SIZE, "16 B", 1, 65536, NULL,
     "size of a flit; a cycle is the time of a flit on the fastest link, and a router makes "
     "`speedup` steps per cycle",
     "model=pipelined", "the other models send whole packets: packet in section adapter"},
    {"routing_cycles", IK_PARAM_UINT, "1", 0, 64, NULL,
     "cycles from the arrival of a head flit to its first VC request", "model=pipelined",
     "the other models have routing_delay"},
    {"vc_alloc_cycles", IK_PARAM_UINT, "1", 1, 64, NULL,
     "cycles from the grant of a VC to the first request of the crossbar", "model=pipelined",
     "the other models have routing_delay"},
    {"sw_alloc_cycles", IK_PARAM_UINT, "1", 1, 64, NULL,
     "cycles from the grant of the crossbar to the traversal", "model=pipelined",
     "the other models have routing_delay"},
    {"traversal_cycles", IK_PARAM_UINT, "1", 0, 64, NULL, "cycles through the crossbar",
     "model=pipelined", "the other models have traversal_delay"},
    {"vc_allocator", IK_PARAM_ENUM, "islip", 0, 0,
     "islip|separable_input|separable_output|wavefront",
     "how packets are matched with virtual channels", "model=pipelined",
     "models iq and ioq have arbiter"},
    {"sw_allocator", IK_PARAM_ENUM, "islip", 0, 0,
     "islip|separable_input|separable_output|wavefront", "how inputs are matched with outputs",
     "model=pipelined", "models iq and ioq have arbiter"},
    {"hold_switch_for_packet", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "an input that has won an output for a flit keeps it for the following flits of the packet, "
     "one per cycle, until the tail flit is sent, or the next flit is not there, lacks credit, or "
     "finds its link busy",
     "model=pipelined", "the other models send whole packets"},
    {NULL, IK_PARAM_UINT, NULL, 0, 0, NULL, NULL},
};

const ik_param ik_adapter_params[] = {
    {"packet", IK_PARAM_SIZE, "4 KiB", 1, 16777215, NULL, "largest size of a packet"},
    {"message", IK_PARAM_SIZE, "", 1, 1e15, NULL,
     "size of a message, which is divided into packets (default: one packet)",
     "not message_sizes and not "
     "message_histogram",
     "messages have one size or several"},
    {"message_sizes", IK_PARAM_STRING, "", 0, 0, NULL,
     "messages of different sizes: SIZE or SIZE..SIZE (uniform in bytes), each with its share of "
     "the messages, joined by ',' (\"64 B:50%, 1 KiB..4 KiB:50%\"); for classes of the traffic, "
     "sizes are given with the class's name and joined by ';' (\"small=64 B; 4 KiB\": for class "
     "small, and for all others)",
     "not message and not message_histogram and not reply",
     "messages have one size or several, and those that are answered have one"},
    {"message_histogram", IK_PARAM_PATH, "", 0, 0, NULL,
     "the same from a file, each line of which has a size or range and its weight (64 B 0.5)",
     "not message and not message_sizes and not reply",
     "messages have one size or several, and those that are answered have one"},
    {"injection", IK_PARAM_ENUM, "periodic", 0, 0, "periodic|poisson|bernoulli|bursty",
     "how messages are generated: periodic: evenly spaced, with a random phase; poisson: with "
     "exponential gaps; bernoulli: in each slot with a fixed probability; bursty: the same while "
     "the source is on, where it is switched on and off at random. A slot is the time of a message "
     "at the host's rate; in model pipelined, a cycle"},
    {"burst_alpha", IK_PARAM_FRACTION, "", 1e-9, 1, NULL,
     "probability that a source that is off is switched on in a slot; two of burst_alpha, "
     "burst_beta and burst_rate determine the third",
     "injection=bursty", "set injection to bursty"},
    {"burst_beta", IK_PARAM_FRACTION, "", 0, 1, NULL,
     "probability that a source that is on is switched off in a slot", "injection=bursty",
     "set injection to bursty"},
    {"burst_rate", IK_PARAM_FRACTION, "", 1e-9, 1, NULL,
     "load that a source offers while it is on; at least `load`", "injection=bursty",
     "set injection to bursty"},
    {"interleave", IK_PARAM_ENUM, "round_robin", 0, 0, "round_robin|fifo",
     "how the messages of a queue are sent: one packet of each in turn, or one message after the "
     "other",
     "switch.model=iq|ioq|ideal", "model pipelined sends message after message"},
    {"active", IK_PARAM_UINT, "16", 1, 4096, "unlimited",
     "number of messages of a queue that are interleaved at a time; unlimited: all that wait (for "
     "finite workloads and queues=destination, which keep them)",
     "switch.model=iq|ioq|ideal and interleave=round_robin",
     "interleave=fifo sends one message after the other, as model pipelined does"},
    {"queues", IK_PARAM_ENUM, "vc", 0, 0, "vc|destination|one",
     "queues of an adapter, which take turns packet by packet: one per virtual channel, one per "
     "destination, or a single one",
     "switch.model=iq|ioq|ideal", "the adapter of model pipelined has one queue"},
    {"injection_rate", IK_PARAM_RATE, "", 1, 1e15, NULL,
     "highest rate at which a host sends (default: its link's rate)", "switch.model=iq|ioq|ideal",
     "the adapter of model pipelined sends and takes in at its link's rate"},
    {"injection_fraction", IK_PARAM_FRACTION, "100 %", 1e-6, 1, NULL,
     "highest rate at which a host sends, as a fraction of its link's rate",
     "switch.model=iq|ioq|ideal",
     "the adapter of model pipelined sends and takes in at its link's rate"},
    {"ejection_rate", IK_PARAM_RATE, "", 1, 1e15, NULL,
     "rate at which a host empties its receive buffer (default: its link's rate)",
     "switch.model=iq|ioq|ideal",
     "the adapter of model pipelined sends and takes in at its link's rate"},
    {"ejection_fraction", IK_PARAM_FRACTION, "100 %", 1e-6, 1, NULL,
     "the same, as a fraction of its link's rate", "switch.model=iq|ioq|ideal",
     "the adapter of model pipelined sends and takes in at its link's rate"},
    {"buffer", IK_PARAM_SIZE, "", 1, 1e12, NULL,
     "size of a host's receive buffer (default: that of a switch port)",
     "switch.model=iq|ioq|ideal", "the adapter of model pipelined takes in at once"},
    {"in_order", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "deliver the packets of a flow (source and destination) in the order in which they were sent: "
     "packets that arrive early wait in a reorder buffer, and latencies end at the delivery in "
     "order. A plan with one path and one VC per flow keeps the order by itself: it needs no "
     "buffer, and the order is only checked",
     "switch.model=iq|ioq|ideal", "the adapter of model pipelined delivers packets as they come"},
    {"reorder_buffer", IK_PARAM_SIZE, "unlimited", 0, 1e12, "unlimited",
     "size of the reorder buffer, in units of `packet`: a source sends a packet only if the buffer "
     "can hold all packets that were sent before and are not delivered; 0 B: one packet per flow "
     "is in the network at a time",
     "switch.model=iq|ioq|ideal and in_order=true", "set in_order"},
    {"reorder_scope", IK_PARAM_ENUM, "host", 0, 0, "host|flow",
     "one reorder buffer per host, shared by the flows to it, or one per flow",
     "switch.model=iq|ioq|ideal and in_order=true and reorder_buffer>0",
     "set in_order and a reorder_buffer of at least a packet"},
    {"throttle", IK_PARAM_ENUM, "bypass", 0, 0, "bypass|strict",
     "what happens when a packet lacks reorder space: packets to other hosts go first (the adapter "
     "then has queues=destination), or its whole queue waits",
     "switch.model=iq|ioq|ideal and in_order=true and not reorder_buffer=unlimited",
     "set in_order and a reorder_buffer"},
    {"control_delay", IK_PARAM_TIME, "path", 1, 1e15, "path|ideal",
     "time until a source sees that reorder space was released: path: the latency of its path "
     "without load; ideal: the smallest latency of any link, which is the least that can be "
     "simulated; or a time. A request for shared space always takes this smallest latency in each "
     "direction",
     "switch.model=iq|ioq|ideal and in_order=true and not reorder_buffer=unlimited",
     "set in_order and a reorder_buffer"},
    {"reply", IK_PARAM_SIZE, "", 1, 1e15, NULL,
     "size of replies: each message is a request, and the host that has received it sends back a "
     "reply of this size. Replies have their own virtual channels, as many as requests have (those "
     "of the routing), so that neither ever waits for the other; buffers are divided among twice "
     "as many channels",
     "switch.model=iq|ioq|ideal and queues=vc|one and in_order=false",
     "model pipelined, queues per destination and in-order delivery do not support replies"},
    {"service_time", IK_PARAM_TIME, "0 ns", 0, 1e15, NULL,
     "time from the last byte of a request to its reply; any number of requests are served at a "
     "time",
     "switch.model=iq|ioq|ideal and reply", "set reply, the size of the replies"},
    {"max_outstanding", IK_PARAM_UINT, "", 1, 65535, NULL,
     "most requests of a host that have no reply yet: no more are generated until a reply arrives "
     "(closed loop; load is then an upper bound, and 100 % means as fast as replies arrive); "
     "default: any number",
     "switch.model=iq|ioq|ideal and reply", "set reply, the size of the replies"},
    {NULL, IK_PARAM_UINT, NULL, 0, 0, NULL, NULL},
};

/* ---- a configuration resolved */

static ik_status params_open_section(ik_params *own, const ik_params *given, const ik_param *decl,
                                     const ik_params **values, ik_error *err)
{
    *values = given ? given : own;
    return given ? IK_OK : ik_params_init(own, decl, NULL, err);
}

ik_sim_config sim_config_of(const ik_sim_config *given)
{
    ik_sim_config config = given ? *given : (ik_sim_config){0};
    config.load = config.load == 0 ? IK_SIM_LOAD : config.load;
    return config;
}

bool sim_is_pipelined(const ik_sim_config *config)
{
    return config->switch_params &&
           ik_params_enum(config->switch_params, "model") == MODEL_PIPELINED;
}

ik_status sim_open_sections(sim_sections *sec, const ik_sim_config *config, ik_error *err)
{
    memset(sec, 0, sizeof *sec);
    ik_status status =
        params_open_section(&sec->own[0], config->switch_params, ik_switch_params, &sec->sw, err);
    if (status == IK_OK)
        status = params_open_section(&sec->own[1], config->adapter_params, ik_adapter_params,
                                     &sec->adapter, err);
    if (status == IK_OK)
        status = params_open_section(&sec->own[2], config->measure_params, ik_measure_params,
                                     &sec->measure, err);
    if (status != IK_OK)
        sim_close_sections(sec);
    return status;
}

void sim_close_sections(sim_sections *sec)
{
    for (int k = 0; k < 3; k++)
        ik_params_free(&sec->own[k]);
}

static bool params_is_given(const ik_params *v, const char *name)
{
    for (size_t k = 0; v && k < v->num; k++)
        if (strcmp(v->decl[k].name, name) == 0)
            return v->values[k].given;
    return false;
}

/* `queues`, or the older `voq`, which may not contradict it. */
static ik_status params_resolve_queues(const ik_params *v, unsigned *queues, ik_error *err)
{
    *queues = ik_params_enum(v, "queues");
    if (!ik_params_has(v, "voq"))
        return IK_OK;
    bool voq = ik_params_bool(v, "voq"), given = params_is_given(v, "queues");
    if (given && voq != (*queues != QUEUES_FIFO))
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                "voq = %s contradicts queues = %s; voq is the older spelling, one "
                                "of them is enough",
                                voq ? "true" : "false", ik_params_text(v, "queues")),
                        "switch.voq switch.queues");
    if (!given)
        *queues = voq ? QUEUES_VOQSW : QUEUES_FIFO;
    return IK_OK;
}

/* Parameters that count only with other models, queues or plans than these. */
static ik_status params_check_effects(const ik_plan *plan, const ik_sim_config *config,
                                      ik_error *err)
{
    const ik_params *sw = config->switch_params, *adapter = config->adapter_params,
                    *measure = config->measure_params;
    ik_status status = sw ? ik_params_check_needs(sw, "section 'switch'", NULL, NULL, err) : IK_OK;
    if (status == IK_OK && adapter)
        status = ik_params_check_needs(adapter, "section 'adapter'", "switch", sw, err);
    if (status == IK_OK && measure)
        status = ik_params_check_needs(measure, "section 'measure'", NULL, NULL, err);
    if (status != IK_OK || !params_is_given(sw, "adaptive_choice"))
        return status;
    if (plan->routing->kind != IK_ROUTE_ADAPTIVE)
        return ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE,
                    "adaptive_choice: it has no effect with routing '%.60s', which does not adapt",
                    plan->routing->spec),
            "switch.adaptive_choice");
    return IK_OK;
}

ik_status sim_check_run(const ik_plan *plan, const ik_sim_config *config, ik_error *err)
{
    if (!(config->load > 0 && config->load <= 100))
        return ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE,
                    "load %g is outside (0, 100]: it is a fraction of a host's injection rate",
                    config->load),
            "load");
    if (plan->num_vcs < 1 || plan->num_vcs > SIM_MAX_VCS)
        return ik_about(err,
                        ik_fail(err, IK_ERR_UNSUPPORTED,
                                "the plan uses %s; the simulator takes 1 to %d",
                                IK_COUNT(plan->num_vcs, "VC"), SIM_MAX_VCS),
                        "vcs");
    unsigned queues = QUEUES_VOQSW;
    ik_status status =
        config->switch_params ? params_resolve_queues(config->switch_params, &queues, err) : IK_OK;
    return status == IK_OK ? params_check_effects(plan, config, err) : status;
}

ik_sim_flow ik_sim_flow_of(const ik_params *v)
{
    if (!v) /* the defaults, see test_defaults */
        return IK_SIM_CUT_THROUGH;
    unsigned model = ik_params_enum(v, "model"), queues = QUEUES_VOQSW;
    if (model == MODEL_PIPELINED || model == MODEL_IDEAL ||
        params_resolve_queues(v, &queues, NULL) != IK_OK || queues == QUEUES_VOQNET)
        return IK_SIM_SETTLED;
    return ik_params_enum(v, "adaptive_choice") != 0 ? IK_SIM_SETTLED : IK_SIM_CUT_THROUGH;
}

ik_status sim_check_input_speedup(unsigned speedup, unsigned vcs, ik_error *err)
{
    if (speedup <= vcs)
        return IK_OK;
    return ik_about(err,
                    ik_fail(err, IK_ERR_USAGE,
                            "input_speedup = %u needs as many virtual channels, the plan has %u",
                            speedup, vcs),
                    "switch.input_speedup vcs");
}

static ik_status params_resolve_switch(sim *s, const ik_params *v, ik_error *err)
{
    ik_status status = params_resolve_queues(v, &s->sw.queues, err);
    if (status != IK_OK)
        return status;
    s->sw.model = ik_params_enum(v, "model");
    s->sw.out_buffers = s->sw.model != MODEL_IQ;
    s->sw.gate_space = s->sw.model == MODEL_IOQ;
    /* there a packet's output is chosen when it arrives */
    s->sw.voq = s->sw.queues != QUEUES_FIFO || s->sw.model == MODEL_IDEAL;
    s->sw.arbiter = ik_params_enum(v, "arbiter");
    s->sw.by_age = s->sw.arbiter == ARB_OLDEST || s->sw.arbiter == ARB_CLASS;
    s->sw.by_injection = ik_params_enum(v, "age") == 1;
    s->sw.iterations = (unsigned)ik_params_uint(v, "iterations");
    s->sw.input_speedup = (unsigned)ik_params_uint(v, "input_speedup");
    s->sw.speedup = ik_params_real(v, "speedup");
    s->sw.store_forward = ik_params_enum(v, "switching") == 1;
    s->sw.routing_ps = ik_params_uint(v, "routing_delay");
    s->sw.traversal_ps = ik_params_uint(v, "traversal_delay");
    s->choice.rechoose = s->sw.queues != QUEUES_VOQNET && s->sw.model != MODEL_IDEAL &&
                         ik_params_enum(v, "adaptive_choice") == 0;
    s->sw.out_bytes = ik_params_uint(v, "output_buffer");
    s->sw.out_capacity = s->sw.out_bytes / s->sw.vcs;
    s->sw.out_shared = ik_params_enum(v, "output_sharing") == 1;
    s->sw.in_bytes = ik_params_uint(v, "buffer");
    s->sw.capacity = s->adapter.capacity = s->sw.in_bytes / s->sw.vcs;
    s->sw.stride = s->sw.queues == QUEUES_DAMQ && ik_params_enum(v, "damq_bounds") == 1
                       ? s->plan->max_radix
                       : 0;
    s->sw.queue_min = ik_params_has(v, "queue_min") ? ik_params_uint(v, "queue_min") : UINT64_MAX;
    s->sw.queue_max = ik_params_has(v, "queue_max") ? ik_params_uint(v, "queue_max") : UINT64_MAX;
    return sim_check_input_speedup(s->sw.input_speedup, s->sw.vcs, err);
}

/* A virtual channel's share of a buffer holds a packet, and fits the counters. */
static ik_status params_check_buffers(const sim *s, ik_error *err)
{
    const struct {
        const char *name;
        uint64_t bytes;
        bool used;
    } buffers[] = {{"switch.buffer", s->sw.capacity, true},
                   {"adapter.buffer", s->adapter.capacity, s->adapter.capacity != s->sw.capacity},
                   {"switch.output_buffer", s->sw.out_capacity, s->sw.model == MODEL_IOQ}};
    for (unsigned k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        unsigned long long bytes = buffers[k].bytes;
        if (buffers[k].used && bytes < s->adapter.packet_bytes) {
            ik_about(
                err,
                ik_fail(
                    err, IK_ERR_USAGE,
                    "%s split among %u VCs is %llu B for each, which cannot hold a packet of %u B",
                    buffers[k].name, s->sw.vcs, bytes, s->adapter.packet_bytes),
                "%s vcs adapter.packet", buffers[k].name);
            return ik_hint(err, IK_ERR_USAGE,
                           "virtual cut-through needs room for a whole packet: %s >= %llu B with "
                           "%s, or smaller packets",
                           buffers[k].name, (unsigned long long)s->adapter.packet_bytes * s->sw.vcs,
                           IK_COUNT(s->sw.vcs, "VC"));
        }
        if (bytes > INT32_MAX)
            return ik_about(err,
                            ik_fail(err, IK_ERR_USAGE,
                                    "%s split among %u VCs is %llu B for each, at most 2 GiB - 1 B",
                                    buffers[k].name, s->sw.vcs, bytes),
                            "%s", buffers[k].name);
    }
    return IK_OK;
}

/* Whether what is sent comes to an end; estimates know no traffic. */
static bool params_ends(const sim *s)
{
    return s->traffic && s->traffic->workload;
}

static void params_resolve_rates(sim *s, const ik_params *v)
{
    s->adapter.injection_bps =
        ik_params_has(v, "injection_rate") ? ik_params_uint(v, "injection_rate") : UINT64_MAX;
    s->adapter.ejection_bps =
        ik_params_has(v, "ejection_rate") ? ik_params_uint(v, "ejection_rate") : UINT64_MAX;
    s->adapter.injection_share = ik_params_real(v, "injection_fraction");
    s->adapter.ejection_share = ik_params_real(v, "ejection_fraction");
    s->adapter.paced = s->adapter.injection_share < 1 || s->adapter.injection_bps != UINT64_MAX;
}

static ik_status params_resolve_bursts(sim *s, const ik_params *v, ik_error *err)
{
    const ik_schedule *list = s->traffic ? s->traffic->schedule : NULL;
    if (s->source.injection == INJECT_BURSTY && list)
        return sim_resolve_entry_bursts(v, list, s->source.load, s->source.entry_bursts, err);
    if (s->source.injection != INJECT_BURSTY)
        return IK_OK;
    ik_status status = sim_resolve_bursts(v, s->source.load, &s->source.bursts, err);
    if (status == IK_OK)
        s->source.gaps =
            sim_gaps_of(s->source.bursts.alpha, s->source.bursts.beta, s->source.bursts.rate);
    return status;
}

static ik_status params_resolve_adapter(sim *s, const ik_params *v, ik_error *err)
{
    ik_status status = sim_sizes_new(v, s->traffic, &s->source.sizes, err);
    if (status != IK_OK)
        return status;
    s->adapter.packet_bytes = (uint32_t)ik_params_uint(v, "packet");
    s->source.message_bytes = s->source.sizes               ? s->source.sizes->largest
                              : ik_params_has(v, "message") ? ik_params_uint(v, "message")
                                                            : s->adapter.packet_bytes;
    s->source.packets_per_message =
        (s->source.message_bytes + s->adapter.packet_bytes - 1) / s->adapter.packet_bytes;
    uint64_t largest = s->source.message_bytes;
    if (s->reply.on && ik_params_uint(v, "reply") > largest)
        largest = ik_params_uint(v, "reply");
    if (largest < s->adapter.packet_bytes)
        s->adapter.packet_bytes = (uint32_t)largest;
    s->source.uniform_size = s->source.sizes
                                 ? sim_sizes_whole(s->source.sizes, s->adapter.packet_bytes)
                                 : s->source.message_bytes % s->adapter.packet_bytes == 0;
    s->source.injection = ik_params_enum(v, "injection");
    s->adapter.fifo_messages = ik_params_enum(v, "interleave") == 1;
    s->adapter.queues = ik_params_enum(v, "queues");
    s->adapter.num_queues = s->adapter.queues == ADAPTER_VC ? s->sw.vcs : 1;
    params_resolve_rates(s, v);
    s->adapter.turn_messages = s->adapter.fifo_messages ? 1 : sim_active_of(v);
    bool rings = s->source.packets_per_message > 1 && s->adapter.queues != ADAPTER_DESTINATION;
    s->adapter.active_messages = rings ? sim_active_of(v) : 1;
    if (ik_params_has(v, "buffer"))
        s->adapter.capacity = ik_params_uint(v, "buffer") / s->sw.vcs;
    status = params_ends(s) ? sim_finite_resolve(s, v, err) : sim_check_turns(s, v, err);
    if (status == IK_OK && !params_ends(s))
        status = params_resolve_bursts(s, v, err);
    if (s->traffic && s->traffic->schedule) {
        s->source.entry_injection = s->source.injection;
        s->source.injection = INJECT_SCHEDULE;
    }
    if (status == IK_OK)
        status = sim_resolve_replies(s, v, err);
    return status == IK_OK ? params_check_buffers(s, err) : status;
}

static void params_resolve_plan(sim *s, const ik_plan *plan)
{
    s->choice.adaptive = plan->routing->kind == IK_ROUTE_ADAPTIVE;
    s->choice.source_adaptive = s->choice.adaptive && plan->routing->family->start;
    s->choice.static_lane = plan->vc->family->static_lane || s->sw.vcs == 1;
}

/* How choices among several outputs are made: with sets where routing, scheme and selection
 * function have them. */
static void params_resolve_choice(sim *s, const ik_plan *plan)
{
    bool buffers = s->sw.model == MODEL_IOQ, oblivious = plan->routing->kind == IK_ROUTE_OBLIVIOUS;
    const ik_selection *selection = ik_selection_in(plan->selection, buffers);
    s->choice.selection = selection;
    s->choice.room_kept = !(buffers ? s->net.out_space.accounts : s->net.in_space.accounts);
    s->choice.skip_busy =
        selection->skip_busy == IK_SKIP_AUTO ? !buffers : selection->skip_busy == IK_SKIP_ALWAYS;
    s->choice.masked =
        ik_plan_has_masks(plan) &&
        (oblivious || (s->choice.adaptive && s->sw.model != MODEL_IDEAL && !s->sw.stride &&
                       !plan->routing->family->pick && selection->family->pick_mask));
    s->choice.alike = ik_plan_has_masks(plan) && plan->routing->family->pick &&
                      plan->routing->traits & IK_ROUTE_PICKS_ALIKE && s->choice.static_lane &&
                      s->choice.rechoose && s->sw.voq && plan->vc->escape_vcs == 0 &&
                      s->sw.model != MODEL_IDEAL && !s->sw.stride && !s->net.in_space.accounts;
    s->choice.overtakes = s->choice.rechoose && s->sw.voq && plan->vc->escape_vcs > 0;
    s->choice.passes_over =
        s->choice.masked && !s->choice.overtakes && !(selection->traits & IK_SELECT_REMEMBERS);
}

ik_status sim_resolve(sim *s, const ik_plan *plan, const ik_sim_config *config, ik_error *err)
{
    sim_sections sec;
    s->sw.vcs = plan->num_vcs;
    s->source.load = config->load;
    ik_status status = sim_check_run(plan, config, err);
    if (status == IK_OK)
        status = sim_open_sections(&sec, config, err);
    if (status != IK_OK)
        return status;
    status = sim_split_vcs(s, sec.adapter, err);
    if (status == IK_OK)
        status = sim_resolve_levels(s, sec.sw, sec.adapter, err);
    if (status == IK_OK)
        status = params_resolve_switch(s, sec.sw, err);
    if (status == IK_OK)
        status = params_resolve_adapter(s, sec.adapter, err);
    if (status == IK_OK)
        status = sim_resolve_measure(s, &sec, config, err);
    if (status == IK_OK)
        params_resolve_plan(s, plan);
    if (status == IK_OK)
        status = sim_resolve_reorder(s, sec.adapter, err);
    if (status == IK_OK)
        status = sim_check_reply_numbers(s, err);
    if (status == IK_OK)
        status = sim_space_resolve(s, err);
    if (status == IK_OK)
        params_resolve_choice(s, plan);
    sim_close_sections(&sec);
    return status;
}
