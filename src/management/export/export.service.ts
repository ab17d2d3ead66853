// Exports data. The ledger records the export first; the text is made while it is read.
import { actorOf, whoIs, type Access } from '../../accounts/access/access.ts'
import type { OrganisationsStore } from '../../accounts/organisations.store.ts'
import { KeySchema } from '../../keys/key.schema.ts'
import { SettingsSchema } from '../settings/settings.schema.ts'
import { ENTRY_COLUMNS, RECEIPT_COLUMNS } from './entry-rows.ts'
import { createExportSource, type ExportSource, type SourceDeps } from './export-source.ts'
import { NOTIFICATION_COLUMNS } from './notification-rows.ts'
import { ApprovalSchema } from '../../organisation/approvals/shown-approval.schema.ts'
import { ORGANISATION_COLUMNS, POLICY_COLUMNS, USAGE_COLUMNS } from './organisation-rows.ts'
import { ANOMALY_COLUMNS } from './anomaly-rows.ts'
import { STATEMENT_COLUMNS } from './statement-rows.ts'
import { ACCOUNT_COLUMNS, MEMBER_COLUMNS } from './people-rows.ts'
import { renderCells, renderTable } from './render-csv.ts'
import { renderJson } from './render-json.ts'
import type { ExportHead, Renderer } from './renderer.ts'
import { sectionsOf, type Format, type Section } from './sections.policy.ts'

type Deps = SourceDeps & { organisations: Pick<OrganisationsStore, 'findOrganisation'> }

/** `section` null: all sections that the caller may read. */
export type WantedExport = { format: Format; section: Section | null }

/** `gone`: the organisation is erased. */
export type ExportStarted =
  | { outcome: 'begun'; texts: AsyncIterable<string> }
  | { outcome: 'too_many'; retryAfterSeconds: number }
  | { outcome: 'gone' }

const COLUMNS: Readonly<Record<Section, readonly string[]>> = {
  account: ACCOUNT_COLUMNS,
  organisation: ORGANISATION_COLUMNS,
  members: MEMBER_COLUMNS,
  keys: Object.keys(KeySchema.shape),
  settings: Object.keys(SettingsSchema.shape),
  notifications: NOTIFICATION_COLUMNS,
  policies: POLICY_COLUMNS,
  approvals: Object.keys(ApprovalSchema.shape),
  statements: STATEMENT_COLUMNS,
  anomalies: ANOMALY_COLUMNS,
  usage: USAGE_COLUMNS,
  audit: ENTRY_COLUMNS,
  receipts: RECEIPT_COLUMNS,
}

export type ExportService = ReturnType<typeof createExportService>

export function createExportService({ organisations, ...deps }: Deps) {
  return {
    async exportData(access: Access, { format, section }: WantedExport, requestId: string): Promise<ExportStarted> {
      const { manager, organisation } = access
      const record = await organisations.findOrganisation(organisation.id)
      if (record === null) return { outcome: 'gone' }
      const sections = section === null ? sectionsOf(whoIs(manager)) : [section]
      const act = { actor: actorOf(manager), act: 'settings.export', requestId, content: { format, sections } }
      const begun = await deps.open(record).export.begin(act)
      if (begun.outcome !== 'begun') return begun
      const before = begun.position + 1
      const source = createExportSource(deps, { record, manager, format, before })
      const head: ExportHead = {
        object: 'export',
        created_at: new Date(deps.clock()).toISOString(),
        organisation_id: record.id,
        request_id: requestId,
        tree_size: before,
        sections,
      }
      return { outcome: 'begun', texts: writeExport(rendererOf(format, section), head, source) }
    },
  }
}

function rendererOf(format: Format, section: Section | null): Renderer {
  if (format === 'json') return renderJson()
  return section === null ? renderCells() : renderTable(COLUMNS[section])
}

async function* writeExport(renderer: Renderer, head: ExportHead, source: ExportSource): AsyncGenerator<string> {
  yield renderer.begin(head)
  for (const section of head.sections) {
    yield renderer.beginSection(section)
    for await (const page of source.pages(section)) if (page.length > 0) yield renderer.rows(page)
  }
  const unreadable = source.unreadable()
  const isWhole = unreadable === 0 && (await source.isStillThere())
  yield renderer.end({ unreadable_entries: unreadable, complete: isWhole })
}
