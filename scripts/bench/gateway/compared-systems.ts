// The gateway benchmark's chat cases and the systems that it compares. All call one model emulator, each in its own process.
import type { OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { PolicyDocument } from '../../../src/policies/document/policy-document.ts'
import { bundleWorker } from '../../workerd/build-bundle.ts'
import type { Binding } from '../../workerd/workerd-config.ts'
import { startWorkerd, type RunningWorkerd } from '../../workerd/start-workerd.ts'
import { issueGatewayKeys, startService } from '../../workerd/start-service.ts'
import { makeCall, cycle, type Call } from '../send-load.ts'
import type { BenchmarkCase, MeasuredSystem } from '../measure-cases.ts'
import type { Checkout } from '../other-checkout.ts'
import type { EmulatorProcess } from './emulator-process.ts'
import { startOtherGateway, type OtherGateway } from './other-gateways.ts'

export type ChatCase = {
  readonly name: string
  readonly connections: number
  /** The emulator's behaviour. */
  readonly behaviour: string
  readonly promptBytes: number
  /** The number of text pieces in the stream; null if the answer comes in one piece. */
  readonly events: number | null
}

const KIB = 1024
const inOnePiece = { promptBytes: 400, events: null } as const
const streamOf = (events: number, gapMs: number) => ({
  promptBytes: 400,
  events,
  behaviour: `stream,${events},${gapMs}`,
})

export const CHAT_CASES: readonly ChatCase[] = [
  { name: 'json, instant, c1', connections: 1, behaviour: 'ok', ...inOnePiece },
  { name: 'json, instant, c16', connections: 16, behaviour: 'ok', ...inOnePiece },
  { name: 'json, 20 ms, c1', connections: 1, behaviour: 'slow,20', ...inOnePiece },
  { name: 'json, 20 ms, c16', connections: 16, behaviour: 'slow,20', ...inOnePiece },
  { name: 'json, instant, 32 KiB prompt, c16', connections: 16, behaviour: 'ok', ...inOnePiece, promptBytes: 32 * KIB },
  { name: 'stream, 20 at once, c16', connections: 16, ...streamOf(20, 0) },
  { name: 'stream, 200 at once, c16', connections: 16, ...streamOf(200, 0) },
  { name: 'stream, 20 every 5 ms, c1', connections: 1, ...streamOf(20, 5) },
  { name: 'stream, 200 every 5 ms, c16', connections: 16, ...streamOf(200, 5) },
]

const CHAT_PATH = '/v1/chat/completions'

/** `whole`: what an answer in one piece has. `last`: what a stream ends with. `event`: what each of its texts has. */
type CallFormat = { path: string; whole: readonly string[]; last: string; event: string }

const CHAT: CallFormat = {
  path: CHAT_PATH,
  whole: ['"object":"chat.completion"', '"finish_reason":"stop"'],
  last: 'data: [DONE]\n\n',
  event: 'data: {',
}
const MESSAGES: CallFormat = {
  path: '/v1/messages',
  whole: ['"type":"message"', '"stop_reason":"end_turn"'],
  last: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  event: '"type":"text_delta"',
}

const PLENTY = 1_000_000

/** A policy with every rule. Each call is checked by all of them and passes. */
const EVERY_POLICY: PolicyDocument = {
  model_allowlist: {
    models: ['gpt-4.1-mini', 'claude-haiku-4-5', 'gemini-3.8-flash', 'sonar-pro'],
    by_use_case: { 'triage-notes': ['sonar-pro'] },
  },
  content_type_guard: { allow: ['text', 'tools'], max_body_bytes: PLENTY, max_text_characters: PLENTY, max_tools: 16 },
  use_case_guard: { allow: ['triage-notes', 'discharge-letters'] },
  pii_scan: { default: 'redact' },
  prompt_injection_guard: { action: 'block' },
  human_approval: { when: [{ use_cases: ['discharge-letters'] }], expires_seconds: 3600, approvals_required: 1 },
  budget_guard: { month_eur: PLENTY, day_eur: PLENTY, key_month_eur: PLENTY, key_day_eur: PLENTY },
  rate_limit: { requests_per_minute: PLENTY, key_requests_per_minute: PLENTY, key_requests_per_day: PLENTY },
  loop_guard: { repeats: 4, window_seconds: 120, cycle_rounds: 4 },
}

export type StartedServer = Pick<RunningWorkerd, 'pid' | 'port' | 'stop'>

/** A system that calls are sent to. Every right answer contains `mark`. `headers`: those of each call, besides its key. */
type System = {
  name: string
  format?: CallFormat
  server: Pick<RunningWorkerd, 'pid' | 'port'>
  nextKey: () => string
  headers?: OutgoingHttpHeaders
  mark: string
}

type Options = {
  folder: string
  upstream: EmulatorProcess
  organisations: number
  withPolicies: boolean
  /** Also the gateway with the same calls as Messages. */
  withMessages: boolean
  /** Another checkout of this project, whose gateway is compared too. */
  against: Checkout | null
  /** Gateways of others. */
  beside: readonly OtherGateway[]
}

/** Starts all systems. Passes each server to `onStart` as soon as it runs, so that the caller can always stop it. */
export async function startSystems(options: Options, onStart: (server: StartedServer) => void): Promise<System[]> {
  const { folder, upstream, organisations, withPolicies, withMessages, against, beside } = options
  const systems: System[] = []
  const add = (system: System & { server: StartedServer }): void => {
    onStart(system.server)
    systems.push(system)
  }
  const addBaseline = async (name: string, { worker, mode, className }: Baseline): Promise<void> => {
    const place = join(folder, mode)
    const bundle = await bundleWorker(join(place, 'worker'), `scripts/bench/${worker}.ts`)
    const bindings: Binding[] = [
      { kind: 'text', name: 'MODE', value: mode },
      { kind: 'text', name: 'UPSTREAM', value: `${upstream.openAi}${CHAT_PATH}` },
      { kind: 'text', name: 'UPSTREAM_KEY', value: upstream.key },
      { kind: 'json', name: 'OBJECTS', value: organisations },
      { kind: 'durable_object', name: 'OBJECT', className },
    ]
    const server = await startWorkerd(place, { bundle, bindings }, null)
    add({ name, server, nextKey: () => '', mark: '' })
  }
  const addGateway = async (name: string, how: GatewayOptions = {}, format = CHAT): Promise<void> => {
    const { server, keys } = await startGateway({ ...options, folder: join(folder, name) }, how)
    add({ name, server, nextKey: cycle(keys), mark: '"status":"passed"', format })
  }
  for (const [name, baseline] of Object.entries(BASELINES)) await addBaseline(name, baseline)
  await addGateway('gateway')
  if (withPolicies) await addGateway('every policy', { policy: EVERY_POLICY })
  if (withMessages) await addGateway('messages', {}, MESSAGES)
  if (against !== null) await addGateway('against', { checkout: against })
  for (const other of beside) {
    const server = await startOtherGateway(other, upstream, join(folder, other.name))
    const [key, headers] = [other.product.key(upstream), other.product.headers(upstream)]
    add({ name: other.name, server, nextKey: () => key, headers, mark: '' })
  }
  return systems
}

type Baseline = { worker: string; mode: string; className: string }

const BASELINES: Readonly<Record<string, Baseline>> = {
  'read and enqueue': { worker: 'baseline-worker', mode: 'enqueue', className: 'RowWriter' },
  floor: { worker: 'baseline-worker', mode: 'floor', className: 'RowWriter' },
  necessary: { worker: 'necessary-worker', mode: 'necessary', className: 'EntryWriter' },
}

/** `checkout`: whose code builds and starts the service; this one's by default. */
type GatewayOptions = {
  policy?: PolicyDocument
  checkout?: Pick<Checkout, 'startService' | 'issueGatewayKeys'>
}

/** Starts the service with the emulator instead of OpenAI, and a key for each organisation. No run reaches their limits. */
async function startGateway(
  { folder, upstream, organisations }: Pick<Options, 'folder' | 'upstream' | 'organisations'>,
  { policy, checkout = { startService, issueGatewayKeys } }: GatewayOptions,
): Promise<{ server: RunningWorkerd; keys: string[] }> {
  const vars = { OPENAI_BASE_URL: upstream.openAi, OPENAI_API_KEY: upstream.key }
  const { server, target } = await checkout.startService(folder, { vars })
  try {
    return { server, keys: await checkout.issueGatewayKeys(target, organisations, policy) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Returns the case for each system. Only streams are compared with the Worker that reads and enqueues. */
export const caseOf = (chatCase: ChatCase, systems: readonly System[], upstream: EmulatorProcess): BenchmarkCase => ({
  name: chatCase.name,
  connections: chatCase.connections,
  prepare: () => upstream.behave(chatCase.behaviour),
  systems: systems
    .filter(({ name }) => name !== 'read and enqueue' || chatCase.events !== null)
    .map((system): MeasuredSystem => ({
      name: system.name,
      server: system.server,
      nextCall: callsOf(chatCase, system),
    })),
})

function callsOf(chatCase: ChatCase, { nextKey, headers, mark, format = CHAT }: System): () => Call {
  const nextBody = chatBodies(chatCase)
  const isRight = (answer: string): boolean => isWhole(answer, chatCase, format) && answer.includes(mark)
  return () => {
    const call = makeCall(nextKey(), format.path, nextBody(), isRight)
    return { ...call, headers: { ...call.headers, ...headers } }
  }
}

const FILLER = 'A referral letter that nobody wrote, about a knee that nobody has. '

/** Returns a function that makes a different body each time, because the gateway blocks repeated requests as a loop. */
function chatBodies({ promptBytes, events }: ChatCase): () => string {
  const filler = FILLER.repeat(Math.ceil(promptBytes / FILLER.length)).slice(0, promptBytes)
  return () =>
    JSON.stringify({
      model: 'gpt-4.1-mini',
      messages: [
        { role: 'system', content: 'Answer in one sentence.' },
        { role: 'user', content: `Question ${crypto.randomUUID()}. ${filler}` },
      ],
      temperature: 0.2,
      max_tokens: 512,
      ...(events === null ? {} : { stream: true }),
    })
}

function isWhole(answer: string, { events }: ChatCase, { whole, last, event }: CallFormat): boolean {
  if (events === null) return whole.every((part) => answer.includes(part))
  return answer.endsWith(last) && answer.split(event).length > events
}
