// What drawing a report costs, of invented ones: pages, bytes as they are and compressed in transit, and CPU, the first time in a
// process and after that: npm run bench -- pdf
import { gzipSync } from 'node:zlib'
import { drawReport } from '../../src/reports/report/drawing/draw-report.ts'
import { SAMPLE_REPORTS } from '../pdf/sample-reports.ts'

const ROUNDS = 30

type Measured = { name: string; pages: number; kib: string; gzipped: string; first: string; median: string }

// One thread that never waits: the time that passes is CPU time, and this clock is the finer one.
function timed<Result>(work: () => Result): { result: Result; ms: number } {
  const start = performance.now()
  const result = work()
  return { result, ms: performance.now() - start }
}

const kibibytes = (bytes: number): string => (bytes / 1024).toFixed(0)

function measure(name: string, make: () => Parameters<typeof drawReport>[0]): Measured {
  const report = make()
  const first = timed(() => drawReport(report))
  const times = Array.from({ length: ROUNDS }, () => timed(() => drawReport(report)).ms)
  const text = new TextDecoder('latin1').decode(first.result)
  return {
    name,
    pages: text.match(/\/Type\/Page\/Parent/g)?.length ?? 0,
    kib: kibibytes(first.result.length),
    gzipped: kibibytes(gzipSync(first.result).length),
    first: first.ms.toFixed(0),
    median: (times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? Number.NaN).toFixed(0),
  }
}

const rows = Object.entries(SAMPLE_REPORTS).map(([name, make]) => measure(name, make))
console.log('report    pages     KiB  gzip KiB  first ms  median ms')
for (const { name, pages, kib, gzipped, first, median } of rows) {
  const cells = [
    String(pages).padStart(5),
    kib.padStart(7),
    gzipped.padStart(9),
    first.padStart(9),
    median.padStart(10),
  ]
  console.log(`${name.padEnd(10)}${cells.join(' ')}`)
}
