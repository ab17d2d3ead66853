// The outcome of a run, as lines for a person and as one JSON document for a program.

export type Result = {
  readonly group: string
  readonly name: string
  readonly expected: string
  readonly got: string
  readonly ok: boolean
  readonly differences: readonly string[]
}

export type Report = {
  readonly baseUrl: string
  readonly ok: boolean
  readonly checks: number
  readonly differing: number
  readonly calls: number
  readonly waitedSeconds: number
  /** What was left out, and why. */
  readonly notRun: readonly string[]
  readonly results: readonly Result[]
}

const NAME_WIDTH = 66
const EXPECTED_WIDTH = 28

export const headingLines = (group: string): readonly string[] => ['', group]

export function resultLines({ name, expected, got, ok, differences }: Result): readonly string[] {
  const columns = [ok ? '  ok    ' : '  DIFFER', fit(name, NAME_WIDTH), fit(expected, EXPECTED_WIDTH), got]
  return [columns.join(' ').trimEnd(), ...differences.map((difference) => `           - ${difference}`)]
}

export function columnLines(): readonly string[] {
  return [['        ', fit('check', NAME_WIDTH), fit('expected', EXPECTED_WIDTH), 'got'].join(' ')]
}

export function summaryLines({ checks, differing, calls, waitedSeconds, notRun, baseUrl }: Report): readonly string[] {
  const verdict = differing === 0 ? 'agrees with the contract' : `differs from the contract in ${differing} of them`
  return [
    '',
    ...notRun.map((reason) => `not run: ${reason}`),
    `${checks} checks with ${calls} calls, ${waitedSeconds} s spent waiting for the minute to pass.`,
    `${baseUrl} ${verdict}.`,
  ]
}

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)
}
