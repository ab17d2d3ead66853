// Measures how one organisation's long texts slow the others of an isolate: calls of one organisation timed alone, and beside another
// that sends eight megabytes of figures at once, again and again, to be scanned and redacted.
import { Agent } from 'node:http'
import { join } from 'node:path'
import { issueGatewayKeys, startService, type Service } from '../service/start-service.ts'
import { cpuMicroseconds } from '../workerd/cpu-time.ts'
import { send, sendLoad, type Call } from '../workerd/load.ts'
import { plainTable } from '../workerd/report.ts'
import { chatBodies, CASES } from './cases.ts'
import type { Upstream } from './upstream.ts'

const PATH = '/v1/chat/completions'
const CHARACTERS = 1_000_000
const AT_ONCE = 8
/** Fewer than what an organisation may have scanned within a minute. */
const MOST_SENT = 56
const MOST_P99_MS = 100
const MOST_CPU_MS = 200
const CONNECTIONS = 2
const ROUNDS = 5

const random = (most: number): number => Math.floor(Math.random() * most)
const fill = (next: () => string): string => {
  const parts: string[] = []
  for (let length = 0; length < CHARACTERS; length += parts.at(-1)?.length ?? 1) parts.push(next())
  return parts.join('').slice(0, CHARACTERS)
}

/** Each begins with other figures, or the same request again and again would be a loop. */
const TEXTS: Readonly<Record<string, () => string>> = {
  'digits without a break': () => fill(() => String(random(1e9))),
  'groups of seven': () => fill(() => `${1e6 + random(9e6)} `),
  'groups of any length': () => fill(() => `${random(10 ** (1 + random(10)))} `),
  'single digits': () => fill(() => `${random(10)} `),
  'telephone numbers': () => fill(() => `087 ${1e6 + random(9e6)}, `),
}

type Row = { name: string; alone: number[]; beside: number[]; sent: number; cpuMs: number | null }

/** @returns the report, and whether both targets hold */
export async function measureBesideScans(
  folder: string,
  upstream: Upstream,
  seconds: number,
): Promise<{ text: string; holds: boolean }> {
  const vars = { OPENAI_BASE_URL: upstream.openAi, OPENAI_API_KEY: upstream.key }
  const service = await startService(join(folder, 'beside-scans'), { vars })
  try {
    const rows: Row[] = []
    for (const name of Object.keys(TEXTS)) {
      process.stderr.write(`${name}\n`)
      rows.push(await measure(service, name, seconds))
    }
    return report(rows)
  } finally {
    await service.server.stop()
  }
}

async function measure({ server, target }: Service, name: string, seconds: number): Promise<Row> {
  const [other = ''] = await issueGatewayKeys(target, 1)
  const [scanned = ''] = await issueGatewayKeys(target, 1, { pii_scan: { default: 'redact' } })
  const [reported = ''] = await issueGatewayKeys(target, 1, { pii_scan: { default: 'report' } })
  const text = TEXTS[name] ?? (() => '')
  const nextBody = chatBodies(CASES[0] ?? { name: '', connections: 1, behaviour: 'ok', promptBytes: 400, events: null })
  const small = { port: server.port, connections: CONNECTIONS, nextCall: () => callOf(other, nextBody()) }
  await sendLoad({ ...small, durationMs: 1000 })
  const cpuMs = await cpuOfScan(server, { reported, other, text })
  const alone = await sendLoad({ ...small, durationMs: seconds * 1000 })
  const flood = startFlood(server.port, scanned, text)
  const beside = await sendLoad({ ...small, durationMs: seconds * 1000 })
  const sent = await flood.stop()
  const elapsed = (load: typeof alone): number[] => load.timings.map(({ elapsedMs }) => elapsedMs)
  return { name, alone: elapsed(alone), beside: elapsed(beside), sent, cpuMs }
}

/** How much more of the processor a text takes where it is scanned; the least of some rounds. */
async function cpuOfScan(
  { port, pid }: Service['server'],
  { reported, other, text }: { reported: string; other: string; text: () => string },
): Promise<number | null> {
  const agent = new Agent({ keepAlive: true })
  const cpuOf = async (key: string): Promise<number | null> => {
    const call = callOf(key, bodyOf(text()))
    const before = cpuMicroseconds(pid)
    await send(agent, port, call)
    const after = cpuMicroseconds(pid)
    return before === null || after === null ? null : (after - before) / 1000
  }
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const [without, withScan] = [await cpuOf(other), await cpuOf(reported)]
    if (without !== null && withScan !== null) rounds.push(withScan - without)
  }
  agent.destroy()
  return rounds.length === 0 ? null : Math.min(...rounds)
}

/** Sends eight at once, and eight more when all are answered. */
function startFlood(port: number, key: string, text: () => string): { stop: () => Promise<number> } {
  const agent = new Agent({ keepAlive: true })
  const over = new AbortController()
  let sent = 0
  const run = async (): Promise<void> => {
    while (!over.signal.aborted && sent < MOST_SENT) {
      const bodies = Array.from({ length: AT_ONCE }, () => bodyOf(text()))
      await Promise.all(bodies.map((body) => send(agent, port, callOf(key, body))))
      sent += bodies.length
    }
  }
  const running = run()
  return {
    stop: async () => {
      over.abort()
      await running
      agent.destroy()
      return sent
    },
  }
}

const bodyOf = (content: string): string =>
  JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content }], max_tokens: 64 })

const callOf = (key: string, body: string): Call => ({
  method: 'POST',
  path: PATH,
  headers: {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  },
  body,
  isRight: (answer) => answer.includes('"status":"passed"'),
})

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function report(rows: readonly Row[]): { text: string; holds: boolean } {
  const holds = rows.every(
    ({ beside, cpuMs }) => percentile(beside, 0.99) <= MOST_P99_MS && (cpuMs === null || cpuMs <= MOST_CPU_MS),
  )
  const heading = ['1 MB of', 'scan, CPU ms', 'p50 alone', 'p50 beside', 'p99 alone', 'p99 beside', 'calls', 'scanned']
  const cells = rows.map(({ name, alone, beside, sent, cpuMs }) => [
    name,
    cpuMs?.toFixed(0) ?? 'not measurable',
    ...[0.5, 0.99].flatMap((share) => [alone, beside].map((values) => percentile(values, share).toFixed(1))),
    String(beside.length),
    String(sent),
  ])
  const targets = `Targets: a scan at most ${MOST_CPU_MS} ms of CPU a megabyte, p99 beside at most ${MOST_P99_MS} ms`
  return { text: `${plainTable([heading, ...cells])}\n\n${targets}: ${holds ? 'hold' : 'MISSED'}.`, holds }
}
