// Measures the gateway's memory: with the largest requests, with many streams, and with streams that nobody reads. Each case has
// its own gateway, and a bound that it must not exceed.
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRequest, makeCall, cycle, send, type Call } from '../send-load.ts'
import { residentBytes, resetPeak } from '../process-stats.ts'
import { plainTable } from '../benchmark-report.ts'
import { openHeapInspector, type HeapInspector } from './heap-inspector.ts'
import type { EmulatorProcess } from './emulator-process.ts'
import { CHAT_PATH, startGateway } from './compared-systems.ts'

const MIB = 1024 * 1024
const BODY_BYTES = 4 * MIB
const WARM_UP_CALLS = 300
/** The error message of a request that the gateway has no memory for. */
const NO_MEMORY_MESSAGE = 'Too many large requests'

const chat = (content: unknown, more: object = {}): string =>
  JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content }], ...more })
const question = (): string => `Question ${crypto.randomUUID()}`
const streamBody = (): string => chat(question(), { stream: true })
const withImage = (data: string): string =>
  chat([
    { type: 'text', text: question() },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
  ])
/** Returns the largest allowed body. Only an image may be larger than 1 MiB. */
const largeBody = (): string => withImage('A'.repeat(Math.floor((BODY_BYTES - withImage('').length) / 4) * 4))

type MemoryCase = {
  name: string
  /** False leaves the responses unread until the measurement is done. They are then cancelled. */
  isRead: boolean
  behaviour: string
  atOnce: number
  body: () => string
  /** A time, in milliseconds, at which all requests wait for the provider and none has ended. */
  halfWayMs: number
  /** The most that all of them may add to the idle heap at that moment. Production gives an isolate 128 MiB. */
  mostHeldMib: number
}

type Row = readonly [name: string, atOnce: number, behaviour: string, halfWayMs: number, mostHeldMib: number]

const caseOf = (
  [name, atOnce, behaviour, halfWayMs, mostHeldMib]: Row,
  body: () => string,
  isRead = true,
): MemoryCase => ({
  name,
  isRead,
  behaviour,
  atOnce,
  body,
  halfWayMs,
  mostHeldMib,
})

// The provider delays its answer, so that all requests wait. Events come slowly, so that the machine keeps up with all
// streams. The unread answers are larger than a connection buffers by itself.
const CASES: readonly MemoryCase[] = [
  caseOf(['one request of 4 MiB', 1, 'slow,1500', 1_000, 12], largeBody),
  caseOf(['16 requests of 4 MiB', 16, 'slow,4000', 3_000, 40], largeBody),
  caseOf(['1,000 streams', 1000, 'stream,20,500', 6_000, 32], streamBody),
  caseOf(['40 streams that nobody reads', 40, 'huge,50000+chars,16000000', 10_000, 40], streamBody, false),
]

const HEADING = ['MiB over the idle heap', 'answered', 'held', 'highest seen', 'afterwards', 'process', 'held at most']

/** Runs all cases. @returns the report, and whether every case is within its bound */
export async function measureMemory(
  folder: string,
  upstream: EmulatorProcess,
): Promise<{ text: string; holds: boolean }> {
  const rows: string[][] = []
  let allHold = true
  for (const one of CASES) {
    process.stderr.write(`${one.name}\n`)
    const { answered, before, held, highest, after, residentGrowth } = await measureCase(folder, upstream, one)
    const holds = held - before <= one.mostHeldMib * MIB
    allHold &&= holds
    const mib = [held - before, highest - before, after - before, residentGrowth].map((bytes) =>
      (bytes / MIB).toFixed(1),
    )
    rows.push([one.name, String(answered), ...mib, `${one.mostHeldMib}: ${holds ? 'holds' : 'MISSED'}`])
  }
  return { text: plainTable([HEADING, ...rows]), holds: allHold }
}

async function measureCase(folder: string, upstream: EmulatorProcess, one: MemoryCase) {
  const options = { folder: join(folder, one.name), upstream, organisations: 2 }
  const { server, keys } = await startGateway(options, { inspector: '127.0.0.1:0' })
  // Each request gets its own connection, because the server closes idle ones between the two rounds.
  const agent = new Agent()
  const heap = await openHeapInspector(server)
  try {
    // The two organisations take turns, because one alone does not get all of the memory.
    const nextKey = cycle(keys)
    const nextCall = (): Call => callOf(nextKey(), one.body())
    await upstream.behave('ok')
    for (let n = 0; n < WARM_UP_CALLS; n++) await send(agent, server.port, callOf(nextKey(), chat(question())))
    const before = await heap.bytesAfterCollection()
    resetPeak(server.pid)
    const resident = residentBytes(server.pid, 'VmRSS')
    await upstream.behave(one.behaviour)
    const measure = one.isRead ? measureRead : measureUnread
    const measured = await measure(heap, one, () => nextCall(), { agent, port: server.port })
    return { before, ...measured, residentGrowth: residentBytes(server.pid, 'VmHWM') - resident }
  } finally {
    heap.close()
    agent.destroy()
    await server.stop()
  }
}

type Connection = { agent: Agent; port: number }
type Measured = { answered: number; held: number; highest: number; after: number }

async function measureRead(
  heap: HeapInspector,
  { atOnce, halfWayMs }: MemoryCase,
  nextCall: () => Call,
  { agent, port }: Connection,
): Promise<Measured> {
  const callAll = () => Promise.all(Array.from({ length: atOnce }, nextCall).map((call) => send(agent, port, call)))
  const highest = await heap.highestDuring(callAll)
  const after = await heap.bytesAfterCollection()
  const [held, answers] = await Promise.all([sleep(halfWayMs).then(() => heap.bytesAfterCollection()), callAll()])
  return { answered: answers.filter(({ status }) => status === 200).length, held, highest, after }
}

async function measureUnread(
  heap: HeapInspector,
  { atOnce, halfWayMs }: MemoryCase,
  nextCall: () => Call,
  { port }: Connection,
): Promise<Measured> {
  const agent = new Agent()
  for (let n = 0; n < atOnce; n++) {
    const answer = await startRequest(agent, port, nextCall())
    if (answer.statusCode !== 200) throw new Error(`A stream was answered ${answer.statusCode}.`)
    // The response is cancelled in the end, which is an error here.
    answer.pause().on('error', () => undefined)
  }
  await sleep(halfWayMs)
  const held = await heap.bytesAfterCollection()
  agent.destroy()
  await sleep(halfWayMs)
  return { answered: atOnce, held, highest: held, after: await heap.bytesAfterCollection() }
}

function callOf(key: string, body: string): Call {
  const isStream = body.includes('"stream":true')
  const isRight = (answer: string): boolean =>
    answer.includes(NO_MEMORY_MESSAGE) ||
    (answer.includes('"status":"passed"') && (!isStream || answer.endsWith('data: [DONE]\n\n')))
  return { ...makeCall(key, CHAT_PATH, body, isRight), otherStatus: 503 }
}
