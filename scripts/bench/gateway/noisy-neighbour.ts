// The noisy-neighbour test (--beside-scans): measures how much scans of one organisation's long texts slow down another's calls.
// The calls are timed alone, then while the same isolate scans eight texts of a megabyte at a time.
import { Agent } from 'node:http'
import { issueGatewayKeys, startService, type RunningService } from '../../workerd/start-service.ts'
import { makeCall, send, sendLoad, type Call } from '../send-load.ts'
import { percentile } from '../statistics.ts'
import { measureProcess } from '../process-stats.ts'
import { numberText, plainTable } from '../benchmark-report.ts'
import type { EmulatorProcess } from './emulator-process.ts'
import { CHAT_PATH, chatBodies } from './compared-systems.ts'

const CHARACTERS = 1_000_000
const AT_ONCE = 8
/** The most texts to send. It is below the limit of scans per organisation and minute. */
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

/** Makes texts with different beginnings, because the gateway blocks the same request as a loop if it repeats. */
const TEXTS: Readonly<Record<string, () => string>> = {
  'digits without a break': () => fill(() => String(random(1e9))),
  'groups of seven': () => fill(() => `${1e6 + random(9e6)} `),
  'groups of any length': () => fill(() => `${random(10 ** (1 + random(10)))} `),
  'single digits': () => fill(() => `${random(10)} `),
  'telephone numbers': () => fill(() => `087 ${1e6 + random(9e6)}, `),
}

/** Runs the measurement. @returns the report, and whether both targets are met */
export async function measureNoisyNeighbour(
  folder: string,
  upstream: EmulatorProcess,
  seconds: number,
): Promise<{ text: string; holds: boolean }> {
  const service = await startService(folder, {
    vars: { OPENAI_BASE_URL: upstream.openAi, OPENAI_API_KEY: upstream.key },
  })
  const rows: string[][] = []
  let holds = true
  try {
    for (const [name, text] of Object.entries(TEXTS)) {
      process.stderr.write(`${name}\n`)
      const { alone, beside, sent, cpuMs } = await measure(service, text, seconds)
      const times = [0.5, 0.99].flatMap((share) => [alone, beside].map((one) => percentile(one, share)))
      holds &&= percentile(beside, 0.99) <= MOST_P99_MS && !(cpuMs > MOST_CPU_MS)
      const cells = [numberText(cpuMs, 0), ...times.map((ms) => ms.toFixed(1)), String(beside.length), String(sent)]
      rows.push([name, ...cells])
    }
  } finally {
    await service.server.stop()
  }
  const heading = ['1 MB of', 'scan, CPU ms', 'p50 alone', 'p50 beside', 'p99 alone', 'p99 beside', 'calls', 'scanned']
  const targets = `Targets: a scan at most ${MOST_CPU_MS} ms of CPU a megabyte, p99 beside at most ${MOST_P99_MS} ms`
  return { text: `${plainTable([heading, ...rows])}\n\n${targets}: ${holds ? 'hold' : 'MISSED'}.`, holds }
}

async function measure({ server, target }: RunningService, text: () => string, seconds: number) {
  const [other = ''] = await issueGatewayKeys(target, 1)
  const [scanned = ''] = await issueGatewayKeys(target, 1, { pii_scan: { default: 'redact' } })
  const [reported = ''] = await issueGatewayKeys(target, 1, { pii_scan: { default: 'report' } })
  const nextBody = chatBodies({ promptBytes: 400, events: null })
  const small = { port: server.port, connections: CONNECTIONS, nextCall: () => callOf(other, nextBody()) }
  await sendLoad({ ...small, durationMs: 1000 })
  const cpuMs = await cpuOfScan(server, { reported, other, text })
  const timesNow = async (): Promise<number[]> =>
    (await sendLoad({ ...small, durationMs: seconds * 1000 })).map(({ elapsedMs }) => elapsedMs)
  const alone = await timesNow()
  const flood = startFlood(server.port, scanned, text)
  const beside = await timesNow()
  return { alone, beside, sent: await flood.stop(), cpuMs }
}

/** Returns the additional CPU time of scanning a text, in milliseconds: the least of several rounds. */
async function cpuOfScan(
  { port, pid }: RunningService['server'],
  { reported, other, text }: { reported: string; other: string; text: () => string },
): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const cpuOf = async (key: string): Promise<number> => {
    const call = callOf(key, bodyOf(text()))
    return (await measureProcess(pid, () => send(agent, port, call))).cpu / 1000
  }
  let least = Infinity
  for (let round = 0; round < ROUNDS; round += 1) {
    const without = await cpuOf(other)
    least = Math.min(least, (await cpuOf(reported)) - without)
  }
  agent.destroy()
  return least
}

/** Sends eight requests at once, and eight more when all have an answer. */
function startFlood(port: number, key: string, text: () => string): { stop: () => Promise<number> } {
  // Opens a connection for each request: workerd closes one that was idle for five seconds, and a batch may take longer.
  const agent = new Agent()
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

const callOf = (key: string, body: string): Call =>
  makeCall(key, CHAT_PATH, body, (answer) => answer.includes('"status":"passed"'))
