// A third party's word for the time of one checkpoint an hour (RFC 3161), stored beside it. Nothing waits for it: an hour of
// which no token could be had has none.
import type { Clock } from '../platform/clock.ts'
import { sha256 } from '../platform/sha256.ts'
import { askAuthority, type AskingAuthority, type AuthorityAnswer } from './ask-authority.ts'
import { formatTimestampedCheckpoint } from '../evidence/timestamp/timestamped-checkpoint.ts'

/** What of the log’s files has to do with it. */
type TimestampFiles = {
  readCheckpoint: () => Promise<{ readonly note: string; readonly signedAt: number } | null>
  hasTimestamp: (hour: string) => Promise<boolean>
  storeTimestamp: (hour: string, text: string) => Promise<void>
}

type Parts = {
  /** The address of the timestamp authority. */
  authority: string
  files: TimestampFiles
  clock: Clock
  fetch: AskingAuthority['fetch']
}

export type TimestampOutcome = 'nothing_due' | 'stored' | Exclude<AuthorityAnswer['outcome'], 'granted'>

/** `2026-11-20T13Z`: the hour in UTC in which a checkpoint was signed. @param at milliseconds since the epoch */
export const hourOf = (at: number): string => `${new Date(at).toISOString().slice(0, 13)}Z`

export function isHour(text: string): boolean {
  const at = Date.parse(text.replace(/Z$/, ':00Z'))
  return !Number.isNaN(at) && hourOf(at) === text
}

/** How long an authority that failed is left alone. */
const RETRY_MS = 60_000

export class CheckpointTimestamps {
  readonly #parts: Parts
  /** The last hour that is known to have its token. */
  #hour: string | null = null
  #askedAt = -Infinity
  #running: Promise<TimestampOutcome> | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Has the checkpoint that is served stamped, if it is the first of its hour; one at a time. Rejects where R2 does. */
  keepUp(): Promise<TimestampOutcome> {
    this.#running ??= this.#stamp().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #stamp(): Promise<TimestampOutcome> {
    const { authority, files, clock, fetch } = this.#parts
    if (this.#isTooSoon(clock()) || this.#hour === hourOf(clock())) return 'nothing_due'
    const seen = await files.readCheckpoint()
    if (seen === null) return 'nothing_due'
    const hour = hourOf(seen.signedAt)
    if (this.#hour === hour || (await files.hasTimestamp(hour))) {
      this.#hour = hour
      return 'nothing_due'
    }
    this.#askedAt = clock()
    const answer = await askAuthority({ url: authority, imprint: sha256(seen.note), clock, fetch })
    if (answer.outcome !== 'granted') return answer.outcome
    await files.storeTimestamp(hour, formatTimestampedCheckpoint({ checkpoint: seen.note, token: answer.token }))
    this.#hour = hour
    return 'stored'
  }

  /** Not after a clock that was ahead has stepped back. */
  #isTooSoon(now: number): boolean {
    return now >= this.#askedAt && now - this.#askedAt < RETRY_MS
  }
}
