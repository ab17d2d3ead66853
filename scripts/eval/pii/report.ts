// The measures as tables in Markdown.
import type { Share } from '../measures.ts'
import type { ShapeMeasure } from './measure.ts'

/** `precision` and `recall` with their 95% interval (Wilson), and of how many. */
export function reportShapes(measures: readonly ShapeMeasure[]): string {
  const rows = measures
    .filter(({ recall, precision }) => recall.n > 0 || precision.n > 0)
    .map(
      ({ shape, precision, recall, anyName }) =>
        `| \`${shape}\` | ${[precision, recall, anyName].map(show).join(' | ')} |`,
    )
  return ['| shape | precision | recall | found under any name |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** @param ours and theirs: of the same shapes in the same order */
export function reportBeside(ours: readonly ShapeMeasure[], theirs: readonly ShapeMeasure[]): string {
  const rows = ours.flatMap((own, at) => {
    const other = theirs[at]
    if (other === undefined || own.recall.n === 0) return []
    return [
      `| \`${own.shape}\` | ${[own.precision, other.precision, own.recall, other.recall].map(show).join(' | ')} |`,
    ]
  })
  const heads = ['shape', 'precision', 'Presidio’s', 'recall', 'Presidio’s']
  return [`| ${heads.join(' | ')} |`, '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

const percent = (value: number): string => (100 * value).toFixed(1)

function show({ count, n, share, low, high }: Share): string {
  if (share === null || low === null || high === null) return '–'
  return `${percent(share)}% (${count}/${n}; ${percent(low)}–${percent(high)})`
}
