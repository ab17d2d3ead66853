// Shares an isolate's only thread fairly, for slow work such as the scan of a long text. Organisations take turns; within one, the
// earliest call goes first. Waiting calls poll, because the runtime lets no request wake another. Also limits the characters that
// an organisation has scanned in a minute.
import { MINUTE_MS, type After, type Clock } from '../../platform/time.ts'

export const QUEUE_LIMITS = {
  /** The longest time between two polls of a waiting call, in milliseconds. */
  pollMs: 100,
  /** A call is skipped if its poll is late by more than so many milliseconds: its caller may have left. */
  lateMs: 16,
  /** A call is removed if its poll is late by more than so many milliseconds: it was ended by force. */
  lostMs: 2_000,
  /** The characters of one organisation that are scanned within a minute. */
  charactersPerMinute: 64 * 1024 * 1024,
}

export type QueuedCall = {
  /** Gives up the thread. Resolves when it is this call's turn. */
  readonly next: () => Promise<void>
  /** Leaves the queue. Safe to call at any time, any number of times. */
  readonly leave: () => void
}

export type FairQueue = {
  readonly enter: (owner: string) => QueuedCall
  /** Counts characters in the owner's minute. @returns 0, or the milliseconds to wait if the minute is full */
  readonly take: (owner: string, characters: number) => number
}

type Waiting = { pollsAt: number }

/** `calls` in order of arrival. `lastTurn`: the number of the turn that one of them had last. */
type Owner = { readonly calls: Set<Waiting>; lastTurn: number }

/** With more owners in a minute, the oldest are dropped. */
const MOST_OWNERS = 10_000

export function createFairQueue({
  now,
  after,
  limits = QUEUE_LIMITS,
}: {
  now: Clock
  after: After
  limits?: Readonly<typeof QUEUE_LIMITS>
}): FairQueue {
  const owners = new Map<string, Owner>()
  const minutes = new Map<string, { since: number; characters: number }>()
  let turns = 0

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve))

  const isLaterBy = (ms: number, { pollsAt }: Waiting): boolean => now() - pollsAt > ms

  /** Adds a call. A new owner has its turn after those who already wait. */
  function join(name: string, call: Waiting): Owner {
    const owner = owners.get(name) ?? { calls: new Set(), lastTurn: ++turns }
    owners.set(name, owner)
    owner.calls.add(call)
    return owner
  }

  function remove(name: string, call: Waiting): void {
    const owner = owners.get(name)
    owner?.calls.delete(call)
    if (owner?.calls.size === 0) owners.delete(name)
  }

  function removeLost(): void {
    for (const [name, { calls }] of owners) {
      for (const call of calls) if (isLaterBy(limits.lostMs, call)) remove(name, call)
    }
  }

  /** Returns the least number of turns before this call: earlier calls of its owner, else other owners. */
  function turnsBefore(call: Waiting, owner: Owner): number {
    const earlier = countOnTime(owner.calls, call)
    if (earlier > 0) return earlier
    let others = 0
    for (const { calls, lastTurn } of owners.values()) {
      if (lastTurn < owner.lastTurn && countOnTime(calls) > 0) others += 1
    }
    return others
  }

  function countOnTime(calls: Iterable<Waiting>, until?: Waiting): number {
    let count = 0
    for (const call of calls) {
      if (call === until) break
      if (!isLaterBy(limits.lateMs, call)) count += 1
    }
    return count
  }

  function enter(name: string): QueuedCall {
    removeLost()
    const call = { pollsAt: now() }
    let hasLeft = false
    return {
      async next() {
        for (let ms = 0; ;) {
          call.pollsAt = now() + ms
          join(name, call)
          await pause(ms)
          if (hasLeft) return
          // It may have been removed while the thread was busy.
          const owner = join(name, call)
          const before = turnsBefore(call, owner)
          if (before === 0) {
            owner.lastTurn = ++turns
            return
          }
          ms = Math.min(limits.pollMs, before)
        }
      },
      leave() {
        hasLeft = true
        remove(name, call)
      },
    }
  }

  function take(owner: string, characters: number): number {
    const at = now()
    for (const [known, { since }] of minutes) {
      if (minutes.size <= MOST_OWNERS && at - since < MINUTE_MS) break
      minutes.delete(known)
    }
    const minute = minutes.get(owner) ?? { since: at, characters: 0 }
    if (minute.characters > 0 && minute.characters + characters > limits.charactersPerMinute) {
      return minute.since + MINUTE_MS - at
    }
    minute.characters += characters
    minutes.set(owner, minute)
    return 0
  }

  return { enter, take }
}
