// Stores webhook messages: those that wait for delivery, and the outcome of the latest others. Insert a message in the turn
// that writes its fact, so that both are stored together.
import { newId } from '../platform/ids.ts'
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
    this.sql.exec(
      `INSERT INTO webhook_messages (id, type, body, created_at, attempts, next_at) VALUES (?, ?, ?, ?, 0, ?)
       ON CONFLICT (id) DO NOTHING`,
      id,
      type,
      body,
      now,
      now,
    )
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
      'SELECT MIN(next_at) AS first, MAX(next_at) AS last FROM webhook_messages WHERE next_at IS NOT NULL',
    )
    return last !== null && last > now + LONGEST_WAIT_MS ? now : first
  }

  /** Returns due messages, oldest first. */
  listDue(now: number, limit: number): WaitingMessage[] {
    return this.rows<{ id: string; body: string; created_at: number; attempts: number }>(
      `SELECT id, body, created_at, attempts FROM webhook_messages
       WHERE next_at IS NOT NULL AND (next_at <= ?1 OR next_at > ?1 + ?2) ORDER BY id LIMIT ?3`,
      now,
      LONGEST_WAIT_MS,
      limit,
    ).map(({ id, body, created_at: createdAt, attempts }) => ({ id, body, createdAt, attempts }))
  }

  reschedule(id: string, attempt: Attempt, nextAt: number): void {
    this.sql.exec(
      `UPDATE webhook_messages SET attempts = attempts + 1, next_at = ?, last_at = ?, last_outcome = ?, last_status = ?
       WHERE id = ? AND next_at IS NOT NULL`,
      nextAt,
      attempt.at,
      attempt.outcome,
      attempt.status,
      id,
    )
  }

  end(id: string, as: 'delivered' | 'failed', attempt: Attempt): void {
    this.sql.exec(
      `UPDATE webhook_messages SET attempts = attempts + 1, next_at = NULL, body = NULL, ended = ?,
         last_at = ?, last_outcome = ?, last_status = ?
       WHERE id = ? AND next_at IS NOT NULL`,
      as,
      attempt.at,
      attempt.outcome,
      attempt.status,
      id,
    )
    this.#forgetEnded()
  }

  /** Drops all waiting messages. Returns how many there were. */
  dropWaiting(): number {
    return this.#drop(0)
  }

  /** Makes waiting messages due at a new URL, with all attempts left. */
  renewWaiting(now: number): void {
    this.sql.exec('UPDATE webhook_messages SET attempts = 0, next_at = ? WHERE next_at IS NOT NULL', now)
    this.#hasNew = true
  }

  countWaiting(): number {
    return this.row<{ n: number }>('SELECT COUNT(*) AS n FROM webhook_messages WHERE next_at IS NOT NULL').n
  }

  /** Returns messages, newest first, that are older than `cursor` (an id). */
  list(limit: number, cursor: string | null): WebhookMessage[] {
    return this.rows<Row>(
      `SELECT id, type, created_at, attempts, next_at, ended, last_at, last_outcome, last_status FROM webhook_messages
       WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2`,
      cursor,
      limit,
    ).map(fromRow)
  }

  deleteAll(): void {
    this.sql.exec('DELETE FROM webhook_messages')
  }

  /** Drops messages about keys first, because any developer can make many of them. */
  #drop(mostWaiting: number): number {
    const dropped = this.rows(
      `UPDATE webhook_messages SET next_at = NULL, body = NULL, ended = 'dropped' WHERE id IN (
         SELECT id FROM webhook_messages WHERE next_at IS NOT NULL ORDER BY type = 'key.created', id DESC LIMIT -1 OFFSET ?
       ) RETURNING id`,
      mostWaiting,
    )
    this.#forgetEnded()
    return dropped.length
  }

  #forgetEnded(): void {
    this.sql.exec(
      `DELETE FROM webhook_messages WHERE id IN (
         SELECT id FROM webhook_messages WHERE next_at IS NULL ORDER BY id DESC LIMIT -1 OFFSET ?
       )`,
      MOST_ENDED,
    )
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
