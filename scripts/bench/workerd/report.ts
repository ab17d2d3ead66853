// The plain text of what was measured: a table of medians, the ratios, and whether the target holds.
import { costRatio, median, type Measured } from './rounds.ts'

export type Pair = { name: string; floor: string; hello: string }

export function reportTable(measured: readonly Measured[]): string {
  const rows = measured.map(({ name, connections, runs }) => [
    name,
    String(connections),
    median(runs.map((run) => run.requestsPerSecond)).toFixed(0),
    cpuText(runs.map((run) => run.cpuMicroseconds)),
  ])
  return plainTable([['case', 'connections', 'requests/s', 'CPU µs/request'], ...rows])
}

/** A ratio compares the CPU of a request in the same round; what is shown is the median over the rounds. */
export function reportRatios(
  measured: readonly Measured[],
  { pairs, target }: { pairs: readonly Pair[]; target: number },
): string {
  const find = (name: string, connections: number): Measured =>
    measured.find((one) => one.name === name && one.connections === connections) ?? { name, connections, runs: [] }
  const compared = pairs.flatMap(({ name, floor, hello }) =>
    measured
      .filter((one) => one.name === name)
      .map((one) => ({
        name,
        connections: one.connections,
        toFloor: costRatio(one, find(floor, one.connections)),
        toHello: costRatio(one, find(hello, one.connections)),
      })),
  )
  const rows = compared.map(({ name, connections, toFloor, toHello }) => [
    name,
    String(connections),
    ratioText(toFloor),
    ratioText(toHello),
  ])
  const table = plainTable([['case', 'connections', 'CPU / floor', 'CPU / hello'], ...rows])
  return `\n${table}\n\n${verdict(
    compared.map(({ toFloor }) => toFloor),
    target,
  )}`
}

function verdict(ratios: readonly (number | null)[], target: number): string {
  const asked = `Target: CPU of a request at most ${target} times the floor's`
  const known = ratios.filter((ratio) => ratio !== null)
  if (known.length < ratios.length) return `${asked}. The CPU time of a process cannot be measured on this system.`
  return `${asked}: ${known.every((ratio) => ratio <= target) ? 'holds' : 'does not hold'}.`
}

function cpuText(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null)
  return known.length < values.length ? 'not measurable' : median(known).toFixed(0)
}

const ratioText = (ratio: number | null): string => (ratio === null ? 'not measurable' : ratio.toFixed(2))

export function plainTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n')
}
