// The counted service on workerd, with the model emulator in the providers' place, and what is asked of it over HTTP.
import { Agent } from 'node:http'
import { z } from 'zod'
import { startEmulator } from '../../emulator/server.ts'
import { emulatedProviders } from '../../local/emulated-providers.ts'
import { callOperator } from '../../operator/client.ts'
import { readableLetters } from '../../soak/reading-letters.ts'
import { cycle } from '../service/calls.ts'
import { startService } from '../service/start-service.ts'
import { send, type Call } from '../workerd/load.ts'
import type { Server } from '../workerd/server.ts'
import { CONTROL, CountedSchema, type Counted, type LogWork, type Repeated } from './counts.ts'

export type CountedService = {
  server: Server
  /** One call of this kind, its answer checked. */
  ask: Readonly<Record<Kind, () => Promise<void>>>
  /** What was counted since the last time. */
  takeCounts: () => Promise<Counted>
  pass: (milliseconds: number) => Promise<void>
  repeat: (kind: Repeated, times: number) => Promise<void>
  work: (kind: LogWork, times: number) => Promise<void>
  evict: () => Promise<void>
  stop: () => Promise<void>
}

export const KINDS = ['chat', 'refused chat', 'list of models', 'reading', 'sandbox reading', 'settings'] as const
export type Kind = (typeof KINDS)[number]

/** A key of readings may be used sixty times a minute. */
const READING_KEYS = 20

/** `vars`: further settings of the Worker. */
export async function startCountedService(folder: string, vars: Record<string, string> = {}): Promise<CountedService> {
  const emulator = await startEmulator()
  const worker = 'scripts/bench/ledger/counted-worker.ts'
  const { server, target } = await startService(folder, {
    vars: { ...emulatedProviders(emulator.url), ...vars },
    worker,
  })
  const agent = new Agent({ keepAlive: true })
  const stop = async (): Promise<void> => {
    agent.destroy()
    await server.stop()
    await emulator.close()
  }
  const control = async (path: string, query: Record<string, string> = {}): Promise<Response> => {
    const response = await fetch(`${server.url}${path}?${new URLSearchParams(query).toString()}`, { method: 'POST' })
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`)
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
    const chatKey = await issue('aqta_')
    const issueForReadings = async (prefix: string): Promise<() => string> => {
      const keys: string[] = []
      for (let n = 0; n < READING_KEYS; n++) keys.push(await issue(prefix))
      return cycle(keys)
    }
    const [nextKey, nextSandboxKey] = [await issueForReadings('vk_live_'), await issueForReadings('vk_test_')]
    const nextLetter = cycle(readableLetters())
    let changes = 0
    return {
      server,
      ask: {
        chat: () => ask(chatCall(chatKey, 'gpt-4.1-mini', 200)),
        'refused chat': () => ask(chatCall(chatKey, 'claude-haiku-4-5', 403)),
        'list of models': () => ask(callOf('GET', '/v1/models', chatKey, undefined, '"object":"list"')),
        reading: () => ask(readingCall(nextKey(), nextLetter(), '"sandbox":false')),
        'sandbox reading': () => ask(readingCall(nextSandboxKey(), nextLetter(), '"sandbox":true')),
        settings: async () => {
          const wanted = { requests_per_minute: LIMITS.requests_per_minute - (++changes % 2) }
          await operate(IdSchema, 'PATCH', `/organisations/${id}`, wanted)
        },
      },
      takeCounts: async () => CountedSchema.parse(await (await control(CONTROL.counts)).json()),
      pass: async (milliseconds) => void (await control(CONTROL.pass, { ms: String(milliseconds) })),
      repeat: async (kind, times) => void (await control(CONTROL.repeat, { kind, times: String(times) })),
      work: async (kind, times) => void (await control(CONTROL.work, { kind, times: String(times) })),
      evict: async () => void (await control(CONTROL.evict)),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const LIMITS = { requests_per_minute: 30_000, requests_per_month: 1_000_000_000 }

const IdSchema = z.object({ id: z.string() })
const KeySchema = z.object({ key: z.string() })

function callOf(method: 'GET' | 'POST', path: string, key: string, body: object | undefined, mark: string): Call {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const content = text === undefined ? {} : { body: text }
  return { method, path, headers, ...content, isRight: (answer) => answer.includes(mark) }
}

function chatCall(key: string, model: string, status: 200 | 403): Call {
  const messages = [{ role: 'user', content: `Question ${crypto.randomUUID()}` }]
  const mark = status === 200 ? '"status":"passed"' : 'model_not_allowed'
  return { ...callOf('POST', '/v1/chat/completions', key, { model, messages }, mark), otherStatus: status }
}

const readingCall = (key: string, text: string, mark: string): Call =>
  callOf('POST', '/v1/referral/read', key, { text }, mark)
