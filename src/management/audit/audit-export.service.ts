// Exports audit entries. The ledger records the start first and the end last; the text is made while it is read.
import { actorOf, type Access } from '../../accounts/access/access.ts'
import type { AttestationKeys, Signer } from '../../evidence/records/attestation-keys.ts'
import { publishKey } from '../../evidence/records/key-history.ts'
import type { Anchor } from '../../evidence/bundles/log.schema.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import { keyThatSigns, signTreeHead } from '../../public-log/log-answers.ts'
import type { PublicLogService } from '../../public-log/public-log.service.ts'
import type { Act } from '../../organisation/acts.ts'
import type { AuditExportBegun } from '../../organisation/audit/audit.target.ts'
import type { LeavesPage, ReadLeaf } from '../../organisation/audit/leaf-reader.ts'
import { type OpenOrganisation, repeatRead } from '../../organisation/client.ts'
import { dateOf, type Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { demoMark } from '../../platform/shapes.schema.ts'
import { csv } from '../../platform/download.ts'
import { newId, type AuditExportId } from '../../platform/ids.ts'
import { beginSha256 } from '../../platform/sha256.ts'
import { anchorOfExport } from '../anchor-of-export.ts'
import type { DayRange } from '../date-range.ts'
import type { AuditFormat } from './audit-format.ts'
import { endLine, headLine, leafLine, type ExportHead } from './export-lines.ts'
import { leafRow, tableEnd, tableHead } from './export-table.ts'

/** Leaves written before other requests get a turn. Signing takes most of the time. */
const WRITTEN_AT_ONCE = 64

/** `cursor`: the position where an earlier export of these days ended; null for the first. */
export type WantedAuditLogs = { days: DayRange; format: AuditFormat; cursor: number | null }

/** `no_key`: this deployment has no signing key, so an export would prove nothing. */
export type AuditExportStarted =
  | { outcome: 'begun'; texts: AsyncIterable<string> }
  | { outcome: 'running' | 'not_of_these_days' | 'no_key' }

type Deps = {
  open: OpenOrganisation
  keys: AttestationKeys | null
  signer: Signer | null
  publicLog: Pick<PublicLogService, 'provePublicEvidence'>
  clock: Clock
}

type Begun = Extract<AuditExportBegun, { outcome: 'begun' }>

export type AuditExportService = ReturnType<typeof createAuditExportService>

export function createAuditExportService({ open, keys, signer, publicLog, clock }: Deps) {
  return {
    async exportAuditLogs(c: AppContext, access: Access, wanted: WantedAuditLogs): Promise<AuditExportStarted> {
      const { days, format, cursor } = wanted
      const { organisation, manager } = access
      if (((await signer?.keyAt(clock())) ?? null) === null) return { outcome: 'no_key' }
      const requestId = c.get('requestId')
      const id: AuditExportId = newId('exp_', clock())
      const asked = { export_id: id, start: dateOf(days.first), end: dateOf(days.last), format }
      const actOf = (act: string, content: EntryContent): Act => ({
        actor: actorOf(manager),
        act,
        requestId,
        content,
      })
      const begun: AuditExportBegun = await open(organisation).audit.beginExport(
        { id, days, from: cursor },
        actOf('compliance.audit_export', { ...asked, ...(cursor !== null && { cursor }) }),
      )
      if (begun.outcome !== 'begun') return begun
      const ended = (content: EntryContent) => actOf('compliance.audit_export_end', { export_id: id, ...content })
      const anchor = await anchorOfExport({ open, publicLog }, c, organisation, begun.tree)
      return { outcome: 'begun', texts: write(organisation, { id, asked, format, begun, anchor, ended }) }
    },
  }

  type Export = {
    id: AuditExportId
    asked: Pick<ExportHead, 'export_id' | 'start' | 'end'>
    format: AuditFormat
    begun: Begun
    anchor: Anchor | null
    /** The log entry about its end. */
    ended: (content: EntryContent) => Act
  }

  /** Ends as broken off if the reader leaves early or a step fails. */
  async function* write(organisation: Access['organisation'], { id, asked, format, begun, anchor, ended }: Export) {
    const { first, end, tree, next } = begun
    const hashing = beginSha256()
    const counted = { entries: 0, withheld: 0 }
    let isEnded = false
    const hashed = (text: string): string => {
      hashing.update(text)
      return text
    }
    try {
      yield hashed(format === 'csv' ? tableHead() : await describeHead(organisation, asked, begun, anchor))
      for (let from: number | null = first < end ? first : null; from !== null;) {
        const range = { from, before: end }
        const page = await repeatRead(async (): Promise<LeavesPage> => open(organisation).audit.readExport(id, range))
        const withheld = page.leaves.filter((leaf) => 'withheld' in leaf).length
        counted.withheld += withheld
        counted.entries += page.leaves.length - withheld
        for (let at = 0; at < page.leaves.length; at += WRITTEN_AT_ONCE) {
          yield hashed(await render(page.leaves.slice(at, at + WRITTEN_AT_ONCE), format))
          // Other requests get a turn here.
          await scheduler.wait(0)
        }
        from = page.next
      }
      const sha256 = hashing.digestHex()
      const content = { complete: true, first, end_index: end, ...counted, sha256 }
      const range_proof = await repeatRead(async (): Promise<string[]> =>
        open(organisation).audit.proveExport(id, { first, end }, tree),
      )
      const next_cursor = next === null ? null : String(next)
      const now = clock()
      const last =
        format === 'csv'
          ? tableEnd(counted.entries, counted.withheld, next_cursor)
          : await endLine({ ...counted, sha256, range_proof, next_cursor }, await keyThatSigns(signer, now), now)
      await repeatRead(async (): Promise<void> => open(organisation).audit.endExport(id, ended(content)))
      isEnded = true
      yield last
    } finally {
      if (!isEnded) await breakOff(organisation, id, ended({ complete: false, ...counted }))
    }
  }

  async function describeHead(
    { id: orgId }: Access['organisation'],
    asked: Export['asked'],
    { first, end, tree }: Begun,
    anchor: Anchor | null,
  ): Promise<string> {
    const now = clock()
    return headLine({
      export_id: asked.export_id,
      org_id: orgId,
      ...demoMark(orgId),
      created_at: new Date(now).toISOString(),
      start: asked.start,
      end: asked.end,
      first,
      end_index: end,
      tree_head: await signTreeHead(signer, { orgId, ...tree }, now),
      anchor,
      public_keys: (keys?.history ?? []).map(publishKey),
    })
  }

  async function render(leaves: readonly ReadLeaf[], format: AuditFormat): Promise<string> {
    if (format === 'csv') return csv(leaves.map(leafRow))
    return (await Promise.all(leaves.map((leaf) => leafLine(leaf, signer)))).join('')
  }

  /** Ignores a failure, because an organisation that was erased meanwhile has no log to write to. */
  async function breakOff(organisation: Access['organisation'], id: AuditExportId, act: Act): Promise<void> {
    await open(organisation)
      .audit.endExport(id, act)
      .catch(() => undefined)
  }
}
