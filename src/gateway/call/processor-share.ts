// Who may use the isolate's processor for long work, such as a scan of a long text. An isolate has one thread for all of its
// organisations, so long work is done in slices with the processor given up in between, and waiting calls take turns: each
// organisation in its turn, and of one organisation the call that came first. Calls share only values here, since the runtime
// lets no request wake another: whoever waits looks again.
import { MINUTE_MS, type After, type Clock } from '../../platform/clock.ts'

export type ShareLimits = {
  /** A call that waits for its turn looks again after 1 ms, then after twice as long each time, up to this. */
  readonly lookMs: number
  /** A call that did not look for so long has been ended by force, or is not counted on. */
  readonly lostMs: number
  /** How many characters of one organisation are scanned within a minute. */
  readonly charactersPerMinute: number
}

export const SHARE_LIMITS: ShareLimits = { lookMs: 16, lostMs: 250, charactersPerMinute: 64 * 1024 * 1024 }

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

type Waiting = { readonly owner: string; lookedAt: number }

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
  /** In the order in which they came. */
  const waiting = new Set<Waiting>()
  /** When each owner had its last turn, counted in turns. */
  const lastTurns = new Map<string, number>()
  const minutes = new Map<string, { since: number; characters: number }>()
  let turns = 0

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve))

  /** Whose turn it is: the owner whose last turn is longest ago, and of that one who came first. */
  function isNext(call: Waiting): boolean {
    let first: Waiting | null = null
    const seen = new Set<string>()
    for (const one of waiting) {
      if (seen.has(one.owner) || now() - one.lookedAt > limits.lostMs) continue
      seen.add(one.owner)
      if (first === null || lastTurn(one) < lastTurn(first)) first = one
    }
    return first === call
  }

  const lastTurn = ({ owner }: Waiting): number => lastTurns.get(owner) ?? 0

  function enter(owner: string): Turns {
    const call = { owner, lookedAt: now() }
    return {
      async next() {
        waiting.add(call)
        for (let ms = 0; ; ms = Math.min(limits.lookMs, ms * 2 || 1)) {
          await pause(ms)
          call.lookedAt = now()
          if (isNext(call)) break
        }
        turns += 1
        lastTurns.set(owner, turns)
      },
      leave() {
        waiting.delete(call)
        for (const one of waiting) if (one.owner === owner) return
        lastTurns.delete(owner)
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
