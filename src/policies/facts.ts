// The facts that the policy's rules get about a call: how the log has each (`facts-1`), and how it is read from there, so that
// another policy can be simulated. SECURITY: never text of the request.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { DATA_REGIONS, type DataRegion } from '../platform/data-region.ts'

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

export function kindsOf({ texts, images, files, tools }: ContentFacts): ContentKind[] {
  const counts = { text: texts, image: images, file: files, tools }
  return CONTENT_KINDS.filter((kind) => counts[kind] > 0)
}

/** The scan's findings: how often each shape was found, and which injection rules matched. */
export type Findings = {
  readonly pii_scan?: Readonly<Record<string, number>>
  /** How many of each shape are in places where redaction is impossible. */
  readonly pii_fixed?: Readonly<Record<string, number>>
  readonly prompt_injection_guard?: readonly string[]
}

export type RuleFacts = {
  keyId: string
  /** It is in the record of the decision. */
  model: string
  useCase: string | null
  content: ContentFacts
  findings: Findings
  /** The regions of the routes at enabled providers. */
  regions: readonly DataRegion[]
  regionLimit: DataRegion
}

export type AskedFacts = Omit<RuleFacts, 'keyId' | 'findings' | keyof RegionFacts>
export type RegionFacts = Pick<RuleFacts, 'regions' | 'regionLimit'>

const counts = once(() => z.record(z.string(), z.number()).optional())

/** The members of the facts in the log, which names only what the call has. Members that older entries lack are optional. */
export const loggedFacts = once(() => ({
  key_id: z.string(),
  use_case: z.string().nullable(),
  content_kinds: z.array(z.enum(CONTENT_KINDS)),
  bytes: z.number(),
  text_characters: z.number(),
  images: z.number().optional(),
  files: z.number().optional(),
  tools: z.number().optional(),
  pii: counts(),
  pii_not_redactable: counts(),
  prompt_injections: z.array(z.string()).optional(),
  region_limit: z.enum(DATA_REGIONS).optional(),
  route_regions: z.array(z.enum(DATA_REGIONS)).optional(),
}))

type LoggedFacts = z.output<z.ZodObject<ReturnType<typeof loggedFacts>>>

export function writeFacts({ keyId, useCase, content, findings, regionLimit, regions }: RuleFacts): LoggedFacts {
  const { bytes, characters, images, files, tools } = content
  const { pii_scan: pii = {}, pii_fixed: fixed = {}, prompt_injection_guard: injections = [] } = findings
  return {
    key_id: keyId,
    use_case: useCase,
    content_kinds: kindsOf(content),
    bytes,
    text_characters: characters,
    ...(images > 0 && { images }),
    ...(files > 0 && { files }),
    ...(tools > 0 && { tools }),
    ...(Object.keys(pii).length > 0 && { pii }),
    ...(Object.keys(fixed).length > 0 && { pii_not_redactable: fixed }),
    ...(injections.length > 0 && { prompt_injections: [...injections] }),
    ...(regionLimit !== 'any' && { region_limit: regionLimit }),
    ...(regions.some((one) => one !== 'any') && { route_regions: [...new Set(regions)] }),
  }
}

/** Returns the facts of an entry. The log does not store how many texts there were, only whether there was one. */
export const readFacts = (logged: LoggedFacts, model: string): RuleFacts => ({
  keyId: logged.key_id,
  model,
  useCase: logged.use_case,
  content: {
    bytes: logged.bytes,
    characters: logged.text_characters,
    texts: logged.content_kinds.includes('text') ? 1 : 0,
    images: logged.images ?? 0,
    files: logged.files ?? 0,
    tools: logged.tools ?? 0,
  },
  findings: {
    pii_scan: logged.pii ?? {},
    pii_fixed: logged.pii_not_redactable ?? {},
    prompt_injection_guard: logged.prompt_injections ?? [],
  },
  regions: logged.route_regions ?? ['any'],
  regionLimit: logged.region_limit ?? 'any',
})
