// Requests and responses about people's statements.
import { z } from '@hono/zod-openapi'
import { demoMember, orNull } from '../../platform/shapes.schema.ts'
import { isSubject, SUBJECT_RULE } from '../../reports/controls/monitoring.ts'

const MOST_CHARACTERS = 2000

/** Characters that turn text around or act in a terminal. Statements are printed in a report that a person signs. */
const DOING = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--[\n]]/v

export const subject = z
  .string()
  .refine(isSubject, SUBJECT_RULE)
  .openapi({ description: `What it is about: ${SUBJECT_RULE}.`, example: 'X2' })

export const MakeStatementSchema = z
  .strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(MOST_CHARACTERS)
      .refine((text) => text.isWellFormed() && !DOING.test(text), 'without control characters, but for line breaks')
      .openapi({ example: 'Both clinicians were trained on 3 November 2026.' }),
    date: z.iso.date().optional().openapi({ description: 'The day that it is about, such as that of a training.' }),
  })
  .openapi('MakeComplianceStatement')

const statement = {
  object: z.literal('compliance_statement'),
  subject: z.string().openapi({ example: 'X2' }),
  text: z.string(),
  date: orNull(z.iso.date()),
  stated_by: z.string().openapi({ description: 'The person’s id.' }),
  stated_at: z.iso.datetime(),
}
const description = 'The word of a person. It is listed beside the checklist and never counts.'

export const StatementSchema = z.strictObject(statement).openapi('StatedCompliance', { description })

/** A statement as a response of its own. An extended schema would become an allOf that nothing satisfies. */
export const MadeStatementSchema = z
  .strictObject({ ...statement, ...demoMember })
  .openapi('MadeComplianceStatement', { description })

export const StatementRemovalSchema = z
  .strictObject({
    object: z.literal('compliance_statement_removal'),
    ...demoMember,
    subject: z.string(),
    position: z.int().openapi({ description: 'Of the ledger’s entry that tells of it.' }),
  })
  .openapi('ComplianceStatementRemoval')

export type ShownStatement = z.infer<typeof StatementSchema>
