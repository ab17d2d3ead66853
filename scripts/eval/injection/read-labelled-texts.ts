// Labelled texts of one's own, or of a public corpus: a CSV with the columns text and label, and perhaps family and role.
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import type { LabelledText } from './corpus.ts'

const RowSchema = z.object({
  text: z.string().min(1),
  label: z
    .enum(['attack', 'benign', '1', '0'])
    .transform((label) => (label === 'attack' || label === '1' ? 'attack' : 'benign')),
  family: z.string().min(1).default('(all)'),
  role: z.enum(['user', 'tool']).default('user'),
})

/** Throws an Error that says what is wrong with the file and where. */
export function readLabelledTexts(path: string): LabelledText[] {
  const records: unknown[] = parse(readFileSync(path), { columns: true, bom: true, skip_empty_lines: true })
  if (records.length === 0) throw new Error(`${path} has no rows.`)
  return records.map((record, index) => {
    const parsed = RowSchema.safeParse(record)
    if (parsed.success) return parsed.data
    const columns = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
    throw new Error(`${path}, row ${index + 1}: missing or wrong ${columns}.`)
  })
}
