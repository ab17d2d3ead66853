// Databases of objects, read from copies: they stay as a crash has left them. Nothing may be writing them.
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

export const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** The rows that a query finds, in the shape that is expected of them. */
export type ReadRows = <Schema extends z.ZodType>(query: string, row: Schema) => z.infer<Schema>[]

/** `id`: of the object whose rows these are. */
type Read<T> = (rows: ReadRows, id: string) => T

/** Returns what `read` makes of the database of each object in a folder. A new object has no tables yet. */
export async function readObjects<T>(folder: string, read: Read<T>): Promise<T[]> {
  const files = await readdir(folder).catch((): string[] => [])
  const names = files.filter((file) => file.endsWith('.sqlite') && file !== 'metadata.sqlite')
  return (await Promise.all(names.map((name) => readCopy({ folder, name, files }, read)))).flat()
}

type Found = { folder: string; name: string; files: readonly string[] }

async function readCopy<T>({ folder, name, files }: Found, read: Read<T>): Promise<T[]> {
  const copies = await mkdtemp(join(tmpdir(), 'countersign-books-'))
  try {
    // The log of what is written but not yet in the database itself goes with it.
    const parts = files.filter((file) => file === name || file === `${name}-wal`)
    await Promise.all(parts.map((part) => copyFile(join(folder, part), join(copies, part))))
    const database = new DatabaseSync(join(copies, name))
    try {
      const rows: ReadRows = (query, row) => z.array(row).parse(database.prepare(query).all())
      return rows('SELECT name FROM sqlite_schema LIMIT 1', z.unknown()).length === 0
        ? []
        : [read(rows, basename(name, '.sqlite'))]
    } finally {
      database.close()
    }
  } finally {
    await rm(copies, { recursive: true })
  }
}
