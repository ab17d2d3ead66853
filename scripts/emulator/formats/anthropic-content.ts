// The content blocks of an Anthropic message, each with the members that it takes and no other.

import { z } from 'zod'

export const cacheMark = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish()

const marked = { cache_control: cacheMark }
/** Empty texts are refused further on, in Anthropic's own words for them. */
export const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.unknown().optional(),
  ...marked,
})
const url = z.strictObject({ type: z.literal('url'), url: z.string() })
const file = z.strictObject({ type: z.literal('file'), file_id: z.string() })
const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/)

const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: base64,
    }),
    url,
    file,
  ]),
  transformations: z.unknown().optional(),
  ...marked,
})
const documentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
    z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
    z.strictObject({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]),
    }),
    url,
    file,
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean().optional() }).nullish(),
  ...marked,
})
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/),
  name: z.string().max(200),
  input: z.record(z.string(), z.unknown()),
  caller: z.unknown().optional(),
  ...marked,
})
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock]))])
    .optional(),
  is_error: z.boolean().optional(),
  ...marked,
})
const thinkingBlock = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() })
const redactedBlock = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() })

export const contentBlock = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  documentBlock,
  toolUse,
  toolResult,
  thinkingBlock,
  redactedBlock,
])
export type Block = z.infer<typeof contentBlock>
export type AnthropicMessage = { role: 'user' | 'assistant'; content: string | Block[] }

export function blocksOf(message: AnthropicMessage): Block[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
}

/** What counts as the text of a block. Thinking that comes back does not. */
export function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'tool_use':
      return block.name + JSON.stringify(block.input)
    case 'tool_result':
      return typeof block.content === 'string' ? block.content : (block.content ?? []).map(blockText).join('')
    case 'document':
      return block.source.type === 'text' ? block.source.data : ''
    case 'image':
    case 'thinking':
    case 'redacted_thinking':
      return ''
  }
}

/** Images and documents, those of tool results too. */
export function mediaIn(block: Block): number {
  if (block.type === 'image') return 1
  if (block.type === 'document') return block.source.type === 'text' ? 0 : 1
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return 0
  return block.content.reduce((sum, inner) => sum + mediaIn(inner), 0)
}

const TAGGED = ['content', 'tools'] as const
const TAGGED_MEMBERS = ['source', 'tool_choice', 'thinking'] as const

/**
 * A place as Anthropic writes it, where what stands in a list of kinds is followed by its kind: `messages.0.content.1`
 * and `text` become `messages.0.content.1.text.text`.
 */
export function taggedPlace(body: unknown, path: readonly string[]): string {
  const written: string[] = []
  let value: unknown = body
  for (const [at, step] of path.entries()) {
    written.push(step)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
    const isLast = at === path.length - 1
    const isTagged =
      (/^\d+$/.test(step) && TAGGED.some((name) => name === path[at - 1])) ||
      TAGGED_MEMBERS.some((name) => name === step)
    if (isLast || !isTagged || typeof value !== 'object' || value === null) continue
    const kind: unknown = Reflect.get(value, 'type') ?? (path[at - 1] === 'tools' ? 'custom' : undefined)
    if (path[at + 1] === 'type') break
    if (typeof kind === 'string') written.push(kind)
  }
  return written.join('.')
}
