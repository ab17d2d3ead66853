// Exports the entries of an organisation's log as JSON lines or CSV. The log gets an entry when the export begins and one when
// it ends. The text is made while the caller reads it.
import { actorOf, type Access } from '../../accounts/access/access-control.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import type { Act } from '../../organisation/append-act.ts'
import type { AuditExportBegun } from '../../organisation/audit/audit.target.ts'
import type { MadeExport } from '../../organisation/audit/made-exports.ts'
import type { LeavesPage, ReadLeaf } from '../../organisation/audit/leaf-reader.ts'
import type { ProvenEntry } from '../../organisation/journal/log-reader.ts'
import { repeatRead } from '../../organisation/organisation-client.ts'
import type { AppContext } from '../../platform/context.ts'
import { demoMark } from '../../platform/names.schema.ts'
import { csv } from '../../platform/download.ts'
import { newId, type AuditExportId } from '../../platform/ids.ts'
import type { DayRange } from '../date-range.ts'
import { dateOf } from '../../platform/time.ts'
import { anchorOfExport, describeTree, jsonLine, signedEnd, writeLogExport, type LogExportDeps } from '../log-export.ts'
import { AUDIT_SCHEMA } from '../../evidence/verify/export-lines.ts'
import type { AuditFormat } from './audit-format.ts'
import type { KnownTree } from '../../tiles/proofs-from-tiles.ts'
import type { MadeExports } from './audit-export.schema.ts'
import { coverageLine, coverageNamedBy, lastRow, LEAF_COLUMNS, leafLine, leafRow } from './audit-lines.ts'

/** Leaves written before other requests get a turn. Signing takes most of the time. */
const WRITTEN_AT_ONCE = 64

/** `cursor`: the position where an earlier export of these days ended; null for the first. */
export type AuditExportRequest = { days: DayRange; format: AuditFormat; cursor: number | null }

/** `no_key`: this deployment has no signing key, so an export would prove nothing. */
export type AuditExportStarted =
  | { outcome: 'begun'; texts: AsyncIterable<string> }
  | { outcome: 'running' | 'not_of_these_days' | 'no_key' }

export type AuditExportService = ReturnType<typeof createAuditExportService>

export function createAuditExportService(deps: LogExportDeps) {
  const { open, signer, clock } = deps

  return {
    async exportAuditLogs(c: AppContext, access: Access, wanted: AuditExportRequest): Promise<AuditExportStarted> {
      const { days, format, cursor } = wanted
      const { organisation, manager } = access
      if (((await signer?.keyAt(clock())) ?? null) === null) return { outcome: 'no_key' }
      const id: AuditExportId = newId('exp_', clock())
      const exportMembers = { export_id: id, start: dateOf(days.first), end: dateOf(days.last) }
      const actOf = (act: string, content: EntryContent): Act => ({
        actor: actorOf(manager),
        act,
        requestId: c.get('requestId'),
        content,
      })
      const begun: AuditExportBegun = await open(organisation).audit.beginExport(
        { id, days, from: cursor },
        actOf('compliance.audit_export', { ...exportMembers, format, ...(cursor !== null && { cursor }) }),
      )
      if (begun.outcome !== 'begun') return begun
      const { first, end, tree, next } = begun
      const anchor = await anchorOfExport(deps, c, organisation, tree)
      const next_cursor = next === null ? null : String(next)
      const counts = { entries: 0, withheld: 0 }
      const ended = (content: EntryContent) => actOf('compliance.audit_export_end', { export_id: id, ...content })

      async function head(): Promise<string> {
        if (format === 'csv') return csv([LEAF_COLUMNS])
        const { export_id, ...dates } = exportMembers
        const members = { object: 'audit_export.head', schema: AUDIT_SCHEMA, export_id, org_id: organisation.id }
        const now = clock()
        const range = { created_at: new Date(now).toISOString(), ...dates, first, end_index: end }
        const signedTree = await describeTree(deps, organisation.id, { tree, anchor }, now)
        return jsonLine({ ...members, ...demoMark(organisation.id), ...range, ...signedTree })
      }

      const coverageLines = coverageWriter(deps, access, { id, tree, first })

      async function* lines(): AsyncGenerator<string> {
        for (let from: number | null = first < end ? first : null; from !== null;) {
          const range = { from, before: end }
          const page = await repeatRead(async (): Promise<LeavesPage> => open(organisation).audit.readExport(id, range))
          const withheld = page.leaves.filter((leaf) => 'withheld' in leaf).length
          counts.withheld += withheld
          counts.entries += page.leaves.length - withheld
          // A table has no proofs.
          if (format !== 'csv') yield await coverageLines(page.leaves)
          for (let at = 0; at < page.leaves.length; at += WRITTEN_AT_ONCE) {
            yield await render(page.leaves.slice(at, at + WRITTEN_AT_ONCE), format)
          }
          from = page.next
        }
      }

      async function last(sha256: string): Promise<string> {
        const range_proof = await repeatRead(async (): Promise<string[]> =>
          open(organisation).audit.proveExport(id, { first, end }, tree),
        )
        const text =
          format === 'csv'
            ? csv([lastRow(counts, next_cursor)])
            : await signedEnd(deps, { object: 'audit_export.end', ...counts, sha256, range_proof, next_cursor })
        const act = ended({ complete: true, first, end_index: end, ...counts, sha256 })
        await repeatRead(async (): Promise<void> => open(organisation).audit.endExport(id, act))
        return text
      }

      const breakOff = async (): Promise<void> =>
        open(organisation).audit.endExport(id, ended({ complete: false, ...counts }))
      return { outcome: 'begun', texts: writeLogExport({ head, lines, end: last, breakOff }) }
    },

    async listExports({ organisation }: Access, limit: number): Promise<MadeExports> {
      const made = await repeatRead(async (): Promise<MadeExport[]> => open(organisation).audit.listExports(limit))
      const list = { object: 'list', ...demoMark(organisation.id) } as const
      return { ...list, data: made.map(presentMadeExport), has_more: false, next_cursor: null }
    },
  }

  async function render(leaves: readonly ReadLeaf[], format: AuditFormat): Promise<string> {
    if (format === 'csv') return csv(leaves.map(leafRow))
    return (await Promise.all(leaves.map((leaf) => leafLine(leaf, signer)))).join('')
  }
}

/** Returns a function that writes the coverage entries before the range that leaves are the first to name. */
export function coverageWriter(
  { open }: Pick<LogExportDeps, 'open'>,
  { organisation }: Access,
  { id, tree, first }: { id: AuditExportId; tree: KnownTree; first: number },
) {
  const written = new Set<number>()
  return async (leaves: readonly ReadLeaf[]): Promise<string> => {
    const made: string[] = []
    for (const position of leaves.flatMap(coverageNamedBy)) {
      if (position >= first || written.has(position)) continue
      written.add(position)
      const proven = await repeatRead(async (): Promise<ProvenEntry | null> =>
        open(organisation).audit.proveCoverage(id, position, tree),
      )
      if (proven !== null) made.push(coverageLine(proven))
    }
    return made.join('')
  }
}

const presentMadeExport = ({ kind, at, position, begun, ended }: MadeExport): MadeExports['data'][number] => ({
  object: 'made_export',
  kind,
  created_at: new Date(at).toISOString(),
  index: position,
  made_by: begun?.actor ?? null,
  format: begun?.format ?? null,
  start: begun?.start ?? null,
  end: begun?.end ?? null,
  complete: ended?.complete ?? null,
  entries: ended?.entries ?? ended?.receipts ?? null,
  sha256: ended?.sha256 ?? null,
})
