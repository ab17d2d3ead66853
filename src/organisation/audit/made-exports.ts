// Lists the exports that were made: who took which days out of the service, when, and the hash of the file. No file is stored: this is
// read from the entries of the acts that began and ended each export.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { contentOf } from '../../evidence/entry.ts'
import { LATEST_ACTS_KEPT } from '../../policies/organisation-limits.policy.ts'
import type { ExportKind } from './export-kinds.ts'
import type { LatestAct } from '../compliance/latest-acts.store.ts'
import type { ObjectParts } from '../object-parts.ts'

/** The acts that begin an export. The begin of a selection is the act of an evidence file, with a filter. */
const KIND_OF_ACT: Readonly<Record<string, ExportKind>> = {
  'compliance.audit_export': 'evidence',
  'receipts.export': 'medical',
  'settings.export': 'organisation',
}

export const EXPORT_ACTS: readonly string[] = Object.keys(KIND_OF_ACT)

const END_ACTS = ['compliance.audit_export_end', 'receipts.export_end'] as const

/** `begun`: null if the entry's content is no longer stored. `ended`: null too while it runs, and for a kind whose end is not recorded. */
export type MadeExport = {
  kind: ExportKind
  at: number
  position: number
  begun: Begun | null
  ended: Ended | null
}

const BegunSchema = once(() =>
  z.object({
    actor: z.string(),
    request_id: z.string(),
    export_id: z.string().optional(),
    format: z.string(),
    start: z.string().optional(),
    end: z.string().optional(),
    filter: z.record(z.string(), z.string()).optional(),
  }),
)
const EndedSchema = once(() =>
  z.object({
    export_id: z.string(),
    complete: z.boolean(),
    entries: z.number().optional(),
    receipts: z.number().optional(),
    sha256: z.string().optional(),
  }),
)
type Begun = Infer<typeof BegunSchema>
type Ended = Infer<typeof EndedSchema>

type Parts = Pick<ObjectParts, 'archive' | 'stores'>

/** Returns exports, the latest first. Rejects if R2 does not answer; then retry. */
export async function listMadeExports({ archive, stores }: Parts, limit: number, now: number): Promise<MadeExport[]> {
  const { latestActs } = stores.journal
  const begins = latestActs.list(EXPORT_ACTS, limit)
  const oldest = begins.at(-1)?.position ?? Infinity
  // Each end may be in a sealed object of its own, so only those of the exports in the list are read.
  const ends = latestActs.list(END_ACTS, END_ACTS.length * LATEST_ACTS_KEPT).filter(({ position }) => position > oldest)
  const { entries } = await archive.readPositions(
    [...begins, ...ends].map(({ position }) => position),
    now,
  )
  const contents = new Map(entries.map(({ position, entry }) => [position, contentOf(entry)]))
  const endings = new Map(
    ends.flatMap(({ position }) => {
      const ended = EndedSchema().safeParse(contents.get(position)).data
      return ended === undefined ? [] : [[ended.export_id, ended] as const]
    }),
  )
  return begins.flatMap(({ act, at, position }: LatestAct): MadeExport[] => {
    const kind = KIND_OF_ACT[act]
    if (kind === undefined) return []
    const begun = BegunSchema().safeParse(contents.get(position)).data ?? null
    const ended = begun && (endings.get(begun.export_id ?? begun.request_id) ?? null)
    return [{ kind: begun?.filter === undefined ? kind : 'selection', at, position, begun, ended }]
  })
}
