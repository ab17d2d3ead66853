// Whether an organisation of a million entries can be exported: whole, each entry once, and with no more memory than it takes
// for a small one.
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { openHeap } from '../bench/gateway/heap.ts'
import { runMeasurement } from '../bench/run-measurement.ts'
import { cpuMicroseconds } from '../bench/workerd/cpu-time.ts'
import { residentMemory, resetPeak } from '../bench/workerd/memory.ts'
import { plainTable } from '../bench/workerd/report.ts'
import { readLines, type Counted, type Format } from './export/read-lines.ts'
import { startExportService, type ExportService } from './export/export-service.ts'

const HELP = `npm run soak -- export [options]

  --entries N   how many entries the organisation has (1000000)
  --help        this text`

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    help: { type: 'boolean', short: 'h' },
  },
})

const entries = Number(options.entries)
const isRunnable = Number.isInteger(entries) && entries >= 10_000 && entries <= 10_000_000

const SMALL = 2000
const MIB = 1024 * 1024
/** The isolate may have this much more in use while the large export is made than while the small one is. */
const MOST_GROWTH_BYTES = 16 * MIB
/** So often it is looked while one is made. */
const LOOKS = 8

type Organisation = { key: string; entries: number; exports: number }

type Measured = Counted & {
  format: Format
  entries: number
  seconds: number
  cpuSeconds: number
  /** Resident memory at its highest, garbage included. */
  peakBytes: number
}

async function download(
  service: ExportService,
  organisation: Organisation,
  format: Format,
  look?: () => Promise<void>,
) {
  const { key, entries: size } = organisation
  process.stderr.write(`${format} of ${size} entries\n`)
  const response = await fetch(`${service.server.url}/api/settings/export?format=${format}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  if (response.status !== 200 || response.body === null) throw new Error(await response.text())
  const lines = createInterface({ input: Readable.fromWeb(response.body) })
  const counted = await readLines(lines, format, { every: Math.floor(size / LOOKS), look })
  organisation.exports += 1
  // The founding, the issuing of its key, and each export have an entry.
  const isWhole = counted.audit === size + 2 + organisation.exports && counted.receipts === size / 2
  if (!counted.isComplete || !isWhole) throw new Error(`not whole: ${JSON.stringify(counted)}`)
  return counted
}

async function measure(service: ExportService, organisation: Organisation, format: Format): Promise<Measured> {
  const { pid } = service.server
  resetPeak(pid)
  const [startedAt, before] = [performance.now(), cpuMicroseconds(pid)]
  const counted = await download(service, organisation, format)
  const cpuSeconds = ((cpuMicroseconds(pid) ?? Number.NaN) - (before ?? Number.NaN)) / 1e6
  const seconds = (performance.now() - startedAt) / 1000
  const peakBytes = residentMemory(pid)?.peakBytes ?? Number.NaN
  return { ...counted, format, entries: organisation.entries, seconds, cpuSeconds, peakBytes }
}

/** The most that the isolate of the Worker and its objects has in use, in bytes, of the looks while an export is made. */
async function measureInUse(service: ExportService, organisation: Organisation, format: Format): Promise<number> {
  const heap = await openHeap(service.server)
  let most = 0
  try {
    await download(service, organisation, format, async () => {
      most = Math.max(most, await heap.settled())
    })
  } finally {
    heap.close()
  }
  return most
}

/** @param inUse of each that was measured */
function report(measured: readonly Measured[], inUse: readonly number[]): boolean {
  const table = measured.map((row, at) => [
    row.format,
    String(row.entries),
    row.seconds.toFixed(1),
    row.cpuSeconds.toFixed(1),
    ((inUse[at] ?? Number.NaN) / MIB).toFixed(1),
    (row.peakBytes / MIB).toFixed(0),
  ])
  const titles = ['format', 'entries', 'seconds', 'CPU seconds', 'MiB in use', 'peak resident MiB']
  console.log(plainTable([titles, ...table]))
  const mostOf = (size: number): number => Math.max(...inUse.filter((_, at) => measured[at]?.entries === size))
  const growth = mostOf(entries) - mostOf(SMALL)
  const isKept = growth <= MOST_GROWTH_BYTES
  console.log(
    `\nEvery entry once and in order, and each export says that it is whole: holds\n` +
      `At most ${MOST_GROWTH_BYTES / MIB} MiB more in use than for a small one: ${(growth / MIB).toFixed(1)}, ${isKept ? 'holds' : 'MISSED'}`,
  )
  return isKept
}

async function soak(folder: string): Promise<void> {
  process.stderr.write('Building and starting the service\n')
  const service = await startExportService(folder)
  try {
    const small = { key: await service.found(SMALL), entries: SMALL, exports: 0 }
    const large = { key: await service.found(entries), entries, exports: 0 }
    await download(service, small, 'json')
    const plan = (['json', 'csv'] as const).flatMap((format) =>
      [small, large].map((organisation) => ({ format, organisation })),
    )
    const measured: Measured[] = []
    for (const { format, organisation } of plan) measured.push(await measure(service, organisation, format))
    // Apart from the others, since looking takes memory of its own.
    const inUse: number[] = []
    for (const { format, organisation } of plan) inUse.push(await measureInUse(service, organisation, format))
    if (!report(measured, inUse)) process.exitCode = 1
  } finally {
    await service.server.stop()
  }
}

await runMeasurement({
  help: HELP,
  isHelpWanted: options.help === true,
  refusal: isRunnable ? null : 'Entries are a whole number from 10,000 to 10,000,000.',
  run: soak,
})
