// A deployed gateway with the model emulator in the place of the providers, and what its tests keep asking of both.
import * as z from 'zod'
import type { AttestationRecord } from '../../../src/evidence/records/attestation-record.ts'
import { startEmulator, type Emulator } from '../../../scripts/emulator/server.ts'
import { deploy, type Deployment } from './deployment.ts'
import { findModel } from '../../../src/providers/model-catalogue.ts'
import { PROVIDER_IDS } from '../../../src/providers/provider-registry.ts'
import { EACH_PROVIDER } from '../../fixtures/providers/index.ts'
import { until } from '../until.ts'

/** The model of each provider that models prefer, and its endpoint, which the emulator names its behaviours by. */
export const MODEL_OF_EACH = EACH_PROVIDER.flatMap(([provider, { model }]) =>
  findModel(model.id)?.provider === provider ? [[provider, model.id, model.endpoint] as const] : [],
)

/** The smallest picture that all of them read. */
export const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export type GatewayKey = { key: string; id: string; organisationId: string }

export type Gateway = {
  service: Deployment
  emulator: Emulator
  /** A key of a new organisation: every provider enabled, on the tier Pro. */
  createKey(organisation?: object, key?: object): Promise<GatewayKey>
  /** Posts a chat completion, or this text in its place; the answer is checked against the OpenAPI document. */
  chat(key: string | null, body: unknown, more?: { headers?: Record<string, string>; text?: string }): Promise<Response>
  /** Puts a policy in force, by a key that may manage its organisation. */
  putPolicy(key: GatewayKey, document: object): Promise<void>
  /** Returns the record of a decision, which an error has only the id of. */
  record(key: GatewayKey, attestationId: string | undefined): Promise<AttestationRecord>
  /** Returns the public key of the records' signatures. */
  publicKey(): Promise<string>
  /** The organisation's settlements, oldest first, once there are as many as asked for. */
  settlements(organisationId: string, count?: number): Promise<Settlement[]>
}

/** A gateway of the caller's own, which the caller closes. */
export type StartedGateway = Gateway & { close(): Promise<void> }

let shared: Promise<Gateway> | undefined

/**
 * Returns the gateway that the tests of this process share, with default settings and the sample waiting lists. Resets its emulator. It stops
 * when the process exits.
 */
export async function sharedGateway(): Promise<Gateway> {
  shared ??= startGateway({}, { sample: true })
  const gateway = await shared.catch((thrown: unknown) => {
    shared = undefined
    throw thrown
  })
  gateway.emulator.reset()
  return gateway
}

/** `sample`: with the invented waiting lists. */
export async function startGateway(
  vars: Record<string, string> = {},
  { sample = false } = {},
): Promise<StartedGateway> {
  const emulator = await startEmulator({ record: true })
  const service = await deploy({ sample, emulator, vars })

  async function createKey(organisation: object = {}, key: object = {}): Promise<GatewayKey> {
    const { id: organisationId } = await service.operate<{ id: string }>('POST', '/organisations', {
      name: 'A test practice',
      tier: 'pro',
      enabled_providers: PROVIDER_IDS,
      ...organisation,
    })
    const created = await service.operate<{ key: string; id: string }>(
      'POST',
      `/organisations/${organisationId}/keys`,
      { prefix: 'aqta_', name: 'A test key', ...key },
    )
    return { ...created, organisationId }
  }

  return {
    service,
    emulator,
    createKey,
    chat: (key, body, { headers = {}, text = JSON.stringify(body) } = {}) => {
      const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
      return service.fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization, ...headers },
        body: text,
      })
    },
    async putPolicy({ key }, document) {
      const response = await service.fetch('/api/policies', {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(document),
      })
      if (!response.ok) throw new Error(`the policy was not taken: ${await response.text()}`)
    },
    async record({ key }, attestationId) {
      const headers = { authorization: `Bearer ${key}` }
      const response = await service.fetch(`/v1/attestations/${attestationId}`, { headers })
      return (await response.json()) as AttestationRecord
    },
    async publicKey() {
      const published = await service.fetch('/v1/attestation/public-key')
      return ((await published.json()) as { public_key: string }).public_key
    },
    settlements: (organisationId, count = 1) => settlementsOf(service, organisationId, count),
    close: async () => {
      await service.close()
      await emulator.close()
    },
  }
}

export const SettlementSchema = z.object({
  settles: z.int(),
  ended: z.string(),
  cost_microeur: z.int(),
  estimated: z.boolean(),
  usage: z.record(z.string(), z.int()).nullable(),
  finish_reason: z.string().nullable(),
  error_cause: z.string().nullable(),
  served_model: z.string().optional(),
  model: z.string().optional(),
  route: z.string().optional(),
  host: z.string().optional(),
  places: z.array(z.string()).optional(),
  catalogue: z.string().optional(),
  attempts: z
    .array(z.object({ route: z.string(), cause: z.string().nullable(), billed: z.enum(['no', 'maybe']) }))
    .optional(),
})

export type Settlement = z.infer<typeof SettlementSchema>

/** Settlements are written beside the answer, so they are asked for until they are there. */
async function settlementsOf(service: Deployment, organisationId: string, count: number): Promise<Settlement[]> {
  const read = async () =>
    (await service.ledger(organisationId)).flatMap((entry) => SettlementSchema.safeParse(entry).data ?? [])
  return until(`the ledger has ${count} settlement(s)`, read, (settled) => settled.length >= count)
}

/** Resolves when `count` of the calls are answered. The others may still wait. */
export function answered(count: number, calls: readonly Promise<unknown>[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let left = count
  for (const call of calls) call.then(() => (left -= 1) > 0 || resolve(), reject)
  return promise
}

/** The emulator's signatures of thoughts and calls in a request, decoded: `thought 000002.0`, `call 000001-0-0`. */
export function signedIn(body: string): string[] {
  const found = body.matchAll(/"(?:signature|data|thoughtSignature)":"([^"]+)"/g)
  return [...found].map(([, signature = '']) => atob(signature).replace(/^emulator /, ''))
}

let asked = 0

/** A request that no test has sent before: the same one sent often would be taken for a loop. */
export function ask(model: string, more: object = {}): { model: string; messages: object[] } & Record<string, unknown> {
  asked += 1
  return { model, messages: [{ role: 'user', content: `Question ${asked}` }], ...more }
}

export type Chunk = {
  id: string
  object: string
  created: number
  model: string
  choices: {
    index: number
    delta: { role?: string; content?: string; refusal?: string; tool_calls?: ToolCallDelta[] }
    finish_reason: string | null
  }[]
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null
  aqta?: Aqta
  error?: { code: string; type: string; aqta?: ErrorAqta }
}

type ToolCallDelta = { index: number; id?: string; function?: { name?: string; arguments?: string } }

export type Aqta = {
  trace_id: string
  cost_eur: number
  cost_estimated?: true
  provider: string | null
  status: string
  cached: boolean
  loop_detected: boolean
  served_model?: string
  model_differs?: true
  attestation: AttestationRecord
}

/** `aqta` of an error. */
export type ErrorAqta = Omit<Aqta, 'attestation'> & { attestation_id: string }

export type Events = { chunks: Chunk[]; done: boolean; text: string }

/** The events of a stream, its text put together, and whether it ended with the closing mark. */
export async function readEvents(response: Response): Promise<Events> {
  return parseEvents(await response.text())
}

export function parseEvents(body: string): Events {
  const data = body
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice('data: '.length))
  const chunks = data.filter((line) => line !== '[DONE]').map((line) => JSON.parse(line) as Chunk)
  const text = chunks.map((chunk) => chunk.choices?.map(({ delta }) => delta.content ?? '').join('') ?? '').join('')
  return { chunks, done: data.at(-1) === '[DONE]', text }
}
