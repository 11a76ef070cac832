/* SPDX-License-Identifier: Apache-2.0
 *
 * metis_slots.c: what metis_traps.c does, in programs that are not linked with it.
 *
 * METIS' shared library calls three of its own functions through slots of its procedure linkage
 * table, so that a program may replace them by name. A library would have to export these names.
 * Instead the addresses in these slots are replaced here, once per process: in a thread that is
 * within ik_partition METIS then neither sets a handler of a signal nor raises one; in others its
 * own functions are called as before. Blocking signals, or setting handlers of our own during the
 * call, does not suffice: METIS_PartGraphKway calls METIS_PartGraphRecursive once per cut, which
 * sets METIS' handlers again, and these jump out of whatever a SIGTERM interrupts.
 *
 * Slots are not found in a METIS that is linked statically or calls its functions directly, and on
 * systems without RELA relocations.
 */
#define _GNU_SOURCE /* dl_iterate_phdr, dladdr */
#include "base/partitioner.h"

#ifdef IKAT_METIS_TRAPS

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_TRAPS = 128, NUM_SLOTS = 3 };

extern _Thread_local int gk_cur_jbufs; /* see metis_traps.c */
_Noreturn void gk_sigthrow(int why);
int gk_sigtrap(void);
int gk_siguntrap(void);
void gk_errexit(int why, char *format, ...);

static _Thread_local bool within, lacks_memory;

static int metis_slots_set_trap(void)
{
    if (!within)
        return gk_sigtrap();
    if (gk_cur_jbufs + 1 >= MAX_TRAPS)
        return 0;
    gk_cur_jbufs++;
    return 1;
}

static int metis_slots_unset_trap(void)
{
    if (!within)
        return gk_siguntrap();
    if (gk_cur_jbufs < 0)
        return 0;
    gk_cur_jbufs--;
    return 1;
}

static void metis_slots_fail(int why, char *format, ...)
{
    if (within) {
        lacks_memory |= why == SIGABRT;
        gk_sigthrow(why);
    }
    char text[1024], as_text[] = "%s";
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    gk_errexit(why, as_text, text);
}

typedef struct slot {
    const char *name;
    uintptr_t theirs, ours; /* addresses of functions */
    _Atomic uintptr_t *at;  /* the slot; NULL: not found */
    bool sealed;            /* in memory that the loader made read-only */
} slot;

static slot slots[NUM_SLOTS];
static pthread_once_t searched = PTHREAD_ONCE_INIT;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static bool metis_slots_is_sealed(const struct dl_phdr_info *library, uintptr_t address)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (unsigned i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &library->dlpi_phdr[i];
        uintptr_t from = library->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_RELRO && address >= from &&
            address < (from + p->p_memsz) / page * page)
            return true;
    }
    return false;
}

/* The slots of the functions that the library itself defines, if they are those that we call. */
static void read_slots(const struct dl_phdr_info *library, const ElfW(Rela) * rela, size_t num,
                       const ElfW(Sym) * symbols, const char *names)
{
    for (size_t i = 0; i < num; i++) {
        size_t index = rela[i].r_info >> (sizeof(ElfW(Addr)) == 8 ? 32 : 8);
        const ElfW(Sym) *symbol = &symbols[index];
        for (slot *s = slots; s < slots + NUM_SLOTS; s++) {
            if (symbol->st_shndx == SHN_UNDEF || strcmp(names + symbol->st_name, s->name) != 0 ||
                library->dlpi_addr + symbol->st_value != s->theirs)
                continue;
            uintptr_t address = library->dlpi_addr + rela[i].r_offset;
            s->at = (_Atomic uintptr_t *)address;
            s->sealed = metis_slots_is_sealed(library, address);
        }
    }
}

static int metis_slots_search_library(struct dl_phdr_info *library, size_t size, void *ctx)
{
    (void)size, (void)ctx;
    const ElfW(Dyn) *entry = NULL;
    uintptr_t base = library->dlpi_addr, relocations = 0, symbols = 0, names = 0;
    size_t bytes = 0;
    bool rela = false;
    for (unsigned i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(base + library->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        uintptr_t value = entry->d_un.d_ptr; /* some loaders add the base to addresses */
        uintptr_t address = value < base ? base + value : value;
        if (entry->d_tag == DT_JMPREL)
            relocations = address;
        else if (entry->d_tag == DT_SYMTAB)
            symbols = address;
        else if (entry->d_tag == DT_STRTAB)
            names = address;
        else if (entry->d_tag == DT_PLTRELSZ)
            bytes = value;
        else if (entry->d_tag == DT_PLTREL)
            rela = value == DT_RELA;
    }
    if (rela && relocations && symbols && names)
        read_slots(library, (const ElfW(Rela) *)relocations, bytes / sizeof(ElfW(Rela)),
                   (const ElfW(Sym) *)symbols, (const char *)names);
    return 0;
}

static void metis_slots_search(void)
{
    slots[0] =
        (slot){"gk_sigtrap", (uintptr_t)gk_sigtrap, (uintptr_t)metis_slots_set_trap, NULL, false};
    slots[1] = (slot){"gk_siguntrap", (uintptr_t)gk_siguntrap, (uintptr_t)metis_slots_unset_trap,
                      NULL, false};
    slots[2] =
        (slot){"gk_errexit", (uintptr_t)gk_errexit, (uintptr_t)metis_slots_fail, NULL, false};
    dl_iterate_phdr(metis_slots_search_library, NULL);
    Dl_info own; /* METIS may stay when a program unloads this library, whose functions it calls */
    if (dladdr(slots, &own) && own.dli_fname)
        dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static bool metis_slots_write_slot(const slot *s)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)s->at / page * page);
    if (s->sealed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
        return false;
    *s->at = s->ours;
    if (s->sealed)
        mprotect(start, page, PROT_READ);
    return true;
}

bool ik_metis_enter(void)
{
    bool ready = true;
    pthread_once(&searched, metis_slots_search);
    pthread_mutex_lock(&writing);
    for (const slot *s = slots; s < slots + NUM_SLOTS; s++)
        ready &= s->at != NULL;
    /* the loader writes a slot at the first call of its function: by another caller of METIS */
    for (const slot *s = slots; ready && s < slots + NUM_SLOTS; s++)
        ready &= *s->at == s->ours || metis_slots_write_slot(s);
    pthread_mutex_unlock(&writing);
    lacks_memory = false;
    within = ready;
    return ready;
}

bool ik_metis_leave(void)
{
    within = false;
    return lacks_memory;
}

#else

bool ik_metis_enter(void)
{
    return false;
}

bool ik_metis_leave(void)
{
    return false;
}

#endif
