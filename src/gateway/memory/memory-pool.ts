// How many bytes of large requests and of answers an isolate holds at once. The platform gives an isolate 128 MiB for
// everything and can end all of its calls when it uses more, so a call that would need more is refused. Small bodies are not
// counted, nor the first bytes of each answer. When the pool is full, answers that nobody reads and bodies that do not arrive
// are dropped first. Calls share only values here: a dropped one learns of it in its own request, when it looks.
import type { After, Clock } from '../../platform/time.ts'

const MIB = 1024 * 1024

export type PoolLimits = {
  /** For all large bodies and unread answers together. */
  readonly totalBytes: number
  /** Per-organisation cap, so that nobody can take all of it. */
  readonly ownerBytes: number
  /** A body of more is a large one. */
  readonly largeBytes: number
  /** Bytes of each answer that are not counted; only the number of answers is. */
  readonly answerBytes: number
  /** How many answers there may be at once. */
  readonly totalAnswers: number
  readonly ownerAnswers: number
  /** An answer of which nothing was read for so long gives way to others. */
  readonly stalledMs: number
  /** A large body that is still arriving after so long gives way likewise. */
  readonly slowMs: number
  /** By when a large body has to have arrived, with or without room: counted from when room is first asked for. */
  readonly arrivalMs: number
  /**
   * After which room counts as free that its call has not asked for again: the runtime can end a call by force, its timers
   * with it, and then nothing gives it back.
   */
  readonly leaseMs: number
}

export const POOL_LIMITS: PoolLimits = {
  totalBytes: 32 * MIB,
  ownerBytes: 16 * MIB,
  largeBytes: MIB / 4,
  answerBytes: 32 * 1024,
  totalAnswers: 1_024,
  ownerAnswers: 768,
  stalledMs: 2_000,
  slowMs: 4_000,
  arrivalMs: 30_000,
  leaseMs: 60_000,
}

type Outside = { readonly now: Clock; readonly after: After; readonly limits?: PoolLimits }

/** A caller who keeps others waiting: the answer is not read, or the body does not arrive. */
export type Unread = {
  /** Since when: for an answer when anything of it was last taken, if some of it waits. Else null. */
  readonly waitsSince: () => number | null
  /** Lets go of all that is held. Called from another request: it may touch nothing but memory. */
  readonly drop: () => void
}

/** The request for memory: bytes beyond what is free, and for an answer its number. */
type Share = { readonly bytes: number; readonly answers: number }

/** The memory of one call. */
export type Holding = {
  readonly bytes: () => number
  /** True if it may hold so many bytes. If not, it stays as it was. */
  readonly resize: (bytes: number) => boolean
  /** Writes down what cannot be helped, so that others wait until it is less. */
  readonly overdraw: (bytes: number) => void
  /**
   * Says how it can be told whether its caller keeps others waiting. Without that it never gives way.
   * @param patienceMs after how long it does
   */
  readonly watch: (unread: Unread, patienceMs?: number) => void
  /** Gives the room back, for good. */
  readonly leave: () => void
}

export type MemoryPool = {
  readonly limits: PoolLimits
  readonly now: Clock
  readonly after: After
  /** @param owner whose share it is of. @returns null where there is no room */
  readonly enter: (owner: string, share: Share) => Holding | null
}

type Entry = {
  readonly owner: string
  share: Share
  until: number
  unread: Unread | null
  patienceMs: number
  isIn: boolean
}

export function createMemoryPool({ now, after, limits = POOL_LIMITS }: Outside): MemoryPool {
  const entries = new Set<Entry>()

  /** The memory in use, of one owner or of all. Calls that ended by force do not count. */
  function heldBy(owner: string | null): Share {
    let [bytes, answers] = [0, 0]
    for (const entry of entries) {
      if (entry.until <= now()) entries.delete(entry)
      else if (owner === null || entry.owner === owner) {
        bytes += entry.share.bytes
        answers += entry.share.answers
      }
    }
    return { bytes, answers }
  }

  function stalledSince({ unread, patienceMs }: Entry): number | null {
    const since = unread?.waitsSince() ?? null
    return since !== null && now() - since >= patienceMs ? since : null
  }

  /** The entry, of one owner or of all, that has waited longest for its caller. */
  function findStalled(owner: string | null): Entry | null {
    let longest: { entry: Entry; since: number } | null = null
    for (const entry of entries) {
      if (owner !== null && entry.owner !== owner) continue
      const since = stalledSince(entry)
      if (since !== null && (longest === null || since < longest.since)) longest = { entry, since }
    }
    return longest?.entry ?? null
  }

  /** Its timer belongs to its own request and is left to it. */
  function giveWay(entry: Entry): void {
    entry.isIn = false
    entries.delete(entry)
    entry.unread?.drop()
  }

  /** True if so much more fits, if necessary after stalled entries were dropped. A stalled entry itself takes from nobody. */
  function fits(owner: string, more: Share, asking: Entry | null): boolean {
    const mayTake = asking === null || stalledSince(asking) === null
    const shares = [
      { whose: owner, bytes: limits.ownerBytes, answers: limits.ownerAnswers },
      { whose: null, bytes: limits.totalBytes, answers: limits.totalAnswers },
    ]
    return shares.every(({ whose, bytes, answers }) => {
      for (;;) {
        const held = heldBy(whose)
        if (held.bytes + more.bytes <= bytes && held.answers + more.answers <= answers) return true
        const stalled = mayTake ? findStalled(whose) : null
        if (stalled === null) return false
        giveWay(stalled)
      }
    })
  }

  /** Keeps it in the books for as long as its own request lives. @returns what ends that */
  function lease(entry: Entry): () => void {
    let stop = after(limits.leaseMs / 2, renew)
    function renew(): void {
      if (!entry.isIn) return
      entry.until = now() + limits.leaseMs
      entries.add(entry)
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
      const { leaseMs, stalledMs } = limits
      const entry: Entry = { owner, share, until: now() + leaseMs, unread: null, patienceMs: stalledMs, isIn: true }
      entries.add(entry)
      const endLease = lease(entry)
      const overdraw = (bytes: number): void => void (entry.share = { ...entry.share, bytes })
      return {
        bytes: () => entry.share.bytes,
        resize(bytes) {
          const more = bytes - entry.share.bytes
          if (more > 0 && !fits(owner, { bytes: more, answers: 0 }, entry)) return false
          overdraw(bytes)
          return true
        },
        overdraw,
        watch(unread, patienceMs = limits.stalledMs) {
          entry.unread = unread
          entry.patienceMs = patienceMs
        },
        leave() {
          endLease()
          entry.isIn = false
          entries.delete(entry)
        },
      }
    },
  }
}
