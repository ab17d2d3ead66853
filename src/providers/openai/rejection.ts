// Reads why OpenAI rejected a request, from `error.code` and `error.param` (https://platform.openai.com/docs/guides/error-codes).
// `param` has the chat standard's names or their older forms. Perplexity's errors have the same envelope.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import {
  hintAt,
  NO_HINT,
  readPath,
  type Path,
  type ReadRejection,
  type RejectionReason,
  type RequestSizes,
} from '../rejection.ts'

const ErrorSchema = once(() =>
  z.object({
    error: z.object({
      message: z.string().catch(''),
      type: z.string().nullish().catch(null),
      code: z.union([z.string(), z.number()]).nullish().catch(null),
      param: z.string().nullish().catch(null),
    }),
  }),
)

const ACCESS =
  /^(?:insufficient_quota|billing_.*|invalid_api_key|account_deactivated|model_not_found|invalid_model|unknown_model|.*_organization|organization_.*|unsupported_country.*)$/
/** Matches only the beginning: a message can quote the caller's words further on. */
const ACCESS_TEXT = /^you(?:r organization must be verified| exceeded your current quota)/i

const REASON_OF_CODE: readonly (readonly [RegExp, RejectionReason])[] = [
  [/^context_length_exceeded$/, 'too_long'],
  [/policy|content_filter|^invalid_prompt$/, 'content'],
  [/image|file|pdf/, 'media'],
  [/^invalid_function_parameters$|schema/, 'schema'],
  [/^request_too_large$/, 'too_large'],
]

const REASON_OF_TEXT: readonly (readonly [RegExp, RejectionReason])[] = [
  [/context length|context window|input tokens exceed/i, 'too_long'],
  [/^invalid schema/i, 'schema'],
  [/^you uploaded an unsupported image/i, 'media'],
  [/^request too large for .{0,200}tokens per min/i, 'beyond_rate'],
]

/** Returns a reader of errors in OpenAI's envelope. @param toChat translates a path into the chat standard's names */
export const readStandardRejection =
  (toChat: (path: Path, requestSizes: RequestSizes) => Path): ReadRejection =>
  (body, requestSizes) => {
    const parsed = ErrorSchema().safeParse(body)
    if (!parsed.success) return NO_HINT
    const { code, type, param, message } = parsed.data.error
    const codes = [code, type].filter((word) => typeof word === 'string')
    if (codes.some((word) => ACCESS.test(word)) || ACCESS_TEXT.test(message)) return 'access'
    const path = toChat(readPath(param ?? ''), requestSizes)
    const reason =
      REASON_OF_CODE.find(([words]) => codes.some((word) => words.test(word)))?.[1] ??
      REASON_OF_TEXT.find(([words]) => words.test(message))?.[1]
    if (reason !== undefined) return { reason, path }
    if (path.includes('image_url') || path.includes('file')) return { reason: 'media', path }
    return path.includes('parameters') || path.includes('schema') ? { reason: 'schema', path } : hintAt(path)
  }

/** OpenAI reports some limits under their older name, whichever was sent. */
export const readOpenAiRejection = readStandardRejection((path) =>
  path[0] === 'max_tokens' ? ['max_completion_tokens'] : path,
)
