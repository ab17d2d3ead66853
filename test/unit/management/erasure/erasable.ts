// Organisations with people in D1, for the tests of erasure: asked over HTTP as people do, and looked at in every store.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { SessionsStore } from '../../../../src/accounts/people/sessions.store.ts'
import type { Role } from '../../../../src/accounts/access/roles.policy.ts'
import { createMailer } from '../../../../src/platform/mail.ts'
import type { DueErasureCounts } from '../../../../src/management/erasure/person-erasure.service.ts'
import { createErasures } from '../../../../src/management/erasure/create-erasures.ts'
import { Journal } from '../../../../src/organisation/journal/journal.ts'
import { organisationOpener } from '../../../../src/organisation/organisation-client.ts'
import { newId, type PersonId } from '../../../../src/platform/ids.ts'
import { addPerson, beginSession } from '../../../support/unit/session.ts'
import { makeTables } from '../../../support/unit/tables.ts'
import { startService, withKey } from '../../../support/unit/service.ts'
import { foundOrganisation, noon, type ChatOrganisation } from '../../organisation/chat-organisation.ts'

export const DAY_MS = 86_400_000
export const ORIGIN = 'http://countersign.test'
/** In every text that people write. */
export const MARK = 'quicksilver-marigold'
export const NAME = `The ${MARK} practice`

export type Person = { id: PersonId; email: string; token: string }

let people = 0

/** A person who has just signed in. */
export async function signedIn(): Promise<Person> {
  await makeTables()
  const now = Date.now()
  const email = `person-${(people += 1)}@${MARK}.example`
  const id = await addPerson({
    email,
    name: `A person called ${MARK}`,
    password: `$scrypt$${MARK}`,
    passwordChangedAt: now,
  })
  await env.DB.prepare(
    'INSERT INTO identities (issuer, subject, person_id, provider, email, linked_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
    .bind('https://issuer.example', id, id, 'invented', email, now)
    .run()
  return { id, email, token: await signIn(id) }
}

export async function signIn(personId: PersonId): Promise<string> {
  return (await beginSession(personId)).token
}

export async function join(organisationId: string, { id }: Pick<Person, 'id'>, role: Role): Promise<void> {
  await env.DB.prepare(
    'INSERT INTO members (organisation_id, person_id, role, joined_at, invited_by, ends_at) VALUES (?, ?, ?, ?, NULL, ?)',
  )
    .bind(organisationId, id, role, Date.now(), role === 'auditor' ? Date.UTC(2100, 0) : null)
    .run()
}

export async function invite(organisationId: string, email: string, invitedBy: string): Promise<void> {
  const now = Date.now()
  await env.DB.prepare(
    `INSERT INTO invitations (id, token_hash, organisation_id, email, email_key, role, invited_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, 'admin', ?, ?, ?)`,
  )
    .bind(
      newId('inv_', now),
      crypto.getRandomValues(new Uint8Array(32)),
      organisationId,
      email,
      email,
      invitedBy,
      now,
      now,
    )
    .run()
}

/** The daily job, so many days after noon. */
export async function dailyJob(days: number): Promise<DueErasureCounts> {
  await makeTables()
  vi.setSystemTime(noon + days * DAY_MS)
  const sessions = new SessionsStore(env.DB)
  const open = organisationOpener(env.ORGANISATIONS, false)
  const mailer = createMailer({ sender: 'none' }, undefined)
  const erasures = createErasures({ db: env.DB, sessions, open, mailer, clock: Date.now })
  return erasures.eraseDuePeople(Date.now())
}

type Body = Record<string, unknown>
type Answer = { status: number; body: Body; headers: Headers }

const service = () => startService()

/** A request as a page of the service's own sends it. */
export async function asPerson(
  { token }: Pick<Person, 'token'>,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await service().fetch(path, {
    method,
    headers: {
      cookie: `__Host-session=${token}`,
      ...(method !== 'GET' && { origin: ORIGIN }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

export async function askFor(key: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const { headers: _, ...rest } = init
  const response = await service().fetch(path, withKey(key, rest))
  return { status: response.status, headers: response.headers, body: await response.json() }
}

export type Erasable = ChatOrganisation & {
  owner: Person
  request(body?: object): Promise<Answer>
  show(): Promise<Answer>
  cancel(): Promise<Answer>
  /** Alarms until none is set. How many there were. */
  wakeUntilDone(): Promise<number>
  objectId(): Promise<string>
  inStorage<T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T>
}

export async function foundErasable(settings: object = {}): Promise<Erasable> {
  const organisation = await foundOrganisation({ tier: 'pro', name: NAME, ...settings })
  const owner = await signedIn()
  await join(organisation.id, owner, 'owner')
  const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
  const path = '/api/settings/erasure'
  const which = { 'x-aqta-organisation': organisation.id }
  return {
    ...organisation,
    owner,
    request: (body = {}) => asPerson(owner, 'POST', path, { name: NAME, ...body }, which),
    show: () => asPerson(owner, 'GET', path, undefined, which),
    cancel: () => asPerson(owner, 'DELETE', path, undefined, which),
    wakeUntilDone: async () => {
      for (let alarms = 0; alarms < 60; alarms += 1) {
        const due = await runInDurableObject(object(), (_, { storage }) => storage.getAlarm())
        // A failed step is tried again in half a minute.
        if (due !== null && due > Date.now() && due <= Date.now() + 60_000) vi.setSystemTime(due)
        if (!(await runDurableObjectAlarm(object()))) return alarms
      }
      throw new Error('the object does not come to rest')
    },
    evict: () => evictDurableObject(object()),
    objectId: async () => object().id.toString(),
    inStorage: (work) => runInDurableObject(object(), (_, { storage }) => work(storage)),
  }
}

/** Entries whose text is marked. The object reads what it holds anew afterwards. */
export async function writeMarked(organisation: Erasable, entries: number, at: number): Promise<void> {
  await organisation.inStorage((storage) =>
    storage.transactionSync(() => {
      const journal = new Journal(storage.sql)
      for (let n = 0; n < entries; n += 1) {
        journal.append({ kind: 'operator_act', content: { text: `${MARK} ${n}` }, retentionDays: 365 }, at)
      }
    }),
  )
  await organisation.evict()
}

/** Objects of R2 that are named as the organisation's sealed ones are, of its ledger and of its content. */
export async function putObjects(organisation: Erasable, count: number): Promise<void> {
  const object = await organisation.objectId()
  for (let from = 0; from < count; from += 100) {
    const names = Array.from({ length: Math.min(100, count - from) }, (_, n) => {
      const kind = n % 4 === 3 ? 'content' : 'ledger'
      return `${kind}/${object}/20000/${from + n}`
    })
    await Promise.all(names.map((name) => env.FILES.put(name, MARK)))
  }
}

/** Every row, value and object that is stored, as text. */
export async function everythingStored(...organisations: Erasable[]): Promise<string> {
  const objects = await Promise.all(organisations.map((one) => one.inStorage(({ sql }) => dumpSql(sql))))
  return [...objects, await dumpD1(), await dumpR2(), await dumpKv()].join('\n')
}

const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`

const asText = (_: string, value: unknown): unknown =>
  value instanceof ArrayBuffer ? new TextDecoder('latin1').decode(value) : value

function dumpSql(sql: SqlStorage): string {
  const tables = sql.exec<{ name: string }>(TABLES).toArray()
  return JSON.stringify(
    tables.map(({ name }) => [name, sql.exec(`SELECT * FROM "${name}"`).toArray()]),
    asText,
  )
}

export async function dumpD1(): Promise<string> {
  const { results } = await env.DB.prepare(TABLES).all<{ name: string }>()
  const rows = results.map(async ({ name }) => [name, (await env.DB.prepare(`SELECT * FROM "${name}"`).all()).results])
  return JSON.stringify(await Promise.all(rows), asText)
}

async function dumpR2(): Promise<string> {
  const { objects } = await env.FILES.list()
  return (
    await Promise.all(objects.map(async ({ key }) => `${key} ${await (await env.FILES.get(key))?.text()}`))
  ).join()
}

async function dumpKv(): Promise<string> {
  const { keys } = await env.DATASETS.list()
  return (await Promise.all(keys.map(async ({ name }) => `${name} ${await env.DATASETS.get(name, 'text')}`))).join()
}
