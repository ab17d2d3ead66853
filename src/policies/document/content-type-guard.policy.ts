// The policy rule that limits the kinds of content in a request, and how much of each. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { raisedLimits, widenedList } from './loosening-words.ts'

export const CONTENT_KINDS = ['text', 'image', 'file', 'tools'] as const
export type ContentKind = (typeof CONTENT_KINDS)[number]

/**
 * `bytes`: the whole body as sent. `characters`: all texts that a model reads, in UTF-16 code units. `texts`: text parts that are
 * not empty.
 */
export type ContentFacts = {
  bytes: number
  characters: number
  texts: number
  images: number
  files: number
  tools: number
}

const most = once(() => z.int().min(0).max(1_000_000_000))

export const ContentTypeGuardSchema = once(() =>
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

export type ContentTypeGuard = Infer<typeof ContentTypeGuardSchema>

export type ContentReason = `${ContentKind}_not_allowed` | keyof Omit<ContentTypeGuard, 'allow'>

/** Returns null if the rule allows the request. The reason names the kind, or the limit that the request exceeds. */
export function refuseContent(rule: ContentTypeGuard, { content }: { content: ContentFacts }): ContentReason | null {
  const { allow } = rule
  const refused = allow && kindsOf(content).find((kind) => !allow.includes(kind))
  if (refused !== undefined) return `${refused}_not_allowed`
  return LIMITS.find(([member, of]) => of(content) > (rule[member] ?? Infinity))?.[0] ?? null
}

/** Returns kinds in the order of CONTENT_KINDS. */
export const kindsOf = (content: ContentFacts): ContentKind[] =>
  CONTENT_KINDS.filter((kind) => COUNTS[kind](content) > 0)

type Measure = (content: ContentFacts) => number

const COUNTS: Readonly<Record<ContentKind, Measure>> = {
  text: ({ texts }) => texts,
  image: ({ images }) => images,
  file: ({ files }) => files,
  tools: ({ tools }) => tools,
}

const LIMITS: ReadonlyArray<[keyof Omit<ContentTypeGuard, 'allow'>, Measure]> = [
  ['max_body_bytes', ({ bytes }) => bytes],
  ['max_text_characters', ({ characters }) => characters],
  ['max_images', COUNTS.image],
  ['max_files', COUNTS.file],
  ['max_tools', COUNTS.tools],
]

export const loosenedContent = (before: ContentTypeGuard, after: ContentTypeGuard): string[] => [
  ...widenedList('allow', before.allow, after.allow),
  ...raisedLimits(before, after),
]
