// The policy rule that limits the kinds of content in a request, and how much of each. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { CONTENT_KINDS, kindsOf, type ContentFacts, type ContentKind, type RuleFacts } from '../facts.ts'
import { raisedLimits, widenedList } from './loosening-words.ts'
import { defineRule } from './rule.ts'

const most = once(() => z.int().min(0).max(1_000_000_000))

const ContentTypeGuardSchema = once(() =>
  z
    .strictObject({
      allow: z
        .array(z.enum(CONTENT_KINDS))
        .optional()
        .meta({
          description: 'The kinds that a request may have. Left out: all of them.',
          example: ['text', 'tools'],
        }),
      max_body_bytes: most().optional().meta({ description: 'Of the whole body as sent.' }),
      max_text_characters: most().optional().meta({
        description:
          'Of everything that the model reads as text, in UTF-16 code units, as JavaScript counts them: messages, text files, names, arguments of calls, definitions of tools and of the answer’s form. Schemas count as compact JSON.',
      }),
      max_images: most().optional(),
      max_files: most().optional(),
      max_tools: most()
        .optional()
        .meta({ description: 'How many tools a request may define, a search of the web among them.' }),
    })
    .meta({ id: 'ContentTypeGuard', description: 'What kinds of content a request may have, and how much of each.' }),
)

type ContentTypeGuard = Infer<typeof ContentTypeGuardSchema>

type ContentReason = `${ContentKind}_not_allowed` | keyof Omit<ContentTypeGuard, 'allow'>

/** Returns null if the rule allows the request. The reason names the kind, or the limit that the request exceeds. */
export function refuseContent(rule: ContentTypeGuard, { content }: Pick<RuleFacts, 'content'>): ContentReason | null {
  const { allow } = rule
  const refused = allow && kindsOf(content).find((kind) => !allow.includes(kind))
  if (refused !== undefined) return `${refused}_not_allowed`
  return LIMITS.find(([member, of]) => of(content) > (rule[member] ?? Infinity))?.[0] ?? null
}

const LIMITS: ReadonlyArray<[keyof Omit<ContentTypeGuard, 'allow'>, (content: ContentFacts) => number]> = [
  ['max_body_bytes', ({ bytes }) => bytes],
  ['max_text_characters', ({ characters }) => characters],
  ['max_images', ({ images }) => images],
  ['max_files', ({ files }) => files],
  ['max_tools', ({ tools }) => tools],
]

export const contentTypeGuard = defineRule({
  schema: ContentTypeGuardSchema,
  refuse: refuseContent,
  refusal: {
    problem: 'Your organisation’s policy does not allow this content, or this much of it',
    remedy: 'Remove it; no provider saw the request.',
  },
  findLooser: (before, after) => [...widenedList('allow', before.allow, after.allow), ...raisedLimits(before, after)],
})
