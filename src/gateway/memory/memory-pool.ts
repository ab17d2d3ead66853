// Limits the bytes of large requests and answers in an isolate. The platform gives an isolate 128 MiB and can end all of its calls
// above that. So a call that does not fit is refused. Small bodies and the first bytes of each answer are not counted. A full pool
// first drops unread answers and stalled bodies. The pool has only plain values of a call: a dropped call notices it in its own
// request.
import type { After, Clock } from '../../platform/time.ts'

const MIB = 1024 * 1024

export const POOL_LIMITS = {
  /** The limit for all large bodies and unread answers together. */
  totalBytes: 32 * MIB,
  /** Per-organisation cap, so that nobody can take all of it. */
  ownerBytes: 16 * MIB,
  /** A body of more bytes is a large one. */
  largeBytes: MIB / 4,
  /** Bytes of each answer that are not counted; only the number of answers is. */
  answerBytes: 32 * 1024,
  /** The most answers at once. */
  totalAnswers: 1_024,
  ownerAnswers: 768,
  /** An answer that nobody has read for this long is dropped if others need its memory. */
  stalledMs: 2_000,
  /** A large body that is still arriving after this long is dropped too. */
  slowMs: 4_000,
  /** The time in which a large body must arrive, counted from when memory is first asked for. */
  arrivalMs: 30_000,
  /**
   * The time after which memory counts as free if its call has not renewed it. The runtime can end a call and its timers by
   * force, so that nothing releases the memory.
   */
  leaseMs: 60_000,
}

export type PoolLimits = Readonly<typeof POOL_LIMITS>

type PoolDeps = { readonly now: Clock; readonly after: After; readonly limits?: PoolLimits }

/** A caller who keeps others waiting: the answer is not read, or the body does not arrive. */
export type StalledCaller = {
  /** Returns since when the caller has not read a waiting answer, or since when its body has been arriving. Else null. */
  readonly waitsSince: () => number | null
  /** Drops its data. It is called from another request, so it may touch only memory. */
  readonly drop: () => void
}

type Share = { readonly bytes: number; readonly answers: number }

/** Memory that a call has reserved, for its body, its answer or its content. */
export type ReservedMemory = {
  readonly bytes: () => number
  /** Asks for so many bytes in all. Returns false if there is no room; then its share is unchanged. */
  readonly resize: (bytes: number) => boolean
  /** Counts bytes that are already in use, without a check, so that others wait. */
  readonly forceResize: (bytes: number) => void
  /**
   * Sets how the pool learns that the caller keeps others waiting. Memory without a caller is never dropped.
   * @param patienceMs after how long it may be dropped
   */
  readonly watch: (caller: StalledCaller, patienceMs?: number) => void
  /** Releases the memory for good. */
  readonly leave: () => void
}

export type MemoryPool = {
  readonly limits: PoolLimits
  readonly now: Clock
  readonly after: After
  /** @param owner the organisation whose share it uses. @returns null if there is no room */
  readonly enter: (owner: string, share: Share) => ReservedMemory | null
}

type Entry = {
  readonly owner: string
  share: Share
  until: number
  caller: StalledCaller | null
  patienceMs: number
  isInPool: boolean
}

const NOTHING: Share = { bytes: 0, answers: 0 }

export function createMemoryPool({ now, after, limits = POOL_LIMITS }: PoolDeps): MemoryPool {
  const entries = new Set<Entry>()
  /** Owner → the sum of its entries; null → the sum of all. Counted as entries change, so that many calls cost no more than few. */
  const sums = new Map<string | null, Share>()
  /** No entry expires before this time. */
  let nextExpiry = Infinity

  function count(owner: string, bytes: number, answers: number): void {
    for (const whose of [owner, null]) {
      const sum = sums.get(whose) ?? NOTHING
      const counted = { bytes: sum.bytes + bytes, answers: sum.answers + answers }
      if (counted.bytes === 0 && counted.answers === 0) sums.delete(whose)
      else sums.set(whose, counted)
    }
  }

  /** Counts the entry from now until its lease ends. */
  function hold(entry: Entry): void {
    entry.until = now() + limits.leaseMs
    nextExpiry = Math.min(nextExpiry, entry.until)
    if (entries.has(entry)) return
    entries.add(entry)
    count(entry.owner, entry.share.bytes, entry.share.answers)
  }

  function remove(entry: Entry): void {
    if (entries.delete(entry)) count(entry.owner, -entry.share.bytes, -entry.share.answers)
  }

  /** Removes the entries of calls that ended by force. */
  function removeExpired(): void {
    if (now() < nextExpiry) return
    nextExpiry = Infinity
    for (const entry of entries) {
      if (entry.until <= now()) remove(entry)
      else nextExpiry = Math.min(nextExpiry, entry.until)
    }
  }

  function stalledSince({ caller, patienceMs }: Entry): number | null {
    const since = caller?.waitsSince() ?? null
    return since !== null && now() - since >= patienceMs ? since : null
  }

  /** Returns the entry, of one owner or of all, that has waited longest for its caller. */
  function findStalled(owner: string | null): Entry | null {
    let longest: { entry: Entry; since: number } | null = null
    for (const entry of entries) {
      if (owner !== null && entry.owner !== owner) continue
      const since = stalledSince(entry)
      if (since !== null && (longest === null || since < longest.since)) longest = { entry, since }
    }
    return longest?.entry ?? null
  }

  /** Drops an entry. Its timer belongs to its own request and stays there. */
  function evict(entry: Entry): void {
    entry.isInPool = false
    remove(entry)
    entry.caller?.drop()
  }

  /** Returns whether so much more fits, after dropping stalled entries if needed. For a stalled entry nothing is dropped. */
  function fits(owner: string, more: Share, asking: Entry | null): boolean {
    removeExpired()
    const mayTake = asking === null || stalledSince(asking) === null
    const shares = [
      { whose: owner, bytes: limits.ownerBytes, answers: limits.ownerAnswers },
      { whose: null, bytes: limits.totalBytes, answers: limits.totalAnswers },
    ]
    return shares.every(({ whose, bytes, answers }) => {
      for (;;) {
        const held = sums.get(whose) ?? NOTHING
        if (held.bytes + more.bytes <= bytes && held.answers + more.answers <= answers) return true
        const stalled = mayTake ? findStalled(whose) : null
        if (stalled === null) return false
        evict(stalled)
      }
    })
  }

  /** Renews the entry for as long as its own request lives. @returns a function that ends that */
  function lease(entry: Entry): () => void {
    let stop = after(limits.leaseMs / 2, renew)
    function renew(): void {
      if (!entry.isInPool) return
      hold(entry)
      stop = after(limits.leaseMs / 2, renew)
    }
    return () => stop()
  }

  return {
    limits,
    now,
    after,
    enter(owner, share) {
      if (!fits(owner, share, null)) return null
      const entry: Entry = { owner, share, until: 0, caller: null, patienceMs: limits.stalledMs, isInPool: true }
      hold(entry)
      const endLease = lease(entry)
      const forceResize = (bytes: number): void => {
        if (entries.has(entry)) count(owner, bytes - entry.share.bytes, 0)
        entry.share = { ...entry.share, bytes }
      }
      return {
        bytes: () => entry.share.bytes,
        resize(bytes) {
          const more = bytes - entry.share.bytes
          if (more > 0 && !fits(owner, { bytes: more, answers: 0 }, entry)) return false
          forceResize(bytes)
          return true
        },
        forceResize,
        watch(caller, patienceMs = limits.stalledMs) {
          entry.caller = caller
          entry.patienceMs = patienceMs
        },
        leave() {
          endLease()
          entry.isInPool = false
          remove(entry)
        },
      }
    },
  }
}
