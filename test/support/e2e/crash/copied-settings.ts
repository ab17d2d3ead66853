// D1's copy of an organisation's settings: those that its object has in force, or had before a crash came between.
import { join } from 'node:path'
import * as z from 'zod'
import { type Books, faultIf } from './books.ts'
import type { Acted } from './clients.ts'
import { readObjects } from './databases.ts'
import { actsIn } from './decisions.ts'

const CopySchema = z.object({
  id: z.string(),
  tier: z.string(),
  requests_per_minute: z.int().nullable(),
  requests_per_month: z.int().nullable(),
  retention_days: z.int().nullable(),
  default_max_tokens: z.int(),
  settings_version: z.int(),
})

export type CopiedSettings = z.infer<typeof CopySchema>

const MEMBERS = ['tier', 'requests_per_minute', 'requests_per_month', 'retention_days', 'default_max_tokens'] as const

const SETTINGS = MEMBERS.map((name) => `settings ->> '${name}' AS ${name}`).join(', ')

/** By organisation. */
export async function readCopiedSettings(folder: string): Promise<Map<string, CopiedSettings>> {
  const read = await readObjects(join(folder, 'objects/storage-Database'), (rows) =>
    rows(`SELECT id, settings_version, ${SETTINGS} FROM organisations`, CopySchema),
  )
  return new Map(read.flat().map((copy) => [copy.id, copy]))
}

/** @param acts those that were answered: a change is answered when D1 has it */
export function findCopyFaults(books: Books, copy: CopiedSettings | undefined, acts: readonly Acted[]): string[] {
  if (copy === undefined) return ['D1 does not know the organisation']
  const { settings_version: version } = copy
  const answered = Math.max(0, ...acts.map((act) => act.version ?? 0))
  const written = actsIn(books).find((act) => act.version === version)
  if (written === undefined) return [`D1 has settings of version ${version}, and none such are written`]
  return [
    ...faultIf(version < answered, `D1 has settings of version ${version}, and ${answered} was answered`),
    ...MEMBERS.filter((member) => written[member] !== copy[member]).map(
      (member) => `D1 has another ${member} than version ${version} of the settings`,
    ),
  ]
}

/** Compares D1 with the settings in force. Needs a read of the settings before, because a read brings D1 up to date. */
export function findStaleCopy(books: Books, copy: CopiedSettings | undefined): string[] {
  const written = Math.max(0, ...actsIn(books).map(({ version }) => version ?? 0))
  const copied = copy?.settings_version ?? 0
  return faultIf(copied !== written, `D1 has settings of version ${copied}, and ${written} is in force`)
}
