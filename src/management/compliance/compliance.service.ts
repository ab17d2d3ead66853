// Computes the compliance checklist, and makes, lists and reads reports of a period. Each report is hashed, recorded in the log and
// stored.
import { actorOf, type Access } from '../../accounts/access/access-control.ts'
import type { OrganisationRecord, OrganisationsStore } from '../../accounts/organisations.store.ts'
import type { AttestationKeys, Signer } from '../../evidence/records/configured-keys.ts'
import { canonicalBytes } from '../../evidence/records/canonical-json.ts'
import { ComplianceReportSchema, type ComplianceReport } from '../../reports/report/report.schema.ts'
import { EarlierReportSchema, type EarlierReport } from '../../reports/report/trend.ts'
import { signTreeHead } from '../../public-log/present-proofs.ts'
import type { Facts } from '../../reports/controls/control.ts'
import type { GatheredFacts, GatheringQuery } from '../../organisation/compliance/gather-facts.ts'
import type { ReportBegun } from '../../organisation/compliance/compliance.target.ts'
import type { ReportDocument, StoredReport } from '../../organisation/compliance/reports-and-statements.store.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import { utcDay, type Clock } from '../../platform/time.ts'
import { AppError } from '../../platform/errors.ts'
import { log } from '../../platform/log.ts'
import { gunzip, gzip } from '../../platform/bytes.ts'
import { isDemoOrganisation, newId } from '../../platform/ids.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { composeReport, presentChecklist, checklistFactsOf } from './compose-report.ts'
import type { MemberFactsStore, ErasureCounts } from './member-facts.store.ts'

/** The number of days that the score covers, today included. */
const SCORED_DAYS = 30

type Deps = {
  organisations: Pick<OrganisationsStore, 'findOrganisation'>
  people: MemberFactsStore
  open: OpenOrganisation
  /** Null if this deployment has no attestation keys. */
  keys: AttestationKeys | null
  signer: Signer | null
  /** `https://host` of this service; null if it is not configured. */
  publicOrigin: string | null
  clock: Clock
}

export type ReportRequest = { access: Access; requestId: string }

export type WholeReport = { stored: StoredReport; bytes: Uint8Array<ArrayBuffer> }

export type ReportMade =
  | ({ outcome: 'made'; report: ComplianceReport } & WholeReport)
  | Exclude<ReportBegun, { outcome: 'begun' }>
  | { outcome: 'erased' }

/** `start`, `end`: UTC days, both included. */
export type Checklist = ReturnType<typeof presentChecklist> & {
  start: string
  end: string
  checkedAt: string
  reportId: string | null
}

export type ComplianceService = ReturnType<typeof createComplianceService>

export function createComplianceService({ organisations, people, open, keys, signer, publicOrigin, clock }: Deps) {
  /** Collects the facts of a period from the object, D1 and this deployment. */
  async function collect(
    organisation: Access['organisation'],
    period: GatheringQuery,
  ): Promise<{ gathered: GatheredFacts; facts: Facts; erasures: ErasureCounts }> {
    const [gathered, members, erasures] = await Promise.all([
      (async (): Promise<GatheredFacts> => open(organisation).compliance.gather(period))(),
      people.listFactors(organisation.id, clock()),
      people.countErasures(organisation.id, clock()),
    ])
    const { jurisdiction } = organisation
    return { gathered, erasures, facts: checklistFactsOf({ gathered, period, jurisdiction, members, erasures, keys }) }
  }

  async function compose(record: OrganisationRecord, period: GatheringQuery): Promise<ComplianceReport> {
    const { gathered, facts, erasures } = await collect(record, period)
    const head = await signTreeHead(
      signer,
      { orgId: record.id, size: gathered.tree.size, root: gathered.root },
      gathered.now,
    )
    const [earlier, roles] = await Promise.all([
      findEarlierReport(record, gathered.now),
      people.listRoles(record.id, gathered.now),
    ])
    return composeReport({
      id: newId('rep_', gathered.now),
      organisation: { id: record.id, name: record.name },
      isDemo: isDemoOrganisation(record.id),
      period,
      facts,
      gathered,
      erasures,
      head,
      keys,
      earlier,
      roles,
      serviceOrigin: publicOrigin,
    })
  }

  /** Returns null if there is none that can be read: a damaged report must not prevent the next one. */
  async function findEarlierReport(record: OrganisationRecord, now: number): Promise<EarlierReport | null> {
    const found: ReportDocument | null = await open(record).compliance.findReportBy(now)
    const whole = found && (await unpackReport(found).catch(() => null))
    return whole && (EarlierReportSchema().safeParse(parseBytes(whole.bytes)).data ?? null)
  }

  return {
    /** Computes the score of the last 30 days. */
    async readScore({ organisation }: Access, seed: string | null): Promise<Checklist> {
      const last = utcDay(clock())
      const { facts } = await collect(organisation, { first: last - SCORED_DAYS + 1, last, seed })
      const { start, end, now } = facts
      return { ...presentChecklist(facts), start, end, checkedAt: new Date(now).toISOString(), reportId: null }
    },

    /** Returns the score of the latest stored report that was made at or before `at`; null if there is none. */
    async readScoreAt({ organisation }: Access, at: number): Promise<Checklist | null> {
      const found: ReportDocument | null = await open(organisation).compliance.findReportBy(at)
      if (found === null) return null
      const report = readReport((await unpackReport(found)).bytes)
      const { checklist, law_as_of, start, end, score, controls, cannot_show } = report
      const source = { checkedAt: report.created_at, reportId: report.id }
      return { checklist, law_as_of, start, end, score, controls, cannot_show, ...source }
    },

    /** Makes, records and stores a report. Throws if no key can sign the log's head. */
    async makeReport({ access, requestId }: ReportRequest, period: GatheringQuery): Promise<ReportMade> {
      const { organisation, manager } = access
      const record = await organisations.findOrganisation(organisation.id)
      if (record === null) return { outcome: 'erased' }
      const begun: ReportBegun = await open(record).compliance.beginReport()
      if (begun.outcome !== 'begun') return begun
      try {
        const report = await compose(record, period)
        const bytes = new Uint8Array(canonicalBytes(report))
        const { id, start, end } = report
        const made = { id, start, end, sha256: sha256Hex(bytes), document: await gzip(bytes) }
        const act = { actor: actorOf(manager), act: 'compliance.report', requestId }
        const stored: StoredReport = await open(record).compliance.keepReport(made, act)
        return { outcome: 'made', report, stored, bytes }
      } catch (thrown) {
        await open(record).compliance.endReport()
        throw thrown
      }
    },

    async listReports({ organisation }: Access, limit: number, cursor: string | null): Promise<StoredReport[]> {
      const reports: StoredReport[] = await open(organisation).compliance.listReports(limit, cursor)
      return reports
    },

    /** Returns null if the report does not exist or was deleted. */
    async findReport({ organisation }: Access, id: string): Promise<WholeReport | null> {
      const found: ReportDocument | null = await open(organisation).compliance.findReport(id)
      return found && unpackReport(found)
    },
  }
}

/** Parses a stored report. Throws if this service did not write the bytes. */
export const readReport = (bytes: Uint8Array): ComplianceReport => ComplianceReportSchema().parse(parseBytes(bytes))

const parseBytes = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

async function unpackReport({ report, document }: ReportDocument): Promise<WholeReport> {
  const bytes = await gunzip(document).catch(() => null)
  if (bytes === null || sha256Hex(bytes) !== report.sha256) {
    log({ level: 'error', event: 'unexpected_error', outcome: 'report_altered' })
    throw new AppError('internal_error', 'The stored report was changed, so it is not shown. Tell the operator.')
  }
  return { stored: report, bytes }
}
