// Stores which events each member is mailed about, the notices that wait to be mailed, and the latest mails. One row a type waits,
// however often it happens, so that a mail can say how often.
import type { OrganisationId } from '../platform/ids.ts'
import { DAY_MS, HOUR_MS } from '../platform/time.ts'
import { sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'
import { NOTICE_TYPES, type NoticeType } from './notices.words.ts'

export const MEMBER_NOTICES_SCHEMA = `
  CREATE TABLE notice_choices (
    person_id TEXT PRIMARY KEY,
    organisation_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    types TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE notices_waiting (
    type TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    detail TEXT,
    since INTEGER NOT NULL,
    mailed_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE notice_mails (
    id INTEGER PRIMARY KEY,
    person_id TEXT NOT NULL,
    type TEXT NOT NULL,
    count INTEGER NOT NULL,
    detail TEXT,
    sent_at INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('sent', 'failed'))
  ) STRICT;
  CREATE INDEX notice_mails_by_person ON notice_mails (person_id, id);
`

/** At most one mail of a type in this time. */
const QUIET_MS = HOUR_MS
export const MAILS_KEPT_MS = 90 * DAY_MS
const MOST_LISTED = 100

/** `detail`: a few words of the service about the latest one; null for none. */
export type Notice = { type: NoticeType; detail: string | null }

export type WaitingNotice = Notice & { count: number; since: number }

export type NoticeMail = Notice & { count: number; sentAt: number; outcome: 'sent' | 'failed' }

/** `origin`: of the service, for links in mails. */
export type NoticeChoice = {
  personId: string
  organisationId: OrganisationId
  origin: string
  types: readonly NoticeType[]
}

type ChoiceRow = Omit<NoticeChoice, 'types'> & { types: string }
type WaitingRow = WaitingNotice & { mailedAt: number | null }

export class MemberNoticesStore extends ObjectStore {
  /** Every settled call asks. */
  #wanted: ReadonlySet<string> | null = null
  #hasNew = false

  listChoices(): NoticeChoice[] {
    return this.rows<ChoiceRow>(sql`SELECT person_id AS personId, organisation_id AS organisationId, origin, types
      FROM notice_choices ORDER BY person_id`).map(({ types, personId, organisationId, origin }) => {
      const chosen = types.split(' ')
      return { personId, organisationId, origin, types: NOTICE_TYPES.filter((type) => chosen.includes(type)) }
    })
  }

  choose({ personId, organisationId, origin, types }: NoticeChoice): void {
    this.deleteChoice(personId)
    if (types.length === 0) return
    this.run(sql`INSERT INTO notice_choices (person_id, organisation_id, origin, types)
      VALUES (${personId}, ${organisationId}, ${origin}, ${[...new Set(types)].join(' ')})`)
  }

  deleteChoice(person: string): void {
    this.run(sql`DELETE FROM notice_choices WHERE person_id = ${person}`)
    this.forget()
  }

  /** Reads the choices again when they are next needed. */
  forget(): void {
    this.#wanted = null
  }

  /** Returns true if a member is to be mailed about it. */
  isWanted(type: string): boolean {
    this.#wanted ??= new Set(this.listChoices().flatMap(({ types }) => types))
    return this.#wanted.has(type)
  }

  note({ type, detail }: Notice, now: number): void {
    this.run(sql`INSERT INTO notices_waiting (type, count, detail, since) VALUES (${type}, 1, ${detail}, ${now})
      ON CONFLICT (type) DO UPDATE SET since = iif(count = 0, ${now}, since), count = count + 1, detail = ${detail}`)
    this.#hasNew = true
  }

  /** Returns true if a notice was written since the last call. */
  takeNew(): boolean {
    const had = this.#hasNew
    this.#hasNew = false
    return had
  }

  /** Returns when a mail is next due; null for never. */
  dueAt(now: number): number | null {
    const times = this.#listWaiting().map((row) => dueTime(row, now))
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Returns the notices that are due, and counts them as mailed. */
  take(now: number): WaitingNotice[] {
    const due = this.#listWaiting().filter((row) => dueTime(row, now) <= now)
    for (const { type } of due)
      this.run(sql`UPDATE notices_waiting SET count = 0, mailed_at = ${now} WHERE type = ${type}`)
    return due.map(({ type, count, detail, since }) => ({ type, count, detail, since }))
  }

  #listWaiting(): WaitingRow[] {
    return this.rows<WaitingRow>(sql`SELECT type, count, detail, since, mailed_at AS mailedAt FROM notices_waiting
      WHERE count > 0 ORDER BY type`)
  }

  insertMail(person: string, { type, count, detail, sentAt, outcome }: NoticeMail): void {
    this.run(sql`INSERT INTO notice_mails (person_id, type, count, detail, sent_at, outcome)
      VALUES (${person}, ${type}, ${count}, ${detail}, ${sentAt}, ${outcome})`)
  }

  /** Returns the latest mails to the person, newest first. */
  listMails(person: string): NoticeMail[] {
    return this.rows<NoticeMail>(sql`SELECT type, count, detail, sent_at AS sentAt, outcome FROM notice_mails
      WHERE person_id = ${person} ORDER BY id DESC LIMIT ${MOST_LISTED}`)
  }

  deleteOld(now: number): void {
    this.run(sql`DELETE FROM notice_mails WHERE sent_at < ${now - MAILS_KEPT_MS}`)
  }
}

/** If the clock went back, the wait starts again from there. */
const dueTime = ({ since, mailedAt }: WaitingRow, now: number): number =>
  mailedAt === null ? since : Math.max(since, Math.min(mailedAt, now) + QUIET_MS)
