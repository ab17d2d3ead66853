// Shares the isolate's processor among callers with long work, such as a scan of a long text. An isolate has one thread for all of its
// organisations, so long work is done in slices with the processor given up in between, and waiting calls take turns: each
// organisation in its turn, and of one organisation the call that came first. Calls share only values here, since the runtime
// lets no request wake another: whoever waits looks again.
import { MINUTE_MS, type After, type Clock } from '../../platform/time.ts'

export type ShareLimits = {
  /** A call that waits for its turn looks again when those before it can have had theirs, and after so long at the latest. */
  readonly lookMs: number
  /** Others do not wait for a call that looks so much later than it should: its caller may have left. */
  readonly lateMs: number
  /** A call that is later by so much has been ended by force, and is forgotten. */
  readonly lostMs: number
  /** How many characters of one organisation are scanned within a minute. */
  readonly charactersPerMinute: number
}

export const SHARE_LIMITS: ShareLimits = {
  lookMs: 100,
  lateMs: 16,
  lostMs: 2_000,
  charactersPerMinute: 64 * 1024 * 1024,
}

/** The place of one call among those that wait. */
export type Turns = {
  /** Gives up the processor, and is over when it is this call's turn. */
  readonly next: () => Promise<void>
  /** Lets the others go on. Safe to call at any time, any number of times. */
  readonly leave: () => void
}

export type ProcessorShare = {
  readonly enter: (owner: string) => Turns
  /** Takes so many characters of the owner's minute. @returns in how many milliseconds there is room again; 0 where there is */
  readonly take: (owner: string, characters: number) => number
}

/** `looksAt`: when it looks next. */
type Waiting = { looksAt: number }

/** `calls` in the order in which they came. `lastTurn`: when one of them had its last turn, counted in turns. */
type Owner = { readonly calls: Set<Waiting>; lastTurn: number }

/** More owners within a minute are forgotten, the oldest first. */
const MOST_OWNERS = 10_000

export function createProcessorShare({
  now,
  after,
  limits = SHARE_LIMITS,
}: {
  now: Clock
  after: After
  limits?: ShareLimits
}): ProcessorShare {
  const owners = new Map<string, Owner>()
  const minutes = new Map<string, { since: number; characters: number }>()
  let turns = 0

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve))

  const isLaterBy = (ms: number, { looksAt }: Waiting): boolean => now() - looksAt > ms

  /** An owner who comes, or comes again, has its turn after those who are waiting. */
  function place(name: string, call: Waiting): Owner {
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

  function forgetLost(): void {
    for (const [name, { calls }] of owners) {
      for (const call of calls) if (isLaterBy(limits.lostMs, call)) remove(name, call)
    }
  }

  /** How many turns others have before it, at least: of its owner's earlier calls; of the first call those of other owners. */
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

  function enter(name: string): Turns {
    forgetLost()
    const call = { looksAt: now() }
    let hasLeft = false
    return {
      async next() {
        for (let ms = 0; ;) {
          call.looksAt = now() + ms
          place(name, call)
          await pause(ms)
          if (hasLeft) return
          // It may have been forgotten, where the processor was busy for long.
          const owner = place(name, call)
          const before = turnsBefore(call, owner)
          if (before === 0) {
            owner.lastTurn = ++turns
            return
          }
          ms = Math.min(limits.lookMs, before)
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
