// Letters with the answers they should get: a folder of text files beside a labels.csv, or one CSV with the texts in it.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { z } from 'zod'

export type LabelledLetter = {
  id: string
  text: string
  /** Null: none of the published ones. */
  specialty: string | null
  /** Null: the letter does not tell. */
  ageGroup: 'Adult' | 'Child' | null
}

const orNull = z.string().transform((cell) => (cell.trim() === '' ? null : cell.trim()))
const labels = { specialty: orNull, ageGroup: orNull.pipe(z.enum(['Adult', 'Child']).nullable()) }

const FolderRowSchema = z.object({ file: z.string().regex(/^[\w.-]+$/), ...labels })
const CsvRowSchema = z.object({ id: z.string().min(1), text: z.string().min(1), ...labels })

/** Throws an Error that says what is wrong with the set and where. */
export function readLabelledLetters(path: string): LabelledLetter[] {
  if (!statSync(path).isDirectory()) return readRows(path, CsvRowSchema)
  return readRows(join(path, 'labels.csv'), FolderRowSchema).map(({ file, specialty, ageGroup }) => {
    const text = readFileSync(join(path, file), 'utf8').trim()
    return { id: file.replace(/\.txt$/, ''), text, specialty, ageGroup }
  })
}

function readRows<Row>(path: string, schema: z.ZodType<Row>): Row[] {
  const records: unknown[] = parse(readFileSync(path), { columns: true, bom: true, skip_empty_lines: true })
  if (records.length === 0) throw new Error(`${path} has no rows.`)
  return records.map((record, index) => {
    const parsed = schema.safeParse(record)
    if (parsed.success) return parsed.data
    const columns = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
    throw new Error(`${path}, row ${index + 1}: missing or wrong ${columns}.`)
  })
}
