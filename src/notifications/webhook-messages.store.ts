// Stores webhook messages: those that wait for delivery, and the outcome of the latest others. Insert a message in the turn
// that writes its fact, so that both are stored together.
import { newId } from '../platform/ids.ts'
import { isAfter, sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'
import type { MessageType } from './webhook-events.ts'
import { LONGEST_WAIT_MS } from './delivery-retry.policy.ts'

export const WEBHOOK_MESSAGES_SCHEMA = `
  CREATE TABLE webhook_messages (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    body TEXT,
    created_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_at INTEGER,
    ended TEXT CHECK (ended IN ('delivered', 'failed', 'dropped')),
    last_at INTEGER,
    last_outcome TEXT,
    last_status INTEGER,
    CHECK ((next_at IS NULL) = (body IS NULL)),
    CHECK ((next_at IS NULL) = (ended IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_messages_waiting ON webhook_messages (next_at) WHERE next_at IS NOT NULL;
`

/** If more messages wait, the oldest are dropped: those about new keys first. */
const MOST_WAITING = 500
export const MOST_ENDED = 100

/** `address_not_public`: the host name has an IP address that is not public. `address_not_resolved`: it has no IP address. */
export type AttemptOutcome =
  | 'delivered'
  | 'refused'
  | 'redirected'
  | 'timed_out'
  | 'unreachable'
  | 'address_not_public'
  | 'address_not_resolved'

export type Attempt = { at: number; outcome: AttemptOutcome; status: number | null }

export type MessageId = `msg_${string}`

export type MessageState = 'waiting' | 'delivered' | 'failed' | 'dropped'

export type WebhookMessage = {
  id: string
  type: MessageType
  createdAt: number
  state: MessageState
  attempts: number
  /** Null if the message has ended. */
  nextAt: number | null
  last: Attempt | null
}

export type WaitingMessage = { id: string; body: string; createdAt: number; attempts: number }

type Row = {
  id: string
  type: MessageType
  created_at: number
  attempts: number
  next_at: number | null
  ended: Exclude<MessageState, 'waiting'> | null
  last_at: number | null
  last_outcome: AttemptOutcome | null
  last_status: number | null
}

export class WebhookMessagesStore extends ObjectStore {
  #hasNew = false

  /** Adds a message that is due at once, unless its id is there. Returns how many others were dropped for it. */
  insert(type: MessageType, body: string, now: number, id = newId('msg_', now)): { id: string; dropped: number } {
    this.run(sql`INSERT INTO webhook_messages (id, type, body, created_at, attempts, next_at)
      VALUES (${id}, ${type}, ${body}, ${now}, 0, ${now}) ON CONFLICT (id) DO NOTHING`)
    this.#hasNew = true
    return { id, dropped: this.#drop(MOST_WAITING) }
  }

  /** Returns true if a message was written since the last call. */
  takeNew(): boolean {
    const had = this.#hasNew
    this.#hasNew = false
    return had
  }

  /**
   * Returns when the next message is due; null if none waits. A time beyond the longest wait came from a clock that was ahead, so
   * it counts as due.
   */
  dueAt(now: number): number | null {
    const { first, last } = this.row<{ first: number | null; last: number | null }>(
      sql`SELECT MIN(next_at) AS first, MAX(next_at) AS last FROM webhook_messages WHERE next_at IS NOT NULL`,
    )
    return last !== null && last > now + LONGEST_WAIT_MS ? now : first
  }

  /** Returns due messages, oldest first. */
  listDue(now: number, limit: number): WaitingMessage[] {
    return this.rows<{ id: string; body: string; created_at: number; attempts: number }>(
      sql`SELECT id, body, created_at, attempts FROM webhook_messages WHERE next_at IS NOT NULL
        AND (next_at <= ${now} OR next_at > ${now} + ${LONGEST_WAIT_MS}) ORDER BY id LIMIT ${limit}`,
    ).map(({ id, body, created_at: createdAt, attempts }) => ({ id, body, createdAt, attempts }))
  }

  reschedule(id: string, attempt: Attempt, nextAt: number): void {
    this.run(sql`UPDATE webhook_messages SET attempts = attempts + 1, next_at = ${nextAt}, last_at = ${attempt.at},
      last_outcome = ${attempt.outcome}, last_status = ${attempt.status} WHERE id = ${id} AND next_at IS NOT NULL`)
  }

  end(id: string, as: 'delivered' | 'failed', attempt: Attempt): void {
    this.run(sql`UPDATE webhook_messages SET attempts = attempts + 1, next_at = NULL, body = NULL,
      ended = ${as}, last_at = ${attempt.at}, last_outcome = ${attempt.outcome}, last_status = ${attempt.status}
      WHERE id = ${id} AND next_at IS NOT NULL`)
    this.#forgetEnded()
  }

  /** Drops all waiting messages. Returns how many there were. */
  dropWaiting(): number {
    return this.#drop(0)
  }

  /** Makes waiting messages due at a new URL, with all attempts left. */
  renewWaiting(now: number): void {
    this.run(sql`UPDATE webhook_messages SET attempts = 0, next_at = ${now} WHERE next_at IS NOT NULL`)
    this.#hasNew = true
  }

  countWaiting(): number {
    return this.row<{ n: number }>(sql`SELECT COUNT(*) AS n FROM webhook_messages WHERE next_at IS NOT NULL`).n
  }

  /** Returns messages, newest first, that are older than `cursor` (an id). */
  list(limit: number, cursor: string | null): WebhookMessage[] {
    return this.rows<Row>(sql`SELECT id, type, created_at, attempts, next_at, ended, last_at, last_outcome, last_status
      FROM webhook_messages WHERE ${isAfter(cursor)} ORDER BY id DESC LIMIT ${limit}`).map(fromRow)
  }

  deleteAll(): void {
    this.run(sql`DELETE FROM webhook_messages`)
  }

  /** Drops messages about keys first, because any developer can make many of them. */
  #drop(mostWaiting: number): number {
    const dropped = this.rows(sql`UPDATE webhook_messages SET next_at = NULL, body = NULL, ended = 'dropped'
      WHERE id IN (SELECT id FROM webhook_messages WHERE next_at IS NOT NULL
        ORDER BY type = 'key.created', id DESC LIMIT -1 OFFSET ${mostWaiting}) RETURNING id`)
    this.#forgetEnded()
    return dropped.length
  }

  #forgetEnded(): void {
    this.run(sql`DELETE FROM webhook_messages WHERE id IN (
      SELECT id FROM webhook_messages WHERE next_at IS NULL ORDER BY id DESC LIMIT -1 OFFSET ${MOST_ENDED})`)
  }
}

function fromRow(row: Row): WebhookMessage {
  const { last_at: at, last_outcome: outcome, last_status: status } = row
  return {
    id: row.id,
    type: row.type,
    createdAt: row.created_at,
    state: row.ended ?? 'waiting',
    attempts: row.attempts,
    nextAt: row.next_at,
    last: at === null || outcome === null ? null : { at, outcome, status },
  }
}
