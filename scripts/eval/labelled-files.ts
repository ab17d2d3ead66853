// Reads labelled letters from a CSV, or from a folder with text files and a labels.csv. A label is the right answer.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import * as z from 'zod'

export type LabelledLetter = {
  id: string
  text: string
  /** Null if no published specialty fits, or the letter has two problems. */
  specialty: string | null
  /** Null if the letter does not say. */
  ageGroup: 'Adult' | 'Child' | null
  /** The number of problems of different specialties in the letter. */
  problems: 1 | 2
}

const orNull = z.string().transform((cell) => (cell.trim() === '' ? null : cell.trim()))

function letterRow<Shape extends z.ZodRawShape>(shape: Shape) {
  const labels = {
    specialty: orNull,
    ageGroup: orNull.pipe(z.enum(['Adult', 'Child']).nullable()),
    problems: z
      .enum(['1', '2'])
      .default('1')
      .transform((cell): 1 | 2 => (cell === '2' ? 2 : 1)),
  }
  return z.object({ ...shape, ...labels })
}

const FolderRowSchema = letterRow({ file: z.string().regex(/^[\w.-]+$/) })
const CsvRowSchema = letterRow({ id: z.string().min(1), text: z.string().min(1) })

/** Reads the labelled letters. Throws an Error that says what is wrong and in which file or line. */
export function readLabelledLetters(path: string): LabelledLetter[] {
  if (!statSync(path).isDirectory()) return readRows(path, CsvRowSchema.refine(hasNoSpecialtyOfTwo, TWO_PROBLEMS_ERROR))
  const rows = readRows(join(path, 'labels.csv'), FolderRowSchema.refine(hasNoSpecialtyOfTwo, TWO_PROBLEMS_ERROR))
  return rows.map(({ file, specialty, ageGroup, problems }) => {
    const text = readFileSync(join(path, file), 'utf8').trim()
    return { id: file.replace(/\.txt$/, ''), text, specialty, ageGroup, problems }
  })
}

const hasNoSpecialtyOfTwo = ({ problems, specialty }: Pick<LabelledLetter, 'problems' | 'specialty'>): boolean =>
  problems === 1 || specialty === null
const TWO_PROBLEMS_ERROR = { path: ['specialty'], message: 'A letter about two problems has no specialty.' }

function readRows<Row>(path: string, schema: z.ZodType<Row>): Row[] {
  const records: unknown[] = parse(readFileSync(path), { columns: true, bom: true, skip_empty_lines: true })
  if (records.length === 0) throw new Error(`${path} has no rows. Add one per text.`)
  return records.map((record, index) => {
    const parsed = schema.safeParse(record)
    if (parsed.success) return parsed.data
    const columns = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
    throw new Error(`${path}, row ${index + 1}: missing or wrong ${columns}. Correct the row.`)
  })
}
