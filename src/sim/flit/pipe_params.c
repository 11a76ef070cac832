/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_params.c: parameters of the pipelined model resolved and checked.
 *
 * A cycle is the time of one flit on the fastest link. Link latencies are rounded up to whole
 * cycles (at least one); a slower link takes a flit every so many cycles, its rate rounded down to
 * such a multiple. Routers have `speedup` ticks per cycle.
 */
#include "sim/flit/pipe.h"
#include "sim/flit/pipe_clock.h"
#include "sim/params/parameters.h"
#include "sim/params/window.h"

/* ---- parameters */

static ik_status pipe_params_resolve_switch(pipe *p, const ik_params *v, ik_error *err)
{
    p->routing = (unsigned)ik_params_uint(v, "routing_cycles");
    p->vc_alloc = (unsigned)ik_params_uint(v, "vc_alloc_cycles");
    p->sw_alloc = (unsigned)ik_params_uint(v, "sw_alloc_cycles");
    p->traversal = (unsigned)ik_params_uint(v, "traversal_cycles");
    p->vc_kind = (match_kind)ik_params_enum(v, "vc_allocator");
    p->sw_kind = (match_kind)ik_params_enum(v, "sw_allocator");
    p->iterations = (unsigned)ik_params_uint(v, "iterations");
    p->flit_bytes = (uint32_t)ik_params_uint(v, "flit");
    double speedup = ik_params_real(v, "speedup");
    p->speedup = (unsigned)speedup;
    if (speedup != p->speedup) {
        ik_about(
            err,
            ik_fail(
                err, IK_ERR_USAGE,
                "speedup = %g: routers of the pipelined model have a whole number of ticks a cycle",
                speedup),
            "switch.speedup");
        return ik_hint(err, IK_ERR_USAGE, "take speedup: %u or %u", p->speedup, p->speedup + 1);
    }
    p->input_speedup = (unsigned)ik_params_uint(v, "input_speedup");
    p->output_speedup = (unsigned)ik_params_uint(v, "output_speedup");
    p->hold = ik_params_bool(v, "hold_switch_for_packet");
    p->list_switch =
        match_takes_list(p->sw_kind) || p->input_speedup > 1 || p->output_speedup > 1 || p->hold;
    if (p->speedup > 1 || p->output_speedup > 1)
        p->queue_flits = ik_params_uint(v, "output_buffer") / p->flit_bytes;
    uint64_t depth = ik_params_uint(v, "buffer") / p->vcs / p->flit_bytes;
    if (depth < 1) {
        ik_about(
            err,
            ik_fail(
                err, IK_ERR_USAGE,
                "switch.buffer split among %u VCs is %llu B for each, which holds no flit of %u B",
                p->vcs, (unsigned long long)ik_params_uint(v, "buffer") / p->vcs, p->flit_bytes),
            "switch.buffer vcs switch.flit");
        return ik_hint(err, IK_ERR_USAGE,
                       "buffer is that of a port; with %u VCs it must be at least %llu B", p->vcs,
                       (unsigned long long)p->vcs * p->flit_bytes);
    }
    p->depth = depth > 32767 ? 32767 : (uint32_t)depth;
    return sim_check_input_speedup(p->input_speedup, p->vcs, err);
}

static ik_status pipe_params_resolve_adapter(pipe *p, const ik_params *v, ik_error *err)
{
    uint64_t most = ik_params_uint(v, "packet");
    ik_status status = sim_sizes_new(v, p->traffic, &p->sizes, err);
    if (status != IK_OK)
        return status;
    p->message_bytes = p->sizes                      ? p->sizes->largest
                       : ik_params_has(v, "message") ? ik_params_uint(v, "message")
                                                     : most;
    p->most_bytes = p->message_bytes < most ? p->message_bytes : most;
    p->packet_flits = (uint32_t)((p->most_bytes + p->flit_bytes - 1) / p->flit_bytes);
    p->packet_bytes = p->packet_flits * p->flit_bytes;
    p->injection = ik_params_enum(v, "injection");
    if (p->injection != INJECT_BURSTY)
        return IK_OK;
    return p->traffic && p->traffic->schedule
               ? sim_resolve_entry_bursts(v, p->traffic->schedule, p->load, p->entry_bursts, err)
               : sim_resolve_bursts(v, p->load, &p->bursts, err);
}

/* A schedule is measured as it is given; else the window may have to be found. */
static ik_status pipe_params_resolve_times(pipe *p, const sim_sections *sec, ik_sim_bound bound,
                                           ik_error *err)
{
    const ik_params *v = sec->measure;
    if (p->traffic && p->traffic->schedule) {
        uint64_t warmup_ps = ik_params_uint(v, "warmup");
        p->warmup = warmup_ps / p->clock_ps;
        p->end = (warmup_ps + ik_params_uint(v, "duration")) / p->clock_ps;
        return sim_schedule_check(p->traffic->schedule, p->end * p->clock_ps, err);
    }
    const sim_window_request request = {p->f,    sec->sw,     sec->adapter, v,
                                        p->load, p->clock_ps, p->sizes,     p->traffic};
    ik_status status = sim_window_resolve(&request, &p->window, err);
    if (status != IK_OK)
        return status;
    stationary_times times = stationary_longest(&p->window);
    p->warmup = times.warmup_ps / p->clock_ps;
    p->end = times.end_ps / p->clock_ps;
    p->bound = bound;
    return IK_OK;
}

static ik_status pipe_params_resolve_measure(pipe *p, const sim_sections *sec, ik_sim_bound bound,
                                             ik_error *err)
{
    const ik_params *v = sec->measure;
    ik_status status = pipe_params_resolve_times(p, sec, bound, err);
    if (status != IK_OK)
        return status;
    p->paranoid = ik_params_bool(v, "paranoid");
    p->sample_congestion = ik_params_bool(v, "congestion");
    uint64_t watchdog = ik_params_uint(v, "watchdog");
    p->watchdog = watchdog / p->clock_ps + (watchdog % p->clock_ps != 0);
    if (!ik_params_has(v, "series"))
        return IK_OK;
    p->series = (ik_params_uint(v, "series") + p->clock_ps - 1) / p->clock_ps;
    p->num_series = (size_t)((p->end + p->series - 1) / p->series);
    if (p->num_series > 10000000)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                "series = %llu ps makes %zu periods; at most 10000000",
                                (unsigned long long)ik_params_uint(v, "series"), p->num_series),
                        "measure.series");
    return IK_OK;
}

static ik_status pipe_params_choose_clock(pipe *p, ik_error *err)
{
    uint64_t fastest = pipe_fastest_bps(p->f);
    if (fastest == 0)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "the fabric has no link");
    p->clock_ps = ik_transmit_ps(p->flit_bytes, fastest);
    return p->clock_ps
               ? IK_OK
               : ik_about(err,
                          ik_fail(err, IK_ERR_USAGE, "flit = %u B takes less than a picosecond",
                                  p->flit_bytes),
                          "switch.flit");
}

/* Where there is no next flit, or nobody else who could take the connection: with one VC the packet
 * has the output's to itself. */
static ik_status pipe_params_check_hold(const pipe *p, const ik_params *v, ik_error *err)
{
    if (!p->hold || (p->packet_flits > 1 && p->vcs > 1))
        return IK_OK;
    for (size_t k = 0; k < v->num; k++)
        if (strcmp(v->decl[k].name, "hold_switch_for_packet") == 0)
            ik_fail_at(err, IK_ERR_USAGE, v->values[k].source ? v->values[k].source : "",
                       v->values[k].line, v->values[k].column,
                       "section 'switch', parameter 'hold_switch_for_packet': it has no effect %s",
                       p->vcs > 1 ? "on packets of one flit" : "with one virtual channel");
    return ik_hint(err, IK_ERR_USAGE,
                   p->vcs > 1 ? "larger packets (adapter.packet), or smaller flits"
                              : "vcs: 2, with a scheme that uses them (vc: any)");
}

static ik_status resolve_sections(pipe *p, const ik_sim_config *config, ik_error *err)
{
    sim_sections sec;
    ik_status status = sim_check_run(p->plan, config, err);
    if (status == IK_OK)
        status = sim_open_sections(&sec, config, err);
    if (status != IK_OK)
        return status;
    status = pipe_params_resolve_switch(p, sec.sw, err);
    if (status == IK_OK)
        status = pipe_params_choose_clock(p, err);
    if (status == IK_OK)
        status = pipe_params_resolve_adapter(p, sec.adapter, err);
    if (status == IK_OK)
        status = pipe_params_check_hold(p, sec.sw, err);
    if (status == IK_OK)
        status = pipe_params_resolve_measure(p, &sec, config->bound, err);
    sim_close_sections(&sec);
    return status;
}

/* ---- links */

uint64_t pipe_class_period(const pipe *p, uint32_t link_class)
{
    return p->speedup * pipe_flit_cycles(p->flit_bytes, p->f->classes[link_class].rate_bps,
                                         p->clock_ps, p->speedup);
}

uint64_t pipe_class_latency(const pipe *p, uint32_t link_class)
{
    uint64_t cycles = pipe_cycles_of(p->f->classes[link_class].latency_ps, p->clock_ps);
    return (cycles ? cycles : 1) * p->speedup;
}

/* ---- sizes */

/* Events are due at most this far ahead: the longest channel, the slowest link's flit, what waits
 * for it behind the switch (no more than there is credit for), and the pipeline; or, with a
 * speed-up, credits of as much, of which a channel takes one a cycle. Returns 0 if that is too
 * far. */
static uint64_t pipe_params_wheel_span(const pipe *p)
{
    uint64_t longest = 1, held = (uint64_t)p->depth * p->vcs, room = p->queue_flits + 1;
    for (uint32_t c = 0; c < p->f->num_classes; c++) {
        uint64_t span =
            pipe_class_latency(p, c) +
            pipe_class_period(p, c) * ((held < room ? held : room) + 1 + p->output_speedup);
        uint64_t back = pipe_class_latency(p, c) + p->speedup * (held + 2);
        longest = span > longest ? span : longest;
        longest = p->speedup > 1 && back > longest ? back : longest;
    }
    longest += p->sw_alloc + p->traversal + 8u * p->speedup;
    uint64_t size = 64;
    while (size < longest && size <= UINT64_C(1) << 24)
        size *= 2;
    return size <= UINT64_C(1) << 24 ? size : 0;
}

static uint32_t pipe_params_power_above(uint32_t least)
{
    uint32_t size = 1;
    while (size < least)
        size *= 2;
    return size;
}

static ik_status pipe_params_choose_sizes(pipe *p, ik_error *err)
{
    unsigned longest = p->routing > p->vc_alloc ? p->routing : p->vc_alloc;
    p->stage_mask =
        pipe_params_power_above((longest > p->sw_alloc ? longest : p->sw_alloc) + 1) - 1;
    p->ring_mask = pipe_params_power_above(p->depth) - 1;
    p->ring_shift = (uint32_t)__builtin_popcount(p->ring_mask);
    p->vc_mask = ~UINT64_C(0) >> (64 - p->vcs);
    uint64_t span = pipe_params_wheel_span(p);
    if (span == 0)
        return ik_about(err,
                        ik_fail(err, IK_ERR_UNSUPPORTED,
                                "a link whose latency or transmission of a flit takes 2^24 cycles "
                                "of %llu ps or more",
                                (unsigned long long)p->clock_ps),
                        "latency host_latency switch.flit");
    p->wheel_mask = (uint32_t)span - 1;
    return IK_OK;
}

ik_status pipe_resolve(pipe *p, const ik_plan *plan, const ik_sim_config *config, ik_error *err)
{
    p->plan = plan;
    p->f = plan->fabric;
    p->vcs = plan->num_vcs;
    p->load = config->load;
    p->adaptive = plan->routing->kind == IK_ROUTE_ADAPTIVE;
    p->source_adaptive = p->adaptive && plan->routing->family->start;
    p->any_injection_vc = !plan->vc->family->static_lane;
    p->switch_ports = p->f->port_base[p->f->num_switches];
    p->switch_channels = p->switch_ports * p->vcs;
    ik_status status = resolve_sections(p, config, err);
    return status == IK_OK ? pipe_params_choose_sizes(p, err) : status;
}
