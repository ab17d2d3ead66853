// What the largest requests, many streams at once and streams that nobody reads take of memory, each case on a gateway of its own, and whether that is
// within what the gateway may take.
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cycle } from '../service/calls.ts'
import { send, type Call } from '../workerd/load.ts'
import { residentMemory, resetPeak } from '../workerd/memory.ts'
import { plainTable } from '../workerd/report.ts'
import { openHeap } from './heap.ts'
import { startGateway } from './systems.ts'
import { openUnread } from './unread.ts'
import type { Upstream } from './upstream.ts'

const MIB = 1024 * 1024
const BODY_BYTES = 4 * MIB
const PATH = '/v1/chat/completions'
const WARM_UP_CALLS = 300
/** What the one too many is refused with. */
const NO_ROOM = 'Too many large requests'

type MemoryCase = {
  name: string
  /** Whether the answers are read. Those that are not are left when they have been measured. */
  isRead?: boolean
  behaviour: string
  atOnce: number
  body: () => string
  /** When all of them are sure to be waiting for the provider, and none has ended. */
  halfWayMs: number
  /** What they may hold together at that moment. Production gives an isolate 128 MiB. */
  mostHeldMib: number
}

// The provider keeps its answer back, so that all of them wait with what they hold; events come slowly, so that the
// machine keeps up with all streams.
const CASES: readonly MemoryCase[] = [
  {
    name: 'one request of 4 MiB',
    behaviour: 'slow,1500',
    atOnce: 1,
    body: largeBody,
    halfWayMs: 1_000,
    mostHeldMib: 12,
  },
  {
    name: '16 requests of 4 MiB',
    behaviour: 'slow,4000',
    atOnce: 16,
    body: largeBody,
    halfWayMs: 3_000,
    mostHeldMib: 40,
  },
  {
    name: '1,000 streams',
    behaviour: 'stream,20,500',
    atOnce: 1000,
    body: streamBody,
    halfWayMs: 6_000,
    mostHeldMib: 32,
  },
  {
    name: '40 streams that nobody reads',
    isRead: false,
    behaviour: 'huge,50000+chars,16000000', // more than a connection takes in by itself
    atOnce: 40,
    body: streamBody,
    halfWayMs: 10_000,
    mostHeldMib: 40,
  },
]

/** @returns the report, and whether every case was within its bound */
export async function measureMemory(folder: string, upstream: Upstream): Promise<{ text: string; holds: boolean }> {
  const rows: string[][] = []
  let holds = true
  for (const memoryCase of CASES) {
    process.stderr.write(`${memoryCase.name}\n`)
    const { answered, before, held, highest, after, residentGrowth } = await measureCase(folder, upstream, memoryCase)
    const { name, mostHeldMib } = memoryCase
    const isWithin = held - before <= mostHeldMib * MIB
    holds &&= isWithin
    const bound = `${mostHeldMib}: ${isWithin ? 'holds' : 'MISSED'}`
    rows.push([
      name,
      String(answered),
      ...[held, highest, after].map((bytes) => mib(bytes - before)),
      mib(residentGrowth),
      bound,
    ])
  }
  const heading = [
    'MiB over the idle heap',
    'answered',
    'held',
    'highest seen',
    'afterwards',
    'process',
    'held at most',
  ]
  return { text: plainTable([heading, ...rows]), holds }
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(1)

type Measured = {
  answered: number
  before: number
  held: number
  highest: number
  after: number
  residentGrowth: number
}

async function measureCase(
  folder: string,
  upstream: Upstream,
  { name, isRead = true, behaviour, atOnce, body, halfWayMs }: MemoryCase,
): Promise<Measured> {
  const options = { folder: join(folder, name), upstream, organisations: 2 }
  const { server, keys } = await startGateway(options, { inspector: '127.0.0.1:0' })
  // A connection each: between the two rounds the server closes those that idle.
  const agent = new Agent()
  const heap = await openHeap(server)
  try {
    // Of two organisations in turn, since neither has all of the room.
    const nextKey = cycle(keys)
    const callOnce = async (text: string) => await send(agent, server.port, callWith(nextKey(), text))
    const callAll = () => Promise.all(Array.from({ length: atOnce }, body).map(callOnce))
    await upstream.behave('ok')
    for (let i = 0; i < WARM_UP_CALLS; i++) await callOnce(smallBody())
    const before = await heap.settled()
    resetPeak(server.pid)
    const resident = residentMemory(server.pid)?.nowBytes ?? Number.NaN
    await upstream.behave(behaviour)
    if (!isRead) {
      const unread = await openUnread(
        server.port,
        Array.from({ length: atOnce }, () => callWith(nextKey(), body())),
      )
      await sleep(halfWayMs)
      const held = await heap.settled()
      const residentGrowth = (residentMemory(server.pid)?.peakBytes ?? Number.NaN) - resident
      unread.leave()
      await sleep(halfWayMs)
      return { answered: unread.count, before, held, highest: held, after: await heap.settled(), residentGrowth }
    }
    const highest = await heap.highestDuring(callAll)
    const residentGrowth = (residentMemory(server.pid)?.peakBytes ?? Number.NaN) - resident
    const after = await heap.settled()
    const [held, answers] = await Promise.all([sleep(halfWayMs).then(() => heap.settled()), callAll()])
    const answered = answers.filter(({ status }) => status === 200).length
    return { answered, before, held, highest, after, residentGrowth }
  } finally {
    heap.close()
    agent.destroy()
    await server.stop()
  }
}

function callWith(key: string, body: string): Call {
  const isStream = body.includes('"stream":true')
  return {
    method: 'POST',
    path: PATH,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
    body,
    isRight: (answer) =>
      answer.includes(NO_ROOM) ||
      (answer.includes('"status":"passed"') && (!isStream || answer.endsWith('data: [DONE]\n\n'))),
    otherStatus: 503,
  }
}

const chat = (content: unknown, more: object = {}): string =>
  JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content }], ...more })

const question = (): string => `Question ${crypto.randomUUID()}`
const smallBody = (): string => chat(question())

function streamBody(): string {
  return chat(question(), { stream: true })
}

const withImage = (data: string): string =>
  chat([
    { type: 'text', text: question() },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
  ])

/** As large as a body may be: only an image explains one over 1 MiB. */
function largeBody(): string {
  return withImage('A'.repeat(Math.floor((BODY_BYTES - withImage('').length) / 4) * 4))
}
