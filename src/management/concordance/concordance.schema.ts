// The answer of the concordance. Its page reads it too.
import * as z from 'zod'
import { demoMember, orNull } from '../../platform/names.schema.ts'
import { once } from '../../platform/once.ts'

export const CONCORDANCE_NOTE = 'This compares readings with choices. It does not say who was right.'

const count = once(() => z.int().min(0))
const month = once(() => z.string().regex(/^\d{4}-\d{2}$/))

const ShareSchema = once(() =>
  z
    .strictObject({
      k: count(),
      n: count(),
      interval: z.tuple([z.number(), z.number()]).meta({ description: '95%, Wilson.' }),
    })
    .meta({ id: 'ConcordanceShare' }),
)

const countMembers = once(() => ({
  n: count(),
  accepted: count().meta({ description: 'The reading was yes, and its specialty was chosen.' }),
  overridden: count().meta({ description: 'The reading was yes, and another or none was chosen.' }),
  chosen: count().meta({ description: 'The reading was ask.' }),
  reader_a_same: ShareSchema().meta({ description: 'Where Reader A had named what was chosen.' }),
  reader_b_same: ShareSchema(),
}))

export const ConcordanceSchema = once(() =>
  z
    .strictObject({
      object: z.literal('concordance'),
      ...demoMember(),
      note: z.literal(CONCORDANCE_NOTE),
      coverage: z
        .strictObject({
          from: orNull(month()),
          to: orNull(month()),
          readings: count().meta({ description: 'Readings that began in the closed months.' }),
          with_outcome: count(),
        })
        .meta({ description: 'How many readings of the closed months have an outcome.' }),
      totals: orNull(z.strictObject(countMembers())).meta({ description: 'Of the blocks shown; null without one.' }),
      data: z
        .array(
          z.strictObject({
            specialty: z.string().nullable().meta({ description: 'The chosen one; null where none was.' }),
            blocks: z
              .array(z.strictObject({ from: month(), to: month(), ...countMembers() }))
              .meta({ description: 'Months with at least ten outcomes together.' }),
          }),
        )
        .meta({ description: 'Specialties with a block, in the order of the published file.' }),
      pending: z
        .boolean()
        .meta({ description: 'Closed months have more outcomes, too few of a specialty for a block.' }),
    })
    .meta({ id: 'Concordance' }),
)
