// npm run bench -- neighbours: measures how long one caller's costly calls make the calls of others wait, in one process of workerd.
// docs/performance.md explains the numbers.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../command-line.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { issueGatewayKeys, startService, type RunningService } from '../workerd/start-service.ts'
import { plainTable, verdict } from './benchmark-report.ts'
import { chatCall, postInPieces, requestsUntil, streamsUntil } from './neighbours/callers.ts'
import { startReadyProvider } from './neighbours/ready-provider.ts'
import { cpuOf } from './process-stats.ts'
import { createAgent, makeCall, send, type Call } from './send-load.ts'
import { median, percentile } from './statistics.ts'

const HELP = `Usage: npm run bench -- neighbours [options]

Measures the wait of other calls beside one caller's costly calls: answers and bodies whose pieces
are always there, and scans of a million characters.

  --quick   a tenth of the events, bytes and characters, and a third of the time

Example:
  npm run bench -- neighbours --quick

Exit codes: 0 the targets are met, 1 one is missed, 2 wrong command line.`

/** How much longer than alone other calls may wait beside streams. */
const MOST_MEDIAN_MS = 150
const MOST_P99_MS = 500
const MOST_LATE_MS = 1000
const MOST_BODY_CPU_MS = 100

const KEEP_ALIVE_MS = 1000
const PAUSE_MS = 20
const BODIES = 5
/** A message has at most a million characters. Each also has an id of its own. */
const SCANNED_CHARACTERS = 999_900

/** Costly calls, which are repeated until the time is over. */
type Work = { name: string; isStreams: boolean; run: () => Promise<unknown> }

export const benchNeighbours = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: { quick: { type: 'boolean', default: false } },
    async run({ values: { quick } }) {
      process.stderr.write('Building and starting\n')
      const provider = await startReadyProvider()
      const service = await startService(join(await makeTemporaryFolder(), 'service'), {
        vars: {
          OPENAI_BASE_URL: provider.url,
          OPENAI_API_KEY: 'bench',
          GOOGLE_BASE_URL: provider.url,
          GOOGLE_API_KEY: 'bench',
          CALLER_KEEP_ALIVE_MS: String(KEEP_ALIVE_MS),
        },
      })
      try {
        return (await measure(service, quick)) ? 0 : 1
      } finally {
        // First: the service does not end while a provider keeps it waiting.
        provider.close()
        await service.server.stop()
      }
    },
  })

/** Measures all, and prints a table and verdicts. Returns true if every target is met. */
async function measure({ server, target }: RunningService, isQuick: boolean): Promise<boolean> {
  const [key = '', neighbourKey = ''] = await issueGatewayKeys(target, 2, undefined, ['openai', 'google'])
  const [scannedKey = ''] = await issueGatewayKeys(target, 1, {
    pii_scan: { default: 'redact' },
    prompt_injection_guard: { action: 'block' },
  })
  const { port, pid } = server
  const agent = createAgent()
  const leastMs = isQuick ? 3_000 : 10_000
  const many = (count: number): number => (isQuick ? count / 10 : count)
  const three = (make: () => Call) => () => Promise.all([1, 2, 3].map(() => send(agent, port, make())))
  const streams = (name: string, model: string, content: string): Work => ({
    name: `three streams, ${name}`,
    isStreams: true,
    run: three(() => chatCall(key, content, { model, stream: true })),
  })
  const scan = (unit: string): Work => ({
    name: `a scan of ${JSON.stringify(unit)}`,
    isStreams: false,
    run: () => send(agent, port, chatCall(scannedKey, unit.repeat(many(SCANNED_CHARACTERS) / unit.length))),
  })
  const body = () => postInPieces(port, key, many(40_000))
  const works: readonly Work[] = [
    { name: 'alone', isStreams: false, run: () => sleep(PAUSE_MS) },
    streams('an event a piece', 'gpt-4.1-mini', `ready,${many(40_000)},1`),
    streams('100 events a piece', 'gpt-4.1-mini', `ready,${many(200_000)},100`),
    streams('translated', 'gemini-3.8-flash', `ready,${many(20_000)},1`),
    {
      name: 'three whole answers in pieces',
      isStreams: false,
      run: three(() => chatCall(key, `pieces,${many(40_000)}`)),
    },
    { name: 'a body in pieces', isStreams: false, run: body },
    scan('(01)'),
    scan('one two three '),
  ]
  const measured: Array<Work & Waits> = []
  for (const work of works) {
    process.stderr.write(`${work.name}\n`)
    measured.push({ ...work, ...(await waitsBeside(work, { port, key: neighbourKey }, leastMs)) })
  }
  const bodiesMs: number[] = []
  for (let sent = 0; sent < BODIES; sent += 1) bodiesMs.push((await cpuOf(pid, body)) / 1000)
  agent.destroy()
  console.log(plainTable([TITLES, ...measured.map((one) => [one.name, ...cellsOf(one)])]))
  const verdicts = [
    ...verdictsOf(measured),
    verdict('CPU of a body in pieces', median(bodiesMs), MOST_BODY_CPU_MS, ' ms', 0),
  ]
  console.log(`\n${verdicts.map(({ line }) => line).join('\n')}`)
  return verdicts.every(({ holds }) => holds)
}

/** Milliseconds. `firstText`, `gap`: of paced streams. `late`: of the comments of a silent stream. */
type Waits = { health: number[]; chat: number[]; firstText: number[]; gap: number[]; late: number[] }

type Neighbour = { port: number; key: string }

/** Measures the waits of other calls while `work` is repeated for at least a time. */
async function waitsBeside({ run }: Work, { port, key }: Neighbour, leastMs: number): Promise<Waits> {
  let isOver = false
  const until = (): boolean => isOver
  const health = () => makeCall(key, '/healthz', null, () => true)
  const chat = () => chatCall(key, 'hello')
  const paced = () => chatCall(key, 'paced,60,20', { stream: true })
  const silent = () => chatCall(key, 'silent', { stream: true })
  const working = async (): Promise<void> => {
    try {
      const startedAt = performance.now()
      do await run()
      while (performance.now() - startedAt < leastMs)
    } finally {
      isOver = true
    }
  }
  const [healths, chats, texts, comments] = await Promise.all([
    requestsUntil(until, port, health, PAUSE_MS),
    requestsUntil(until, port, chat, PAUSE_MS),
    streamsUntil(until, port, paced, 'word '),
    streamsUntil(until, port, silent, ''),
    working(),
  ])
  return {
    health: healths,
    chat: chats,
    firstText: texts.map(({ firstMs }) => firstMs),
    gap: texts.flatMap(({ gapsMs }) => gapsMs),
    late: comments.flatMap(({ gapsMs }) => gapsMs).map((gapMs) => gapMs - KEEP_ALIVE_MS),
  }
}

const TITLES = ['ms: p50, p99, max', '/healthz', 'a chat', 'first text', 'longest gap', 'comment late']

const p99 = (times: readonly number[]): number => percentile(times, 0.99)

const spread = (times: readonly number[]): string =>
  [median(times), p99(times), Math.max(...times)].map((ms) => ms.toFixed(0)).join(', ')

const longest = (times: readonly number[]): string => (times.length === 0 ? '' : Math.max(...times).toFixed(0))

const cellsOf = ({ health, chat, firstText, gap, late }: Waits): string[] => [
  spread(health),
  spread(chat),
  longest(firstText),
  longest(gap),
  longest(late),
]

type Verdict = ReturnType<typeof verdict>

const verdictsOf = (measured: ReadonlyArray<Work & Waits>): Verdict[] =>
  measured.flatMap((one) => (one.isStreams && measured[0] !== undefined ? judge(one, measured[0]) : []))

/** Judges the waits beside streams. A silent stream must have had its comment. */
function judge({ name, health, chat, late }: Work & Waits, alone: Waits): Verdict[] {
  const judgeMore = (what: string, beside: readonly number[], without: readonly number[]): Verdict[] => [
    verdict(`${name}: ${what}, median over alone`, median(beside) - median(without), MOST_MEDIAN_MS, ' ms', 0),
    verdict(`${name}: ${what}, p99 over alone`, p99(beside) - p99(without), MOST_P99_MS, ' ms', 0),
  ]
  const latest = late.length === 0 ? Infinity : Math.max(...late)
  return judgeMore('/healthz', health, alone.health).concat(
    judgeMore('a chat', chat, alone.chat),
    verdict(`${name}: latest comment`, latest, MOST_LATE_MS, ' ms', 0),
  )
}
