// An organisation that uses the gateway, spoken to as the Worker does: one call to its object.
import { createHash } from 'node:crypto'
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { UnsignedRecord } from '../../../src/evidence/records/attestation-record.ts'
import { parseKey, type ParsedKey } from '../../../src/keys/key-format.ts'
import type { FoundEntry } from '../../../src/organisation/journal/archive.ts'
import type { AdmissionWithoutModel } from '../../../src/organisation/admit/check-call.ts'
import type { ChatAdmission } from '../../../src/organisation/admit/admission-outcomes.ts'
import { Journal } from '../../../src/organisation/journal/journal.ts'
import { loadMemory, SETTINGS_CHANGED } from '../../../src/organisation/journal/load-state.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import type { RouteFacts } from '../../../src/organisation/admit/choose-routes.ts'
import type { ChatFacts } from '../../../src/organisation/admit/record-chat.ts'
import type { RequestedOutput } from '../../../src/policies/budget.policy.ts'
import type { DataRegion } from '../../../src/platform/data-region.ts'
import type { ClaimAndCacheUpdate } from '../../../src/organisation/admit/answer-reuse.ts'
import { toNamedSettings, type VersionedSettings } from '../../../src/policies/organisation-settings.ts'
import type { ChatSettled, ChatSettlement } from '../../../src/organisation/admit/settle-chat.ts'
import type { State } from '../../../src/organisation/journal/state/organisation-state.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { PLAIN_TEXT } from '../../fixtures/plain-text.ts'
import { contentOf, type DetailsRow } from '../../support/entry-content.ts'
import { startService, type Service } from '../../support/unit/service.ts'

/** A year whose alarms never go off by themselves while the tests run. */
export const noon = Date.UTC(2091, 2, 15, 12)

export type ChatKey = ParsedKey & { id: string }

export type ChatOrganisation = {
  id: string
  service: Service
  issueKey(body?: object): Promise<ChatKey>
  set(settings: object): Promise<unknown>
  admit(key: ChatKey, facts?: FactsChange): Promise<ChatAdmission>
  admitInvalid(key: ChatKey): Promise<AdmissionWithoutModel>
  describe(key: ChatKey): Promise<AdmissionWithoutModel>
  settle(
    position: number,
    costMicroeur: number,
    more?: Partial<ChatSettlement>,
    after?: ClaimAndCacheUpdate,
  ): Promise<ChatSettled>
  noteCost(position: number, microeur: number): Promise<void>
  evict(): Promise<void>
  runAlarm(): Promise<boolean>
  alarmAt(): Promise<number | null>
  find(position: number): Promise<FoundEntry>
  query<T extends Record<string, SqlStorageValue>>(statement: string): Promise<T[]>
  /** Returns the state that its rows add up to. Throws if the object has another one in memory. */
  state(): Promise<State>
  /** Returns the entries whose retention is not over, oldest first, without the operator's acts and counts. */
  entries(): Promise<Record<string, unknown>[]>
  /** The operator's. */
  acts(): Promise<Record<string, unknown>[]>
  hourCounts(): Promise<Record<string, unknown>[]>
  /** The outcomes of the calls that left no entry, oldest first. */
  calls(): Promise<string[]>
}

/** In the records of these tests, which nobody signs. */
export const PUBLIC_KEY = 'A'.repeat(43)

/** The hash in settlements of calls that these tests did not admit themselves. */
export const NO_FACTS = '0'.repeat(64)

let requests = 0

/** Changes of a request’s facts, and of those of its only route. */
export type FactsChange = Partial<
  Omit<ChatFacts, 'output' | 'dataRegion'> &
    Omit<RouteFacts, 'dataRegion'> & { output: RequestedOutput; dataRegion: DataRegion | null }
>

/** Facts of a request that differs from all others. */
export function factsOf(key: ChatKey, more: FactsChange = {}): ChatFacts {
  const n = (requests += 1)
  const { endpoint = 'openai', provider = 'openai', upFrontMicroeur = 0, inputMicroeur = 0, output, ...others } = more
  const { microeurPerMillion = 0, ...limits } = output ?? { tokens: null, most: 0, choices: 1 }
  const { model = 'gpt-4.1-mini', costEffective = true } = more
  const route = {
    model,
    costEffective,
    endpoint,
    provider,
    dataRegion: 'any',
    upFrontMicroeur,
    inputMicroeur,
    microeurPerMillion,
  } as const
  return {
    keyId: key.keyId,
    secretHash: key.secretHash,
    organisationId: key.organisationId,
    requestId: `req_${n}`,
    publicKey: PUBLIC_KEY,
    model: 'gpt-4.1-mini',
    routes: [route],
    unfitRoutes: [],
    dataRegion: null,
    costEffective: true,
    requestHash: hashOf(`request ${n}`),
    loopHash: hashOf(`messages ${n}`),
    stream: false,
    content: PLAIN_TEXT,
    output: limits,
    useCase: null,
    cohort: null,
    scan: null,
    route: 'createChatCompletion',
    idempotencyKeyHash: null,
    approval: null,
    temperature: null,
    insteadOf: null,
    hasDropped: false,
    ...others,
  }
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export async function foundOrganisation(settings: object = {}): Promise<ChatOrganisation> {
  const service = startService()
  const { id } = await service.operate<{ id: string }>('POST', '/organisations', {
    name: 'A test practice',
    enabled_providers: ['openai', 'anthropic', 'google', 'perplexity'],
    ...settings,
  })
  const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))
  /** The decisions by position, as the Worker has them for a settlement. */
  const decided = new Map<number, Pick<ChatSettlement, 'factsSha256' | 'retentionDays'>>()

  const query = <T extends Record<string, SqlStorageValue>>(statement: string): Promise<T[]> =>
    runInDurableObject(object(), (_, { storage: { sql } }) => sql.exec<T>(statement).toArray())

  const contentsOf = (condition: string) =>
    query<DetailsRow<ArrayBuffer>>(
      `SELECT kind, entry, facts FROM entries WHERE length(entry) > 0 AND ${condition} ORDER BY position`,
    ).then((rows) => rows.map(contentOf))

  return {
    id,
    service,
    async issueKey(body = {}) {
      const created = await service.createKey({ prefix: 'aqta_', ...body }, id)
      const parsed = parseKey(created.key, readConfig(env).peppers)
      if (parsed === null) throw new Error('the issued key does not parse')
      return { ...parsed, id: created.id }
    },
    set: (change) => service.operate('PATCH', `/organisations/${id}`, change),
    admit: async (key, facts) => {
      const admission: ChatAdmission = await object().admitChat(factsOf(key, facts))
      if ('record' in admission) decided.set(admission.position, admission)
      return admission
    },
    admitInvalid: async (key) => object().admitWithoutModel('invalid', key),
    describe: async (key) => object().admitWithoutModel('models', key),
    settle: async (position, costMicroeur, more = {}, after) => {
      const settlement = {
        position,
        factsSha256: decided.get(position)?.factsSha256 ?? NO_FACTS,
        retentionDays: decided.get(position)?.retentionDays ?? 7,
        ended: 'completed' as const,
        costMicroeur,
        usage: null,
        estimated: false,
        upstreamMs: 20,
        finishReason: 'stop',
        errorCause: null,
        ...more,
      }
      return object().settleChat(settlement, after)
    },
    noteCost: async (position, microeur) => object().noteChatCost(position, microeur),
    evict: () => evictDurableObject(object()),
    runAlarm: () => runDurableObjectAlarm(object()),
    find: async (position) => object().log.findEntry(position),
    alarmAt: () => runInDurableObject(object(), (_, { storage }) => storage.getAlarm()),
    query,
    state: () =>
      runInDurableObject(object(), async (instance: Organisation, { storage }) => {
        const { differences: differing } = await instance.log.checkState()
        if (differing.length > 0) throw new Error(`what is held is not what was written: ${differing.join(', ')}`)
        return loadMemory(storage.sql).state
      }),
    entries: () => contentsOf("kind NOT IN ('operator_act', 'hour_counts', 'usage_closed')"),
    acts: () => contentsOf("kind = 'operator_act'"),
    hourCounts: () => contentsOf("kind = 'hour_counts'"),
    calls: async () =>
      (await query<{ outcome: string }>('SELECT outcome FROM calls ORDER BY before, n')).map(({ outcome }) => outcome),
  }
}

/** Writes an act that changes the settings as no operator may change them, as an older object may have them. */
export async function writeSettings(organisation: ChatOrganisation, change: Partial<VersionedSettings>): Promise<void> {
  const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const journal = new Journal(sql)
    const settings = { ...journal.state.settings, ...change }
    const content = { ...toNamedSettings(settings), version: settings.version }
    journal.append({ kind: 'operator_act', content, fields: { outcome: SETTINGS_CHANGED } }, Date.now())
  })
  await organisation.evict()
}

/** How many of each outcome. */
export function countOutcomes(answers: readonly { outcome: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of answers) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** The record of a decision. Throws if none was made. */
export function recordOf(admission: ChatAdmission): UnsignedRecord {
  if (!('record' in admission)) throw new Error(`not recorded: ${admission.outcome}`)
  return admission.record
}

export const idOf = (admission: ChatAdmission): string => recordOf(admission).attestation_id

/** The position of an admitted request. Throws for any other outcome. */
export function positionOf(admission: ChatAdmission): number {
  if (admission.outcome !== 'admitted') throw new Error(`not admitted: ${admission.outcome}`)
  return admission.position
}
