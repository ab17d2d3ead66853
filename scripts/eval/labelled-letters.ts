// Letters with the answers they should get: a folder of text files beside a labels.csv, or one CSV with the texts in it.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { z } from 'zod'

export type LabelledLetter = {
  id: string
  text: string
  /** Null: none of the published ones, or two problems. */
  specialty: string | null
  /** Null: the letter does not tell. */
  ageGroup: 'Adult' | 'Child' | null
  /** How many problems of different specialties the letter asks about; a letter with 2 has no specialty. */
  problems: 1 | 2
}

const orNull = z.string().transform((cell) => (cell.trim() === '' ? null : cell.trim()))
const labels = {
  specialty: orNull,
  ageGroup: orNull.pipe(z.enum(['Adult', 'Child']).nullable()),
  problems: z
    .enum(['1', '2'])
    .default('1')
    .transform((cell) => (cell === '2' ? 2 : 1)),
}

const nothingNamedOfTwo = ({ problems, specialty }: { problems: 1 | 2; specialty: string | null }): boolean =>
  problems === 1 || specialty === null
const OF_TWO = { path: ['specialty'], message: 'A letter about two problems has no specialty.' }

const FolderRowSchema = z.object({ file: z.string().regex(/^[\w.-]+$/), ...labels }).refine(nothingNamedOfTwo, OF_TWO)
const CsvRowSchema = z
  .object({ id: z.string().min(1), text: z.string().min(1), ...labels })
  .refine(nothingNamedOfTwo, OF_TWO)

/** Throws an Error that says what is wrong with the set and where. */
export function readLabelledLetters(path: string): LabelledLetter[] {
  if (!statSync(path).isDirectory()) return readRows(path, CsvRowSchema)
  return readRows(join(path, 'labels.csv'), FolderRowSchema).map(({ file, specialty, ageGroup, problems }) => {
    const text = readFileSync(join(path, file), 'utf8').trim()
    return { id: file.replace(/\.txt$/, ''), text, specialty, ageGroup, problems }
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
