// Starts the service in a Worker that counts its storage work, and calls it over HTTP. The model emulator is the provider.
import * as z from 'zod'
import { EXAMPLES } from '../../example-letters.ts'
import { startEmulator } from '../../emulator/server.ts'
import { emulatedProviders, PREFERRED_ENDPOINTS } from '../../local/emulated-providers.ts'
import { callOperator } from '../../operator/operator-client.ts'
import type { RunningWorkerd } from '../../workerd/start-workerd.ts'
import { startService } from '../../workerd/start-service.ts'
import { createAgent, makeCall, cycle, send, type Call } from '../send-load.ts'
import { CONTROL, StorageCountsSchema, type StorageCounts } from './counted-worker-api.ts'

export const CALL_KINDS = ['chat', 'refused chat', 'list of models', 'reading', 'sandbox reading', 'settings'] as const
export type CallKind = (typeof CALL_KINDS)[number]

export type CountedService = {
  server: RunningWorkerd
  /** Sends one call of the kind and checks its answer. */
  ask: Readonly<Record<CallKind, () => Promise<void>>>
  /** Returns the storage counts since this was last called. */
  takeCounts: () => Promise<StorageCounts>
  /** Moves simulated time forward. Every alarm that is due in that time runs. */
  pass: (milliseconds: number) => Promise<void>
  repeatChats: (times: number, paceMs: number) => Promise<void>
}

/** The number of reading keys. Each may read only sixty letters a minute. */
const READING_KEYS = 20
const LIMITS = { requests_per_minute: 30_000, requests_per_month: 1_000_000_000 }

const IdSchema = z.object({ id: z.string() })
const KeySchema = z.object({ key: z.string() })

/** Starts the counted service, runs `work` with it, and stops it. @param vars further settings of the Worker */
export async function withCountedService<T>(
  folder: string,
  work: (service: CountedService) => Promise<T>,
  vars: Record<string, string> = {},
): Promise<T> {
  const emulator = await startEmulator()
  const { server, target } = await startService(folder, {
    vars: { ...emulatedProviders(emulator.url, PREFERRED_ENDPOINTS), ...vars },
    worker: 'scripts/bench/turns/counted-worker.ts',
  })
  const agent = createAgent()
  const control = async (path: string, query: Record<string, string> = {}): Promise<Response> => {
    const response = await fetch(`${server.url}${path}?${new URLSearchParams(query).toString()}`, { method: 'POST' })
    if (!response.ok) throw new Error(`${path} answered ${response.status}.`)
    return response
  }
  const ask = async (call: Call): Promise<void> => void (await send(agent, server.port, call))
  const operate = <Schema extends z.ZodType>(schema: Schema, method: 'POST' | 'PATCH', path: string, body: object) =>
    callOperator(target, schema, method, path, body)

  try {
    const organisation = { name: 'Bench', tier: 'enterprise', enabled_providers: ['openai'], ...LIMITS }
    const { id } = await operate(IdSchema, 'POST', '/organisations', organisation)
    const issue = async (prefix: string): Promise<string> =>
      (await operate(KeySchema, 'POST', `/organisations/${id}/keys`, { prefix, name: 'Bench' })).key
    const issueForReadings = async (prefix: string): Promise<() => string> => {
      const keys: string[] = []
      for (let n = 0; n < READING_KEYS; n++) keys.push(await issue(prefix))
      return cycle(keys)
    }
    const chatKey = await issue('aqta_')
    const [nextKey, nextSandboxKey] = [await issueForReadings('vk_live_'), await issueForReadings('vk_test_')]
    const nextExample = cycle(EXAMPLES.list.filter(({ expected }) => expected.status === 200))
    const reading = (key: string, mark: string): Call =>
      makeCall(key, '/v1/referral/read', JSON.stringify({ text: nextExample().text }), containsMark(mark))
    let changes = 0
    return await work({
      server,
      ask: {
        chat: () => ask(chatCall(chatKey, 'gpt-4.1-mini', '"status":"passed"')),
        'refused chat': () => ask({ ...chatCall(chatKey, 'claude-haiku-4-5', 'model_not_allowed'), otherStatus: 403 }),
        'list of models': () => ask(makeCall(chatKey, '/v1/models', null, containsMark('"object":"list"'))),
        reading: () => ask(reading(nextKey(), '"sandbox":false')),
        'sandbox reading': () => ask(reading(nextSandboxKey(), '"sandbox":true')),
        settings: async () => {
          const wanted = { requests_per_minute: LIMITS.requests_per_minute - (++changes % 2) }
          await operate(IdSchema, 'PATCH', `/organisations/${id}`, wanted)
        },
      },
      takeCounts: async () => StorageCountsSchema.parse(await (await control(CONTROL.counts)).json()),
      pass: async (milliseconds) => void (await control(CONTROL.pass, { ms: String(milliseconds) })),
      repeatChats: async (times, paceMs) =>
        void (await control(CONTROL.repeat, { times: String(times), pace: String(paceMs) })),
    })
  } finally {
    agent.destroy()
    await server.stop()
    await emulator.close()
  }
}

const containsMark =
  (mark: string): Call['isRight'] =>
  (answer) =>
    answer.includes(mark)

function chatCall(key: string, model: string, mark: string): Call {
  const messages = [{ role: 'user', content: `Question ${crypto.randomUUID()}` }]
  return makeCall(key, '/v1/chat/completions', JSON.stringify({ model, messages }), containsMark(mark))
}
