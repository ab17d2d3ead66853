// Reads the rows of a data export, section by section and page by page, from D1 and the organisation's object.
import * as z from 'zod'
import type { Signer } from '../../evidence/records/configured-keys.ts'
import type { Access } from '../../accounts/access/access-control.ts'
import type { OrganisationsService } from '../../accounts/organisations.service.ts'
import type { OrganisationRecord } from '../../accounts/organisations.store.ts'
import type { PeopleStore } from '../../accounts/people/people.store.ts'
import type { SessionsStore } from '../../accounts/people/sessions.store.ts'
import type { FactorsStore } from '../../accounts/second-factor/factors.store.ts'
import type { FoundEntry } from '../../organisation/journal/archive.ts'
import type { KeyPage } from '../../keys/keys.store.ts'
import { type KeyRecord, presentKey, KeySchema } from '../../keys/key.schema.ts'
import type { AnyApproval, ApprovalsQuery } from '../../organisation/approvals/read-approvals.ts'
import { presentApproval } from '../../organisation/approvals/present-approval.ts'
import { nullIfClosedForErasure } from '../../organisation/erasure/erasure-refusal.ts'
import type { ExportedEntries, ExportedEntry } from '../../organisation/export/export.target.ts'
import type { OwnNotices } from '../../organisation/notifications/notices.target.ts'
import type { Usage } from '../../organisation/usage/usage.target.ts'
import type { Organisation } from '../../organisation/organisation.do.ts'
import type { WebhookMessage } from '../../notifications/webhook-messages.store.ts'
import type { Anomaly } from '../../organisation/bias/bias-measures.ts'
import type { Statement } from '../../reports/controls/control.ts'
import type { ShownWebhook } from '../../organisation/notifications/webhook.target.ts'
import type { PolicyVersion } from '../../organisation/policies/policy-versions.store.ts'
import type { CountedDay } from '../../organisation/usage/counted-days.store.ts'
import { type OpenOrganisation, repeatRead } from '../../organisation/organisation-client.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time.ts'
import { ApprovalSchema } from '../../organisation/approvals/approval-response.schema.ts'
import { presentDelivery } from '../notifications/present-webhook.ts'
import { SettingsSchema } from '../settings/settings.schema.ts'
import { presentOwnSettings } from '../settings/present-settings.ts'
import { PEOPLE_AT_ONCE, type ExportedPeopleStore } from './exported-people.store.ts'
import {
  anomalyColumns,
  describeAnomaly,
  describeOrganisation,
  describePolicies,
  describePolicyVersion,
  describeStatement,
  describeUsage,
  describeWebhook,
  notificationColumns,
  ORGANISATION_COLUMNS,
  POLICY_COLUMNS,
  statementColumns,
  USAGE_COLUMNS,
} from './organisation-rows.ts'
import {
  ACCOUNT_COLUMNS,
  MEMBER_COLUMNS,
  describeApp,
  describeCodes,
  describeIdentity,
  describeInvitation,
  describeMember,
  describeMembership,
  describeNoticeMail,
  describeNotices,
  describePerson,
  describePasskey,
  describeSession,
} from './people-rows.ts'
import { exportColumns, type RowPages, type Row, RawJson, rowOf, type RowKind } from './export-row.ts'
import { describeCountedDay } from './counted-day-rows.ts'
import type { Format, Section } from './export-sections.policy.ts'
import { once } from '../../platform/once.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'

/** One entry; its id is its position. Salt and content give the leaf’s hash, as docs/export-data.md explains. */
const ENTRY: RowKind<ExportedEntry> = {
  id: ({ position }) => position,
  object: () => 'entry',
  kind: ({ kind }) => kind,
  at: ({ at }) => new Date(at).toISOString(),
  leaf_hash: ({ leafHash }) => leafHash,
  salt: ({ salt }) => salt,
  content: ({ content }) => new RawJson(content),
  facts: ({ facts }) => facts && new RawJson(facts),
}

const ENTRY_COLUMNS = exportColumns(ENTRY)

const describeEntry = rowOf(ENTRY)

const RECEIPT_COLUMNS = [
  'id',
  'object',
  'position',
  'timestamp',
  'outcome',
  'model',
  'policy_applied',
  'cost_prevented_eur',
  'trace_id',
  'org_id',
  'request_hash',
  'v',
  'public_key',
  'signature',
]

const RecordSchema = once(() =>
  z.looseObject({ attestation_id: z.string(), public_key: z.string() }).catchall(z.json()),
)

const encoder = new TextEncoder()

/**
 * Returns a decision's record as its caller got it: whole in JSON, for verification, and member by member in CSV. The log has no
 * signatures, so the record is signed again. `signature` is null if the seed of its key is deleted.
 */
async function describeReceipt(
  { position, content }: ExportedEntry,
  signer: Signer | null,
  format: Format,
): Promise<Row> {
  const { attestation_id: id, ...record } = RecordSchema().parse(JSON.parse(content))
  const key = (await signer?.keyNamed(record.public_key)) ?? null
  const signature = key && encodeBase64url(await key.sign(encoder.encode(content)))
  const described = { id, object: 'receipt', position }
  if (format === 'csv') return { ...described, ...record, signature }
  return { ...described, record: { ...record, attestation_id: id, signature } }
}

export type SourceDeps = {
  people: Pick<PeopleStore, 'find'>
  factors: FactorsStore
  sessions: Pick<SessionsStore, 'list'>
  exportedPeople: ExportedPeopleStore
  organisationsService: Pick<OrganisationsService, 'show'>
  open: OpenOrganisation
  signer: Signer | null
  clock: Clock
}

/** The subject of an export. `before`: the first log position that is not exported. */
export type ExportSubject = { record: OrganisationRecord; manager: Access['manager']; format: Format; before: number }

export type ExportSource = {
  sections: Readonly<Record<Section, { columns: readonly string[]; pages: () => RowPages }>>
  /** Returns the number of unreadable entries in the pages read so far. */
  unreadable(): number
  /** Returns false if the organisation was erased meanwhile, which deletes its log. */
  isStillThere(): Promise<boolean>
}

const KEYS_AT_ONCE = 500
/** More than the number of deliveries that can be stored. */
const DELIVERIES_AT_ONCE = 1000
const APPROVALS_AT_ONCE = 500
const POLICIES_AT_ONCE = 100

export function createExportSource(deps: SourceDeps, { record, manager, format, before }: ExportSubject): ExportSource {
  const { people, factors, sessions, exportedPeople, organisationsService, open, signer, clock } = deps
  const unreadable = { audit: 0, receipts: 0 }
  /** True if a read was refused because the organisation is being erased. */
  let isSealed = false

  /** Calls the organisation's object. Uses a new stub each time, because a stub that failed keeps failing. */
  const ask = <T>(question: (object: DurableObjectStub<Organisation>) => Promise<T>): Promise<T> =>
    repeatRead(() => question(open(record)))

  async function* account(): RowPages {
    if (manager.kind === 'key') return
    const person = await people.find(manager.id)
    if (person !== null) yield [describePerson(person)]
    yield (await exportedPeople.listIdentities(manager.id)).map(describeIdentity)
    yield (await exportedPeople.listMemberships(manager.id)).map(describeMembership)
    const notices = await nullIfClosedForErasure(
      ask(async (object): Promise<OwnNotices> => object.notices.read(manager.id)),
    )
    if (notices !== null)
      yield [describeNotices({ ...notices, organisationId: record.id }), ...notices.mails.map(describeNoticeMail)]
    yield (await sessions.list(manager.id, clock())).map(describeSession)
    yield (await factors.listPasskeys(manager.id)).map(describePasskey)
    const [app, codes] = await Promise.all([factors.findTotp(manager.id, 'in_force'), factors.findCodes(manager.id)])
    if (app !== null) yield [describeApp(app)]
    if (codes !== null) yield [describeCodes(codes)]
  }

  async function* members(): RowPages {
    const now = clock()
    yield* paged((cursor) => exportedPeople.listMembers(record.id, cursor), describeMember)
    yield* paged((cursor) => exportedPeople.listInvitations(record.id, cursor, now), describeInvitation)
  }

  async function* keys(): RowPages {
    for (let cursor: string | null = null; ;) {
      const wanted: KeyPage = { status: 'all', limit: KEYS_AT_ONCE, cursor }
      const page = await nullIfClosedForErasure(
        ask(async (object): Promise<KeyRecord[]> => object.keys.list(wanted, null)),
      )
      isSealed = page === null
      if (page === null) return
      yield page.map((key) => presentKey(key, clock()))
      if (page.length < KEYS_AT_ONCE) return
      cursor = page.at(-1)?.id ?? null
    }
  }

  async function* notifications(): RowPages {
    const webhook = await nullIfClosedForErasure(
      ask(async (object): Promise<ShownWebhook | null> => object.webhook.read()),
    )
    if (webhook !== null) yield [describeWebhook(webhook)]
    const list = ask(async (object): Promise<WebhookMessage[]> =>
      object.webhook.listDeliveries(DELIVERIES_AT_ONCE, null),
    )
    yield ((await nullIfClosedForErasure(list)) ?? []).map(presentDelivery)
  }

  /** Yields the policies of settings and tier, then each version of the organisation's policy. */
  async function* policies(): RowPages {
    yield* organisationRows(describePolicies)
    for (let from: number | null = Number.MAX_SAFE_INTEGER; from !== null;) {
      const wanted = { before: from, limit: POLICIES_AT_ONCE }
      const page = await nullIfClosedForErasure(
        ask(async (object): Promise<PolicyVersion[]> => object.policy.listVersions(wanted)),
      )
      if (page === null) return
      yield page.map(describePolicyVersion)
      from = page.length < POLICIES_AT_ONCE ? null : (page.at(-1)?.version ?? null)
    }
  }

  async function* approvals(): RowPages {
    for (let oldest: ApprovalId | null = null; ;) {
      const wanted: ApprovalsQuery = { state: null, before: oldest, limit: APPROVALS_AT_ONCE }
      const page = await nullIfClosedForErasure(
        ask(async (object): Promise<AnyApproval[]> => object.approvals.list(wanted)),
      )
      isSealed = page === null
      if (page === null) return
      yield page.map(presentApproval)
      oldest = page.at(-1)?.approval_id ?? null
      if (page.length < APPROVALS_AT_ONCE) return
    }
  }

  async function* statements(): RowPages {
    const list = ask(async (object): Promise<Statement[]> => object.compliance.listStatements())
    yield ((await nullIfClosedForErasure(list)) ?? []).map(describeStatement)
  }

  async function* anomalies(): RowPages {
    const list = ask(async (object): Promise<Anomaly[]> => object.bias.listAnomalies())
    yield ((await nullIfClosedForErasure(list)) ?? []).map(describeAnomaly)
  }

  async function* entries(section: 'audit' | 'receipts'): AsyncGenerator<ExportedEntry[]> {
    for (let from: number | null = 0; from !== null;) {
      const wanted = { from, before, receiptsOnly: section === 'receipts' }
      const page = await ask(async (object): Promise<ExportedEntries> => object.export.readEntries(wanted))
      unreadable[section] += page.unreadable
      yield page.entries
      from = page.next
    }
  }

  async function* audit(): RowPages {
    for await (const page of entries('audit')) yield page.map(describeEntry)
  }

  async function* receipts(): RowPages {
    for await (const page of entries('receipts')) {
      yield await Promise.all(page.map((entry) => describeReceipt(entry, signer, format)))
    }
  }

  async function* organisationRows(describe: (organisation: OrganisationRecord) => Row[]): RowPages {
    yield describe((await nullIfClosedForErasure(repeatRead(() => organisationsService.show(record, null)))) ?? record)
  }

  async function* usage(): RowPages {
    yield describeUsage(await ask(async (object): Promise<Usage> => object.usage.read()))
    for (let from = 0; ;) {
      const first = from
      const counted = await nullIfClosedForErasure(
        ask(async (object): Promise<CountedDay | null> => object.usage.readCountedDay(first)),
      )
      if (counted === null) return
      yield describeCountedDay(counted)
      from = counted.day + 1
    }
  }

  const sections: ExportSource['sections'] = {
    account: { columns: ACCOUNT_COLUMNS, pages: account },
    organisation: {
      columns: ORGANISATION_COLUMNS,
      pages: () => organisationRows((organisation) => [describeOrganisation(organisation)]),
    },
    members: { columns: MEMBER_COLUMNS, pages: members },
    keys: { columns: exportColumns(KeySchema().shape), pages: keys },
    settings: {
      columns: exportColumns(SettingsSchema().shape),
      pages: () => organisationRows((organisation) => [presentOwnSettings(organisation)]),
    },
    notifications: { columns: notificationColumns(), pages: notifications },
    policies: { columns: POLICY_COLUMNS, pages: policies },
    approvals: { columns: exportColumns(ApprovalSchema().shape), pages: approvals },
    statements: { columns: statementColumns(), pages: statements },
    anomalies: { columns: anomalyColumns(), pages: anomalies },
    usage: { columns: USAGE_COLUMNS, pages: usage },
    audit: { columns: ENTRY_COLUMNS, pages: audit },
    receipts: { columns: RECEIPT_COLUMNS, pages: receipts },
  }

  return {
    sections,
    // Takes the larger number, because both sections read all entries.
    unreadable: () => Math.max(unreadable.audit, unreadable.receipts),
    async isStillThere() {
      if (isSealed) return false
      const lastEntry = await ask(async (object): Promise<FoundEntry> => object.log.findEntry(before - 1))
      return lastEntry.outcome === 'found'
    },
  }
}

async function* paged<T>(list: (cursor: string) => Promise<T[]>, describe: (one: T) => Row): RowPages {
  for (let cursor = ''; ;) {
    const after = cursor
    const page = (await repeatRead(() => list(after))).map((one) => describe(one))
    yield page
    if (page.length < PEOPLE_AT_ONCE) return
    cursor = String(page.at(-1)?.id)
  }
}
