// The JSON format of a stored snapshot of an organisation's state. The format has its own version.
import { membersOf, RECORD_OUTCOMES } from '../../../evidence/records/call-endings.ts'
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { PolicyDocumentSchema } from '../../../policies/document/policy-document.ts'
import { NamedSettingsSchema } from '../../../policies/organisation-settings.ts'
import { CoverageSchema } from './coverage.ts'
import { OpenApprovalSchema } from './approval.schema.ts'

export const SNAPSHOT_VERSION = 1

const whole = once(() => z.int())
const count = once(() => whole().min(0))

/** Time of the last call; its day and that day's calls; the last other day with calls, and its calls. */
const subjectCalls = once(() => z.tuple([whole(), whole(), count(), whole(), count()]))

/** Period, subject, spent and reserved micro-euro. */
const periods = once(() => z.array(z.tuple([whole(), z.string(), count(), count()])))

const keyLoops = once(() =>
  z.strictObject({
    active: z.array(z.strictObject({ hashes: z.array(z.string()), lastAt: whole() })),
    /** Only full snapshots have the optional members. */
    recent: z.array(z.strictObject({ hash: z.string(), at: whole() })).optional(),
    /** Each hash with its times. */
    times: z.array(z.tuple([z.string(), z.array(whole())])).optional(),
  }),
)

export const SnapshotSchema = once(() =>
  z.strictObject({
    version: z.literal(SNAPSHOT_VERSION),
    /** The log's frontier as hexadecimal digits. */
    frontier: z.string(),
    next: count(),
    clock: z.strictObject({ latest: whole(), runs: z.array(z.strictObject({ position: count(), at: whole() })) }),
    /** Strict, so that settings under other names are refused and not read as initial values. */
    settings: NamedSettingsSchema().strict(),
    policy: z.strictObject({ version: count(), document: PolicyDocumentSchema() }),
    /** Calls by subject. */
    calls: z.record(z.string(), subjectCalls()),
    /** The times within the last minute, by subject. */
    windows: z.record(z.string(), z.array(whole())).optional(),
    months: z.strictObject({
      used: z.array(
        z.strictObject({ month: whole(), requests: count(), spentMicroeur: count(), reservedMicroeur: count() }),
      ),
      /** Position, time, micro-euro, key. */
      open: z.array(z.tuple([count(), whole(), count(), z.string().nullable()])),
    }),
    spending: z.strictObject({ days: periods(), keyMonths: periods() }),
    readings: z.strictObject({
      days: z.array(z.strictObject({ day: whole(), keyId: z.string(), microeur: count() })),
      open: z.array(z.strictObject({ position: count(), keyId: z.string(), day: whole(), microeur: count() })),
    }),
    loops: z.strictObject({
      since: count(),
      sincePolicy: count(),
      /** By key. */ keys: z.record(z.string(), keyLoops()),
    }),
    counts: z.strictObject({
      from: count(),
      hour: whole().nullable(),
      chats: z.strictObject(membersOf(RECORD_OUTCOMES, count)),
      retentionDays: count().nullable(),
      referrals: z.array(z.tuple([z.string(), count()])),
      readings: count(),
      calls: z.strictObject({
        counted: count(),
        scope: count(),
        closing: count(),
        rate: count(),
        quota: count(),
        budget: count(),
      }),
    }),
    /** Left out if there are none. */
    approvals: z.array(OpenApprovalSchema()).optional(),
    /** Left out if there are none, and in what is stored. */
    coverage: CoverageSchema().optional(),
  }),
)

export type SnapshotDocument = Infer<typeof SnapshotSchema>
