// The figures of a run as a file, from which `npm run bench -- cost` works out what calls cost.
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { CountsSchema } from './counts.ts'

const EachSchema = z.record(z.string(), z.number())

const LifeFiguresSchema = z.object({
  times: z.int(),
  objects: z.record(z.string(), CountsSchema),
  bindings: EachSchema,
  databaseByteDays: z.number(),
  fileByteDays: z.number(),
  weights: z.object({ fresh: EachSchema, putAway: EachSchema, kept: EachSchema }),
})

const TurnFiguresSchema = z.object({
  methods: z.record(z.string(), CountsSchema),
  bindings: EachSchema,
  cpuMicroseconds: z.number().nullable(),
})

/** Of one call each. `turns`: over HTTP, until it is answered and settled; `lives`: of the objects, until nothing is left to do. `quietDay`: of all
 * objects on a day on which nothing comes. */
export const FiguresSchema = z.object({
  turns: z.object({ chat: TurnFiguresSchema, reading: TurnFiguresSchema }),
  lives: z.object({ chat: LifeFiguresSchema, reading: LifeFiguresSchema }),
  quietDay: z.object({ objects: CountsSchema, bindings: EachSchema }),
})

export type LedgerFigures = z.infer<typeof FiguresSchema>

export const readFigures = async (file: string): Promise<LedgerFigures> =>
  FiguresSchema.parse(JSON.parse(await readFile(file, 'utf8')))

export const writeFigures = (file: string, figures: LedgerFigures): Promise<void> =>
  writeFile(file, `${JSON.stringify(figures, null, 2)}\n`)

/** Where a run leaves them and where they are looked for, unless told otherwise. */
export const FIGURES_FILE = join(tmpdir(), 'countersign-ledger-figures.json')
