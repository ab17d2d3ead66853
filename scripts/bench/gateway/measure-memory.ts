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
  /** The requests that are sent at once, and the emulator's behaviour for them. */
  atOnce: number
  behaviour: string
  body: () => string
  /** A time, in milliseconds, at which all requests wait for the provider and none has ended. */
  halfWayMs: number
  /** Further streams, open at the same time, that nobody reads. */
  stalled: number
  /** The most that all of them may add to the idle heap at that moment. */
  mostHeldMib: number
}

/** The most that the isolate may hold in any case. Production gives it 128 MiB. */
const MOST_IN_ALL_MIB = 64

// The provider delays its answer, so that all requests wait. Events come slowly, so that the machine keeps up with all streams.
const large = { body: largeBody, stalled: 0 }
const streams = { behaviour: 'stream,20,500', body: streamBody }
const CASES: readonly MemoryCase[] = [
  { name: 'one request of 4 MiB', atOnce: 1, behaviour: 'slow,1500', halfWayMs: 1_000, mostHeldMib: 12, ...large },
  { name: '16 requests of 4 MiB', atOnce: 16, behaviour: 'slow,4000', halfWayMs: 3_000, mostHeldMib: 40, ...large },
  { name: '1,000 streams', atOnce: 1000, halfWayMs: 6_000, stalled: 0, mostHeldMib: 32, ...streams },
  { name: '40 stalled streams', atOnce: 0, halfWayMs: 10_000, stalled: 40, mostHeldMib: 8, ...streams },
  { name: '1,000 and 40 stalled', atOnce: 1000, halfWayMs: 6_000, stalled: 40, mostHeldMib: 40, ...streams },
]

/** An answer that is larger than a connection buffers by itself. */
const STALLED_BEHAVIOUR = 'huge,50000+chars,16000000'

const HEADING = [
  'MiB over the idle heap',
  'answered',
  'idle',
  'held',
  'highest seen',
  'afterwards',
  'process',
  'at most',
]

/** Runs all cases. @returns the report, and whether every case is within its bounds */
export async function measureMemory(
  folder: string,
  upstream: EmulatorProcess,
): Promise<{ text: string; holds: boolean }> {
  const rows: string[][] = []
  let allHold = true
  for (const one of CASES) {
    process.stderr.write(`${one.name}\n`)
    const { answered, before, held, highest, after, residentGrowth } = await measureCase(folder, upstream, one)
    const holds = held - before <= one.mostHeldMib * MIB && held <= MOST_IN_ALL_MIB * MIB
    allHold &&= holds
    const mib = [before, held - before, highest - before, after - before, residentGrowth].map((bytes) =>
      (bytes / MIB).toFixed(1),
    )
    rows.push([one.name, String(answered), ...mib, `${one.mostHeldMib}: ${holds ? 'holds' : 'MISSED'}`])
  }
  const bound = `Idle and held together at most ${MOST_IN_ALL_MIB} MiB.`
  return { text: `${plainTable([HEADING, ...rows])}\n\n${bound}`, holds: allHold }
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
    await upstream.behave('ok')
    for (let n = 0; n < WARM_UP_CALLS; n++) await send(agent, server.port, callOf(nextKey(), chat(question())))
    const before = await heap.bytesAfterCollection()
    resetPeak(server.pid)
    const resident = residentBytes(server.pid, 'VmRSS')
    const measured = await measureHeld(heap, one, upstream, { agent, port: server.port, nextKey })
    return { before, ...measured, residentGrowth: residentBytes(server.pid, 'VmHWM') - resident }
  } finally {
    heap.close()
    agent.destroy()
    await server.stop()
  }
}

type Callers = { agent: Agent; port: number; nextKey: () => string }

/** The same calls are sent twice: a first time for the highest use, which garbage is part of, and then for what is held. */
async function measureHeld(
  heap: HeapInspector,
  { atOnce, behaviour, body, halfWayMs, stalled }: MemoryCase,
  upstream: EmulatorProcess,
  { agent, port, nextKey }: Callers,
): Promise<{ answered: number; held: number; highest: number; after: number }> {
  const callAll = async () => {
    await upstream.behave(behaviour)
    const calls = Array.from({ length: atOnce }, () => callOf(nextKey(), body()))
    return Promise.all(calls.map((call) => send(agent, port, call)))
  }
  const highest = await heap.highestDuring(callAll)
  const after = await heap.bytesAfterCollection()
  const stalledStreams = await openStalled(stalled, upstream, { port, nextKey })
  const [held, answers] = await Promise.all([sleep(halfWayMs).then(() => heap.bytesAfterCollection()), callAll()])
  stalledStreams.destroy()
  const answered = answers.filter(({ status }) => status === 200).length + stalled
  return { answered, held, highest: Math.max(highest, held), after }
}

/** Opens streams that are not read. They end when the returned agent is destroyed. */
async function openStalled(
  count: number,
  upstream: EmulatorProcess,
  { port, nextKey }: Pick<Callers, 'port' | 'nextKey'>,
): Promise<Agent> {
  const agent = new Agent()
  await upstream.behave(STALLED_BEHAVIOUR)
  for (let n = 0; n < count; n++) {
    const answer = await startRequest(agent, port, callOf(nextKey(), streamBody()))
    if (answer.statusCode !== 200) throw new Error(`A stream's answer was ${answer.statusCode}.`)
    // It is cancelled in the end, which is an error here.
    answer.pause().on('error', () => undefined)
  }
  return agent
}

function callOf(key: string, body: string): Call {
  const isStream = body.includes('"stream":true')
  const isRight = (answer: string): boolean =>
    answer.includes(NO_MEMORY_MESSAGE) ||
    (answer.includes('"status":"passed"') && (!isStream || answer.endsWith('data: [DONE]\n\n')))
  return { ...makeCall(key, CHAT_PATH, body, isRight), otherStatus: 503 }
}
