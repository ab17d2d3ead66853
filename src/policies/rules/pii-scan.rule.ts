// The policy rule about personal identifiers, accounts and tokens in a request's text. The scan runs before; the rule gets only
// its counts. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { SHAPES, type Shape } from '../../scanning/identifiers/shapes/index.ts'
import type { Findings, RuleFacts } from '../facts.ts'
import { weakenedActions } from './loosening-words.ts'
import { defineRule } from './rule.ts'

export const PII_ACTIONS = ['report', 'redact', 'block', 'ignore'] as const
export type PiiAction = (typeof PII_ACTIONS)[number]

const ActionSchema = once(() => z.enum(PII_ACTIONS))

export const PiiScanSchema = once(() =>
  z
    .strictObject({
      default: ActionSchema().meta({ description: 'For every shape that is not named in shapes.' }),
      shapes: z
        .partialRecord(z.enum(SHAPES), ActionSchema())
        .optional()
        .meta({ example: { payment_card: 'block', phone_number: 'redact', date: 'ignore' } }),
      answers: z
        .strictObject({ default: ActionSchema(), shapes: z.partialRecord(z.enum(SHAPES), ActionSchema()).optional() })
        .optional()
        .meta({
          description:
            'What is done where the answer of a model holds such a shape; nothing is inherited from the actions for requests. report: it is counted, and the answer is not changed. redact: `[PPS_NUMBER]` or the like stands in its place, and is never put back. block: a whole answer is 403 answer_blocked, a stream ends with an error event, and both are charged. ignore: as if it were not there. Left out: answers are not searched.',
          example: { default: 'report', shapes: { payment_card: 'block', pps_number: 'redact' } },
        }),
    })
    .meta({
      id: 'PiiScan',
      description:
        'What is done where the text of a request, or by `answers` of an answer, holds the shape of an identifier, an account or a token. In requests, report: it is counted. redact: a placeholder is sent in its place, and the value is put back where the answer repeats that. block: nothing is sent. ignore: as if it were not there. Where redact cannot take a value out, as in the address of a picture or the name of a function, nothing is sent. The bytes of pictures and PDFs are not looked into (content_type_guard can refuse them), nor are names and addresses of people, which have no shape.',
    }),
)

export type PiiScan = Infer<typeof PiiScanSchema>

/** The name of the rule about answers, in records and errors. */
export const ANSWERS_RULE = 'pii_scan.answers'

/** The part of the rule about values in answers. */
export type AnswerRule = NonNullable<PiiScan['answers']>

export const actionFor = ({ default: otherwise, shapes = {} }: PiiScan | AnswerRule, shape: Shape): PiiAction =>
  shapes[shape] ?? otherwise

export const mayChangeAnswers = (answers: AnswerRule): boolean =>
  SHAPES.some((shape) => ['redact', 'block'].includes(actionFor(answers, shape)))

const inAnswers = ({ answers = { default: 'ignore' } }: PiiScan): AnswerRule => answers

function weakenedInAnswers(before: PiiScan, after: PiiScan): string[] {
  const weaker = weakenedActions('all shapes', SHAPES, actionFor, [inAnswers(before), inAnswers(after)])
  if (after.answers === undefined && weaker.length > 0) return ['answers is no longer set']
  return weaker.map((one) => `in answers, ${one}`)
}

/** How often each shape was found, without ignored shapes. */
export type ShapeCounts = Readonly<Partial<Record<Shape, number>>>

/** Returns null if the rule allows the request. The reason lists the shapes. A value that cannot be redacted is not sent. */
export function refusePii(rule: PiiScan, { findings }: Pick<RuleFacts, 'findings'>): string | null {
  const blocked = shapesWith(rule, 'block', findings.pii_scan)
  if (blocked.length > 0) return `found: ${blocked.join(', ')}`
  const fixed = shapesWith(rule, 'redact', findings.pii_fixed)
  return fixed.length === 0 ? null : `${NOT_REDACTABLE}: ${fixed.join(', ')}`
}

/** Begins the reason for a shape that must be redacted where redaction is impossible. */
const NOT_REDACTABLE = 'not_redactable'

const shapesWith = (rule: PiiScan, action: PiiAction, found: Findings['pii_scan'] = {}): Shape[] =>
  SHAPES.filter((shape) => (found[shape] ?? 0) > 0 && actionFor(rule, shape) === action)

export const piiScan = defineRule({
  schema: PiiScanSchema,
  refuse: refusePii,
  refusal: {
    problem: 'Your organisation’s policy does not allow values of these shapes',
    remedy: 'Remove them from the text; no provider saw the request.',
    byReason: {
      [NOT_REDACTABLE]: {
        problem: 'The policy redacts values of these shapes, and one is where a placeholder is not possible',
        remedy: 'Remove it from addresses, function names and schemas; no provider saw the request.',
      },
    },
  },
  findLooser: (before, after) => [
    ...weakenedActions('all shapes', SHAPES, actionFor, [before, after]),
    ...weakenedInAnswers(before, after),
  ],
  mayRefuseUnseen: (scan, then) =>
    SHAPES.some(
      (shape) => actionFor(scan, shape) === 'block' && (then === undefined || actionFor(then, shape) === 'ignore'),
    ),
})
