// npm start -- --demo: creates an organisation with invented calls, and stores its secrets in a file. The service's own
// routes create it, its people and its keys. Its object's own turns record the calls (worker/simulate-year.ts). No provider is
// called.
import { sizeOf } from './worker/year-table.ts'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { CreatedInvitationSchema } from '../../../src/accounts/members/members.schema.ts'
import { OrganisationSchema } from '../../../src/accounts/organisation.schema.ts'
import { CreatedKeySchema } from '../../../src/keys/key.schema.ts'
import { DAY_MS } from '../../../src/platform/time.ts'
import type { DemoTarget } from '../local-organisations.ts'
import { acceptInvitation, newCredentials, signIn, type Credentials } from '../sign-up-people.ts'
import { callOperator } from '../../operator/operator-client.ts'
import {
  ApprovedCallSchema,
  BEGIN_PATH,
  CLOCK_PATH,
  DAY_PATH,
  DayFilledSchema,
  END_PATH,
  KEY_NAMES,
  KEYS_PATH,
  FillYearRequestSchema,
  KeyChangeSchema,
  type KeyName,
  type FillYearRequest,
} from './fill-year-protocol.ts'

const CredentialsSchema = z.object({ email: z.string(), password: z.string() })

export const FilledYearSchema = z.object({
  organisationId: z.string(),
  owner: CredentialsSchema,
  /** A second person, who may decide about the owner's calls. */
  approver: CredentialsSchema,
  /** An API key with the scope `chat`. */
  chatKey: z.string(),
  /** An API key with the scope `manage`. */
  key: z.string(),
  days: z.int(),
  decisions: z.int(),
  approved: ApprovedCallSchema,
})

export type FilledYear = z.infer<typeof FilledYearSchema>

const EndSchema = z.object({ approved: ApprovedCallSchema })

export type YearSize = Pick<FillYearRequest, 'days' | 'callsADay'>

/** “Samplach” is Irish for sample. */
const ORGANISATION = 'Ospidéal Samplach (invented data)'

const KEYS: Readonly<Record<KeyName, string>> = {
  triage: 'Triage desk',
  letters: 'Discharge letters',
  portal: 'Patient portal',
  coding: 'Clinical coding',
}

const HOUR_MS = 3_600_000

/** The hospital makes new keys for its programs halfway, or this many days before the last one. */
const KEYS_RENEWED_BEFORE_DAYS = 180
/** The old and the new key of a program both work for this long. */
const BOTH_KEYS_DAYS = 14
const KEY_LIFE_DAYS = 365

/** Fills the days. @param onProgress receives a line of progress */
export async function fillYear(
  target: DemoTarget,
  size: YearSize,
  onProgress: (line: string) => void,
): Promise<FilledYear> {
  const begins = Math.floor(Date.now() / DAY_MS) * DAY_MS - (size.days - 1) * DAY_MS
  const renewal = Math.max(1, Math.floor(size.days / 2), size.days - KEYS_RENEWED_BEFORE_DAYS)
  const year = { begins, ...size }
  // The log's time never goes back: with a head of today it signs none of an invented day.
  await open(target, '/v1/public/transparency/sth')
  const { order, ...people } = await atTime(target, begins - HOUR_MS, () => createHospital(target, year, renewal))
  await open(target, BEGIN_PATH, order)
  const decisions = await fillDays(target, order, onProgress, async (day) => {
    if (day === renewal) await renewKeys(target, people.owner, begins + day * DAY_MS)
  })
  const { approved } = EndSchema.parse(await open(target, END_PATH, null))
  const cookie = await signIn(target, people.owner)
  const keys = await makeKeysOfToday(target, cookie)
  await post(target, cookie, '/api/compliance/report', {})
  return { ...people, ...keys, organisationId: order.organisationId, days: size.days, decisions, approved }
}

/** Runs `work` while the Worker's clock shows another time. */
async function atTime<Result>(target: DemoTarget, time: number, work: () => Promise<Result>): Promise<Result> {
  await open(target, CLOCK_PATH, time)
  const result = await work()
  await open(target, CLOCK_PATH, null)
  return result
}

const isoTime = (time: number): string => new Date(time).toISOString()

/** Above the policy's budgets in a year of the usual size. */
const MONTHLY_BUDGET_EUR = 15

async function createHospital(target: DemoTarget, year: YearSize & { begins: number }, renewal: number) {
  const { id } = await callOperator(target, OrganisationSchema(), 'POST', '/organisations', {
    name: ORGANISATION,
    demo: true,
    tier: 'healthcare',
    enabled_providers: ['openai', 'anthropic', 'google'],
    monthly_budget_eur: Math.round(MONTHLY_BUDGET_EUR * sizeOf(year.callsADay)),
    retention_days: 730,
  })
  const [owner, clinician, officer] = await Promise.all([
    joinOrganisation(target, id, 'owner', 'Aoife Samplach'),
    joinOrganisation(target, id, 'clinician', 'Cian Samplach'),
    joinOrganisation(target, id, 'admin', 'Orla Samplach'),
  ])
  const expiry = { expires_at: isoTime(year.begins + (renewal + BOTH_KEYS_DAYS) * DAY_MS) }
  const keys = await makeProgramKeys(target, owner.cookie, (name) => name, expiry)
  const approvers = [
    { id: clinician.id, role: 'clinician' },
    { id: officer.id, role: 'admin' },
  ]
  const named = { organisationId: id, keys, owner: owner.id, approvers }
  const people = { owner: owner.credentials, approver: clinician.credentials }
  return { order: FillYearRequestSchema.parse({ ...year, ...named }), ...people }
}

/** Makes new keys for the hospital's programs, which use them from then on. */
async function renewKeys(target: DemoTarget, owner: Credentials, from: number): Promise<void> {
  const expiry = { expires_at: isoTime(from + KEY_LIFE_DAYS * DAY_MS) }
  const keys = await atTime(target, from, async () =>
    makeProgramKeys(target, await signIn(target, owner), (name) => `${name} 2`, expiry),
  )
  await open(target, KEYS_PATH, KeyChangeSchema.parse({ from, keys }))
}

/** Makes a key for each of the hospital's programs. Returns their ids. */
async function makeProgramKeys(
  target: DemoTarget,
  cookie: string,
  nameOf: (name: string) => string,
  expiry: object,
): Promise<Record<string, string>> {
  const make = (name: KeyName) => makeKey(target, cookie, { name: nameOf(KEYS[name]), ...expiry })
  const ids = await Promise.all(KEY_NAMES.map(async (name) => [name, (await make(name)).id] as const))
  return Object.fromEntries(ids)
}

/** Makes the keys whose secrets are printed. */
async function makeKeysOfToday(target: DemoTarget, cookie: string): Promise<{ key: string; chatKey: string }> {
  const expiry = { expires_at: isoTime(Date.now() + KEY_LIFE_DAYS * DAY_MS) }
  const [{ key }, { key: chatKey }] = await Promise.all([
    makeKey(target, cookie, { name: 'Reports', scopes: ['manage'], ...expiry }),
    makeKey(target, cookie, { name: 'Try it', ...expiry }),
  ])
  return { key, chatKey }
}

type Joined = { id: string; cookie: string; credentials: Credentials }

async function joinOrganisation(
  target: DemoTarget,
  organisationId: string,
  role: string,
  name: string,
): Promise<Joined> {
  const credentials = newCredentials(role)
  const path = `/organisations/${organisationId}/invitations`
  await callOperator(target, CreatedInvitationSchema(), 'POST', path, { email: credentials.email, role })
  return { ...(await acceptInvitation(target, target.mailbox, credentials, name)), credentials }
}

const makeKey = async (target: DemoTarget, cookie: string, wanted: object) =>
  CreatedKeySchema().parse(await post(target, cookie, '/api/keys', wanted))

/** Sends a change as the person who has signed in. Throws if the service refuses. */
async function post({ url, origin }: DemoTarget, cookie: string, path: string, body: object): Promise<unknown> {
  const headers = { origin, cookie, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

const WaitingSchema = z.object({ data: z.array(z.object({ expires_at: z.string() })) })

/** The requests that wait for a person after a start with --demo. */
const WAITING = ['a cough that has lasted three weeks', 'a swollen left ankle after a fall', 'palpitations at rest']

/** Sends calls that need an approval until at least three wait that do not expire soon. Throws if the keys of the year do not work any more. */
export async function ensureWaiting(url: string, state: string, { key, chatKey }: FilledYear): Promise<void> {
  const pending = await fetch(`${url}/api/approvals?state=pending`, { headers: { authorization: `Bearer ${key}` } })
  if (!pending.ok)
    throw new Error(`The keys of the demo do not work any more. Delete ${fileIn(state)} to fill another one.`)
  // One that expires soon may have ended by the time that somebody looks.
  const soon = new Date(Date.now() + HOUR_MS).toISOString()
  const waiting = WaitingSchema.parse(await pending.json()).data.filter((one) => one.expires_at > soon).length
  for (const complaint of WAITING.slice(waiting)) {
    // The same request would not ask again for an approval that it has. Digits could be a PPS number, which is blocked.
    const letter = `Letter ${randomUUID().replaceAll(/[\d-]/g, '')}: draft it to the general practitioner.`
    const content = `${letter} Seen for ${complaint}. Observations normal.`
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${chatKey}`,
        'content-type': 'application/json',
        'x-aqta-use-case': 'discharge-letters',
      },
      body: JSON.stringify({ model: 'claude-sonnet-5', messages: [{ role: 'user', content }] }),
    })
    await answer.body?.cancel()
  }
}

/** Days between two lines of progress. */
const DAYS_A_LINE = 30

/** Returns the number of recorded decisions. */
async function fillDays(
  target: DemoTarget,
  order: FillYearRequest,
  onProgress: (line: string) => void,
  onDay: (day: number) => Promise<void>,
): Promise<number> {
  let all = 0
  for (let day = 0; day < order.days; day += 1) {
    await onDay(day)
    const { decisions, entries } = DayFilledSchema.parse(await open(target, `${DAY_PATH}${day}`, null))
    all += decisions
    if ((day + 1) % DAYS_A_LINE !== 0 && day < order.days - 1) continue
    onProgress(`  ${String(day + 1).padStart(4)} days: ${all} calls, ${entries} log entries`)
  }
  return all
}

/** Calls the Worker that fills the year: by GET without a body, else by POST. Returns its answer. */
async function open({ url }: DemoTarget, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url + path, { method: body === undefined ? 'GET' : 'POST', body: JSON.stringify(body) })
  if (!answer.ok)
    throw new Error(`The demo could not be filled: ${path} was answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

/** The file of the year's secrets. The service shows them only once, so they are stored beside its storage. */
const fileIn = (state: string): string => join(state, 'demo-year.json')

/** Returns the stored year, or null if none was ever completed. */
export function readYear(state: string): FilledYear | null {
  try {
    return FilledYearSchema.parse(JSON.parse(readFileSync(fileIn(state), 'utf8')))
  } catch {
    return null
  }
}

export const writeYear = (state: string, filled: FilledYear): void =>
  writeFileSync(fileIn(state), `${JSON.stringify(filled, null, 2)}\n`, { mode: 0o600 })
