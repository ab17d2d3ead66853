// An export of audit entries of a long ledger: how long it takes, what it costs, how much memory, how long calls of the same
// organisation wait beside it and beside the trail, and what it takes to check the file.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { openHeap } from '../gateway/heap.ts'
import { startExportService, type ExportService } from '../../soak/export/export-service.ts'
import { cpuMicroseconds } from '../workerd/cpu-time.ts'
import { send, type Call } from '../workerd/load.ts'
import { residentMemory, resetPeak } from '../workerd/memory.ts'
import { plainTable } from '../workerd/report.ts'

const MIB = 1024 * 1024
/** A call is sent so long after the one before was answered. */
const PAUSE_MS = 20
const ALONE_MS = 5_000
/** What a call beside an export may wait, at the 95th percentile. */
const MOST_P95_MS = 20

const DOWNLOAD = 'scripts/bench/oversight/download.ts'
const PATH = '/api/compliance/audit-logs'

const PageSchema = z.object({ next_cursor: z.string().nullable() })
const SigningKeySchema = z.object({ public_key: z.string() })

export async function measureExport(folder: string, entries: number): Promise<boolean> {
  const service = await startExportService(folder)
  try {
    const key = await service.found(entries)
    const calls = refusedCalls(key)
    const alone = await callsUntil(service, calls, wait(ALONE_MS))
    const file = join(folder, 'export.jsonl')
    const { pid } = service.server
    resetPeak(pid)
    const [startedAt, cpuBefore, residentBefore] = [
      performance.now(),
      cpuMicroseconds(pid),
      residentMemory(pid)?.nowBytes,
    ]
    const downloaded = run(DOWNLOAD, [`${service.server.url}${PATH}`, key, file])
    const beside = await callsUntil(service, calls, downloaded)
    const { status } = await downloaded
    const seconds = (performance.now() - startedAt) / 1000
    if (status !== 0) throw new Error('the export failed')
    const cpu = ((cpuMicroseconds(pid) ?? Number.NaN) - (cpuBefore ?? Number.NaN)) / 1e6
    const grown = (residentMemory(pid)?.peakBytes ?? Number.NaN) - (residentBefore ?? Number.NaN)
    const walked = walkTrail(service, key)
    const besideTrail = await callsUntil(service, calls, walked)
    const inUse = await mostInUse(service, key, join(folder, 'again.jsonl'))
    const checked = await verify(service, file)
    const bytes = statSync(file).size
    console.log(
      plainTable([
        ['entries', 'MiB', 'seconds', 'CPU s', 'CPU µs an entry', 'resident, more MiB', 'in use, most MiB'],
        [
          String(entries),
          (bytes / MIB).toFixed(0),
          seconds.toFixed(1),
          cpu.toFixed(1),
          ((cpu * 1e6) / entries).toFixed(1),
          (grown / MIB).toFixed(0),
          (inUse / MIB).toFixed(1),
        ],
      ]),
    )
    console.log(
      `\n${plainTable([['calls', 'number', 'p50 ms', 'p95 ms', 'p99 ms', 'most ms'], rowOf('alone', alone), rowOf('beside the export', beside), rowOf(`beside ${await walked} pages of the trail`, besideTrail)])}`,
    )
    console.log(
      `\ncountersign-verify: ${checked.seconds.toFixed(1)} s, at most ${(checked.peakBytes / MIB).toFixed(0)} MiB resident, ${checked.said}`,
    )
    const p95 = percentile(beside, 0.95)
    const isKept = p95 <= MOST_P95_MS && checked.status === 0
    console.log(
      `\nA call beside the export waits at most ${MOST_P95_MS} ms at p95: ${p95.toFixed(1)}, ${isKept ? 'holds' : 'MISSED'}`,
    )
    return isKept
  } finally {
    await service.server.stop()
  }
}

/** The trail of all calls, of which none matches: how many pages that were. */
async function walkTrail({ server }: ExportService, key: string): Promise<number> {
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`
    const response = await fetch(`${server.url}/api/compliance/audit-trail?use_case=rare${next}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    cursor = PageSchema.parse(await response.json()).next_cursor
  }
  return pages
}

/** Calls that the organisation's object decides and records, and that ask no provider: none is enabled. */
function refusedCalls(key: string): () => Call {
  let n = 0
  return () => {
    const body = JSON.stringify({
      model: 'gpt-4.1-mini',
      messages: [{ role: 'user', content: `Question ${(n += 1)}` }],
    })
    return {
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length },
      body,
      isRight: (answer) => answer.includes('"outcome":"BLOCKED"'),
      otherStatus: 403,
    }
  }
}

/** How long each took, in milliseconds. */
async function callsUntil({ server }: ExportService, nextCall: () => Call, end: Promise<unknown>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const took: number[] = []
  await untilOver(end, async () => {
    const { timing } = await send(agent, server.port, nextCall())
    took.push(timing.elapsedMs)
    await wait(PAUSE_MS)
  })
  agent.destroy()
  return took
}

/** Does it again and again until something else is over. */
async function untilOver(end: Promise<unknown>, work: () => Promise<void>): Promise<void> {
  const state = { isOver: false }
  const over = end.finally(() => {
    state.isOver = true
  })
  while (!state.isOver) await work()
  await over
}

/** Of the isolate of the Worker and its objects, when garbage is collected in the middle of an export. */
async function mostInUse(service: ExportService, key: string, file: string): Promise<number> {
  const heap = await openHeap(service.server)
  let most = 0
  try {
    await untilOver(run(DOWNLOAD, [`${service.server.url}${PATH}`, key, file]), async () => {
      most = Math.max(most, await heap.settled())
      await wait(2_000)
    })
    return most
  } finally {
    heap.close()
  }
}

async function verify({ server }: ExportService, file: string) {
  const answer: unknown = await (await fetch(`${server.url}/v1/attestation/public-key`)).json()
  const startedAt = performance.now()
  const { public_key: key } = SigningKeySchema.parse(answer)
  const { status, said, peakBytes } = await run('scripts/countersign-verify.ts', [file, '--key', key])
  return {
    seconds: (performance.now() - startedAt) / 1000,
    peakBytes,
    status,
    said: said.trim().split('\n').at(-2) ?? '',
  }
}

async function run(script: string, args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let [said, peakBytes] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const looking = setInterval(() => {
    // Of a process that is just ending there is no figure.
    peakBytes = Math.max(peakBytes, residentMemory(child.pid ?? 0)?.peakBytes || 0)
  }, 200)
  await once(child, 'close')
  clearInterval(looking)
  return { status: child.exitCode, said, peakBytes }
}

const percentile = (took: readonly number[], share: number): number =>
  took.toSorted((a, b) => a - b)[Math.ceil(share * took.length) - 1] ?? Number.NaN

const rowOf = (name: string, took: readonly number[]): string[] => [
  name,
  String(took.length),
  ...[0.5, 0.95, 0.99, 1].map((share) => percentile(took, share).toFixed(1)),
]
