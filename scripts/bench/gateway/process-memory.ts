// Measures what the memory of a whole process is made of, after the same load on the gateway and on the minimal Workers.
import { join } from 'node:path'
import { plainTable } from '../benchmark-report.ts'
import { residentBytes } from '../process-stats.ts'
import { sendLoad } from '../send-load.ts'
import { openHeapInspector } from './heap-inspector.ts'
import type { EmulatorProcess } from './emulator-process.ts'
import { caseOf, CHAT_CASES, startSystems, type StartedServer } from './compared-systems.ts'

const MIB = 1024 * 1024
const LOAD_CASE = 'json, instant, c16'
const LOADS = { calls: 5_000, durationMs: 1_000 }
const HEADING = [
  'MiB after a load',
  'calls',
  'process',
  'program',
  'heap of the Worker',
  'in use',
  'heap of the storage',
  'the rest',
]

/** Returns the report. Only the gateway has an inspector, which tells of its heaps. */
export async function measureProcesses(folder: string, upstream: EmulatorProcess): Promise<string> {
  const servers: StartedServer[] = []
  const wanted = { folder: join(folder, 'processes'), upstream, organisations: 4, withPolicies: false }
  try {
    const systems = await startSystems({ ...wanted, against: null, beside: [], inspector: '127.0.0.1:0' }, (server) =>
      servers.push(server),
    )
    const rows: string[][] = []
    for (const chatCase of CHAT_CASES.filter(({ name }) => name === LOAD_CASE)) {
      await upstream.behave(chatCase.behaviour)
      for (const { name, server, nextCall } of caseOf(chatCase, systems, upstream).systems) {
        const load = { port: server.port, connections: chatCase.connections, durationMs: LOADS.durationMs, nextCall }
        let calls = 0
        while (calls < LOADS.calls) calls += (await sendLoad(load)).length
        const started = servers.find(({ pid }) => pid === server.pid)
        rows.push([name, String(calls), ...(await partsOf(server.pid, started?.inspectorPort ?? null))])
      }
    }
    return plainTable([HEADING, ...rows])
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function partsOf(pid: number, inspectorPort: number | null): Promise<string[]> {
  const [whole, program] = [residentBytes(pid, 'VmRSS'), residentBytes(pid, 'RssFile')]
  if (inspectorPort === null) return inMib(whole, program)
  const [worker, storage] = [
    await openHeapInspector({ inspectorPort }),
    await openHeapInspector({ inspectorPort }, 'storage'),
  ]
  const [ofWorker, ofStorage] = [await worker.bytesTaken(), await storage.bytesTaken()]
  const parts = inMib(whole, program, ofWorker, await worker.bytesAfterCollection(), ofStorage)
  worker.close()
  storage.close()
  return [...parts, ...inMib(whole - program - ofWorker - ofStorage)]
}

const inMib = (...bytes: number[]): string[] => bytes.map((one) => (one / MIB).toFixed(0))
