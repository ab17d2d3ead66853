// Whether an organisation of a million entries can be exported: whole, each entry once, and with no more memory than it takes
// for a small one.
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
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
/** How much more memory the large export may take than the small one. */
const MOST_GROWTH_BYTES = 64 * MIB

type Measured = Counted & { format: Format; entries: number; seconds: number; peakBytes: number; cpuSeconds: number }

async function measure(service: ExportService, key: string, format: Format, size: number): Promise<Measured> {
  const { pid } = service.server
  resetPeak(pid)
  const [startedAt, before] = [performance.now(), cpuMicroseconds(pid)]
  const response = await fetch(`${service.server.url}/api/settings/export?format=${format}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  if (response.status !== 200 || response.body === null) throw new Error(await response.text())
  const counted = await readLines(createInterface({ input: Readable.fromWeb(response.body) }), format)
  const cpu = ((cpuMicroseconds(pid) ?? Number.NaN) - (before ?? Number.NaN)) / 1e6
  const seconds = (performance.now() - startedAt) / 1000
  const peakBytes = residentMemory(pid)?.peakBytes ?? Number.NaN
  return { ...counted, format, entries: size, seconds, peakBytes, cpuSeconds: cpu }
}

/** The founding, the issuing of its key, and the exports so far have an entry each. */
const isWhole = ({ audit, receipts, isComplete, entries: size }: Measured, exports: number): boolean =>
  isComplete && audit === size + 2 + exports && receipts === size / 2

function report(measured: readonly Measured[]): void {
  const rows = measured.map((one) => [
    one.format,
    String(one.entries),
    String(one.audit),
    String(one.receipts),
    one.seconds.toFixed(1),
    one.cpuSeconds.toFixed(1),
    (one.peakBytes / MIB).toFixed(0),
  ])
  const titles = ['format', 'entries', 'in the file', 'records', 'seconds', 'CPU seconds', 'peak MiB']
  console.log(plainTable([titles, ...rows]))
}

function judge(measured: readonly Measured[]): boolean {
  const small = Math.max(...measured.filter((one) => one.entries === SMALL).map(({ peakBytes }) => peakBytes))
  const large = Math.max(...measured.filter((one) => one.entries !== SMALL).map(({ peakBytes }) => peakBytes))
  const growth = large - small
  const verdict = Number.isNaN(growth)
    ? 'not measurable on this system'
    : growth <= MOST_GROWTH_BYTES
      ? 'holds'
      : 'MISSED'
  console.log(
    `\nAt most ${MOST_GROWTH_BYTES / MIB} MiB more than a small one: ${(growth / MIB).toFixed(0)} MiB, ${verdict}`,
  )
  return !(growth > MOST_GROWTH_BYTES)
}

async function soak(folder: string): Promise<void> {
  process.stderr.write('Building and starting the service\n')
  const service = await startExportService(folder)
  try {
    const small = await service.found(SMALL)
    const large = await service.found(entries)
    const measured: Measured[] = []
    let areWhole = true
    // The first is the isolate's first, too.
    for (const [round, format] of (['json', 'json', 'csv'] as const).entries()) {
      for (const [key, size] of [[small, SMALL] as const, [large, entries] as const]) {
        process.stderr.write(`${format} of ${size} entries\n`)
        const one = await measure(service, key, format, size)
        areWhole &&= isWhole(one, round + 1)
        if (round > 0) measured.push(one)
      }
    }
    report(measured)
    console.log(`\nEvery entry once and in order, and each says that it is whole: ${areWhole ? 'holds' : 'MISSED'}`)
    if (!judge(measured) || !areWhole) process.exitCode = 1
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
