// Request and response shapes of the compliance routes: checklist, reports and people’s statements. Also writes a stored statement
// for reports and responses. A score always comes with its list of controls.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { ComplianceReportSchema, ControlSchema, ScoreSchema } from '../../reports/report/report.schema.ts'
import { demoMember, orNull } from '../../platform/names.schema.ts'
import { PageQuerySchema } from '../../platform/pagination.schema.ts'
import { dateRangeMembers } from '../date-range.ts'
import { isStatementSubject, STATEMENT_SUBJECT_RULE } from '../../reports/controls/monitoring-controls.ts'
import type { Statement } from '../../reports/controls/control.ts'
import { STATED_CAUSES } from '../../reports/controls/stated-cause.policy.ts'

export const ScoreQuerySchema = once(() =>
  z.strictObject({
    at: z.iso.datetime().optional().meta({
      description:
        'A moment that has been: the checklist as the latest report found it that was made by then. Left out: as it stands now.',
      example: '2026-11-20T12:00:00Z',
    }),
    seed: z
      .string()
      .regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits in lower case')
      .optional()
      .meta({
        description: 'The seed of the sample of log entries, of your own choice. Left out: the root of the log.',
      }),
  }),
)

export const ComplianceScoreSchema = once(() =>
  z
    .strictObject({
      object: z.literal('compliance_score'),
      ...demoMember(),
      checked_at: z.iso.datetime(),
      start: z.iso.date(),
      end: z.iso.date().meta({ description: 'The last day of the period.' }),
      report_id: orNull(z.string()).meta({ description: 'Of the report that found this; null: it was found now.' }),
      checklist: z.string().meta({ example: '2026-11-27' }),
      law_as_of: z.iso.date().meta({ description: 'The day whose law the checklist is about. It is no legal advice.' }),
      score: ScoreSchema(),
      controls: z.array(ControlSchema()),
      cannot_show: z.array(z.string()).meta({ description: 'What no checklist of a gateway sees.' }),
    })
    .meta({
      id: 'ComplianceScoreAnswer',
      description: 'What this gateway has evidence of. It measures that evidence, and not the organisation.',
    }),
)

export const ReportPeriodSchema = once(() => z.strictObject(dateRangeMembers()).meta({ id: 'ComplianceReportPeriod' }))

export const ExportReportSchema = once(() =>
  z
    .strictObject({
      ...dateRangeMembers(),
      report_id: z
        .string()
        .regex(/^rep_[0-9a-f-]{36}$/, 'the id of a report, rep_…')
        .optional()
        .meta({ description: 'Of a report that is kept: it is drawn again, and no other is made.' }),
    })
    .meta({ id: 'ExportComplianceReport' }),
)

const position = once(() => z.int().meta({ description: 'Of the ledger’s entry that has the hash.' }))
const sha256 = once(() => z.string().regex(/^[0-9a-f]{64}$/))

export const MadeReportSchema = once(() =>
  ComplianceReportSchema()
    .extend({
      sha256: sha256().meta({
        description: 'Of the report’s canonical JSON (RFC 8785) without this member and position.',
      }),
      position: position(),
    })
    .meta({ id: 'MadeComplianceReport' }),
)

export const ReportsQuerySchema = PageQuerySchema

export const KeptReportSchema = once(() =>
  z
    .strictObject({
      id: z.string(),
      object: z.literal('kept_compliance_report'),
      created_at: z.iso.datetime(),
      expires_at: z.iso.datetime(),
      created_by: z.string(),
      start: z.iso.date(),
      end: z.iso.date(),
      sha256: sha256(),
      position: position(),
    })
    .meta({ id: 'KeptComplianceReport' }),
)

const MOST_CHARACTERS = 2000
const MOST_SOURCE_CHARACTERS = 500

/** Characters that change text direction or control a terminal. Refused, because a person signs the report with the text. */
const CONTROL_CHARACTERS = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--[\n]]/v

const writtenText = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine(
      (text) => text.isWellFormed() && !CONTROL_CHARACTERS.test(text),
      'without control characters, but for line breaks',
    )

export const subject = once(() =>
  z
    .string()
    .refine(isStatementSubject, STATEMENT_SUBJECT_RULE)
    .meta({ description: `What it is about: ${STATEMENT_SUBJECT_RULE}.`, example: 'X2' }),
)

export const MakeStatementSchema = once(() =>
  z
    .strictObject({
      text: writtenText(MOST_CHARACTERS).meta({ example: 'Both clinicians were trained on 3 November 2026.' }),
      looked_at: writtenText(MOST_SOURCE_CHARACTERS).meta({
        description: 'What you have looked at: documents, calls, or the status page of a provider.',
        example: 'The list of attendance of 3 November 2026.',
      }),
      cause: z
        .enum(STATED_CAUSES)
        .optional()
        .meta({ description: 'What caused an anomaly, a disparity or an incident.' }),
      date: z.iso.date().optional().meta({
        description: 'The day that it is about: that of a training, or since which an anomaly is over.',
      }),
    })
    .meta({ id: 'MakeComplianceStatement' }),
)

const statement = once(() => ({
  object: z.literal('compliance_statement'),
  subject: z.string().meta({ example: 'X2' }),
  text: z.string(),
  looked_at: z.string().meta({ description: 'What the person has looked at.' }),
  cause: orNull(z.enum(STATED_CAUSES)),
  date: orNull(z.iso.date()),
  stated_by: z.string().meta({ description: 'The person’s id.' }),
  stated_at: z.iso.datetime(),
}))
const description = 'The word of a person. It is listed beside the checklist, and no statement raises the score.'

export const StatementSchema = once(() => z.strictObject(statement()).meta({ id: 'StatedCompliance', description }))

/** The response after a statement is made. Not an extended schema: that would become an allOf that nothing satisfies. */
export const MadeStatementSchema = once(() =>
  z.strictObject({ ...statement(), ...demoMember() }).meta({ id: 'MadeComplianceStatement', description }),
)

export const StatementRemovalSchema = once(() =>
  z
    .strictObject({
      object: z.literal('compliance_statement_removal'),
      ...demoMember(),
      subject: z.string(),
      position: z.int().meta({ description: 'Of the ledger’s entry that tells of it.' }),
    })
    .meta({ id: 'ComplianceStatementRemoval' }),
)

/** Returns a statement in the form that reports use. */
export const describeStatement = ({ subject: about, text, lookedAt, cause, date, statedBy, statedAt }: Statement) => ({
  subject: about,
  text,
  looked_at: lookedAt,
  cause,
  date,
  stated_by: statedBy,
  stated_at: new Date(statedAt).toISOString(),
})

export const presentStatement = (made: Statement): Infer<typeof StatementSchema> => ({
  object: 'compliance_statement',
  ...describeStatement(made),
})
