// Exports the log entries of the calls that a filter lists, as JSON lines: a head with the filter and the signed tree, each call's
// entries with their proofs in that tree, and a signed end. evidence/verify/check-selection-lines.ts checks them.
import { actorOf, type Access } from '../../accounts/access/access-control.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import { SELECTION_SCHEMA } from '../../evidence/verify/export-lines.ts'
import type { Act } from '../../organisation/append-act.ts'
import type { TrailQuery } from '../../organisation/audit/audit-trail.ts'
import type { SelectedCall, SelectionPage } from '../../organisation/audit/selection.ts'
import { repeatRead } from '../../organisation/organisation-client.ts'
import type { AppContext } from '../../platform/context.ts'
import { newId, type AuditExportId } from '../../platform/ids.ts'
import { demoMark } from '../../platform/names.schema.ts'
import { dateOf } from '../../platform/time.ts'
import type { KnownTree } from '../../tiles/proofs-from-tiles.ts'
import { anchorOfExport, describeTree, jsonLine, signedEnd, writeLogExport, type LogExportDeps } from '../log-export.ts'
import { coverageWriter, type AuditExportStarted } from './audit-export.service.ts'
import { leafLine } from './audit-lines.ts'

/** The most calls in one export. Each has one to some lines of about 2 KiB. */
export const MOST_SELECTED = 10_000

/** The calls of a page. Small, because each entry gets a proof, and each record a new signature. */
const CALLS_AT_ONCE = 50

/**
 * `filter`: the members of the query as the caller sent them, without its days.
 * `most`: how many calls the export has at most.
 */
export type SelectionRequest = { query: TrailQuery; filter: Readonly<Record<string, string>>; most: number }

export async function startSelectionExport(
  deps: LogExportDeps,
  c: AppContext,
  access: Access,
  { query, filter, most }: SelectionRequest,
): Promise<AuditExportStarted> {
  const { open, signer, clock } = deps
  const { organisation, manager } = access
  if (((await signer?.keyAt(clock())) ?? null) === null) return { outcome: 'no_key' }
  const id: AuditExportId = newId('exp_', clock())
  const dates = { start: dateOf(query.days.first), end: dateOf(query.days.last) }
  const actOf = (act: string, content: EntryContent): Act => ({
    actor: actorOf(manager),
    act,
    requestId: c.get('requestId'),
    content: { export_id: id, ...content },
  })
  const begin = actOf('compliance.audit_export', { ...dates, format: 'evidence', filter })
  const begun: KnownTree | null = await open(organisation).audit.beginSelection(id, begin)
  if (begun === null) return { outcome: 'running' }
  const tree = begun
  const anchor = await anchorOfExport(deps, c, organisation, tree)
  const coverageLines = coverageWriter(deps, access, { id, tree, first: Infinity })
  const counts = { calls: 0, entries: 0, withheld: 0, unreadable: 0 }
  let next: number | null = query.before

  async function head(): Promise<string> {
    const now = clock()
    const members = {
      object: 'selection_export.head',
      schema: SELECTION_SCHEMA,
      export_id: id,
      org_id: organisation.id,
    }
    const asked = { created_at: new Date(now).toISOString(), ...dates, filter }
    const signedTree = await describeTree(deps, organisation.id, { tree, anchor }, now)
    return jsonLine({ ...members, ...demoMark(organisation.id), ...asked, ...signedTree })
  }

  async function* lines(): AsyncGenerator<string> {
    do {
      const wanted = { ...query, before: next, limit: Math.min(CALLS_AT_ONCE, most - counts.calls) }
      const page = await repeatRead(async (): Promise<SelectionPage> =>
        open(organisation).audit.readSelection(id, wanted, tree),
      )
      const leaves = page.calls.flat().map(({ leaf }) => leaf)
      const withheld = leaves.filter((leaf) => 'withheld' in leaf).length
      counts.calls += page.calls.length
      counts.withheld += withheld
      counts.entries += leaves.length - withheld
      counts.unreadable += page.unreadable
      yield await coverageLines(leaves)
      yield (await Promise.all(page.calls.map(renderCall))).join('')
      next = page.next
    } while (next !== null && counts.calls < most)
  }

  async function renderCall(call: SelectedCall): Promise<string> {
    const made = call.map(({ leaf, auditPath }) =>
      leafLine(leaf, signer, { call: call[0]?.leaf.index ?? leaf.index, audit_path: auditPath }),
    )
    return (await Promise.all(made)).join('')
  }

  const recordEnd = async (content: EntryContent): Promise<void> =>
    open(organisation).audit.endExport(id, actOf('compliance.audit_export_end', content))

  async function end(sha256: string): Promise<string> {
    const next_cursor = next === null ? null : String(next)
    const text = await signedEnd(deps, { object: 'selection_export.end', ...counts, sha256, next_cursor })
    await repeatRead(async (): Promise<void> => recordEnd({ complete: true, ...counts, sha256 }))
    return text
  }

  const breakOff = (): Promise<void> => recordEnd({ complete: false, ...counts })
  return { outcome: 'begun', texts: writeLogExport({ head, lines, end, breakOff }) }
}
