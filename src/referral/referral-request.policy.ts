// Checks a referral read in the contract's order: JSON, action, text present, length, identifiers, headers. Pure: the result is
// known before the organisation's object admits the call, and the turn that admits the call records the result.
import { parseJsonObject } from '../platform/request-body.ts'
import type { JsonObject } from '../platform/json.ts'
import { AppError } from '../platform/errors.ts'
import { checkBySchema } from '../platform/check-by-schema.ts'
import { readIdempotencyKey } from '../platform/read-request.ts'
import { sha256 } from '../platform/sha256.ts'
import {
  ALLOWED_ACTIONS,
  DEFAULT_ACTION,
  HELD_ACTIONS,
  isAllowedAction,
  isHeldAction,
  type AllowedAction,
  type HeldAction,
} from './actions.ts'
import { findIdentifiers } from '../scanning/identifiers/find-identifiers.ts'
import type { IdentifierFinding } from '../scanning/identifiers/find-identifiers.ts'
import type { IdentifierShape } from '../scanning/identifiers/shapes/identifiers.ts'
import type { RecordedExample } from './examples/examples.ts'
import { MAX_TEXT_CODE_POINTS, ReadRequestSchema } from './read.schema.ts'

export const REFERENCE_HEADER = 'x-aqta-reference'

/** Visible ASCII characters. A header that is sent twice has a blank in it. */
export const REFERENCE = /^[\x21-\x7e]{1,64}$/
const REFERENCE_RULE = '1 to 64 visible characters of ASCII, without blanks'

/** Matches any visible character. Unicode calls the Braille blank a symbol; marks are visible only on a character before them. */
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u2800]/u

/** `example`: the example letter that the text is; null if it is none. */
export type ReadRequest =
  | ({ kind: 'read'; action: AllowedAction; text: string; example: RecordedExample | null } & ReadHeaders)
  | { kind: 'held'; action: HeldAction }
  | Refused

/** Null without the header. */
export type ReadHeaders = { idempotencyKeyHash: Uint8Array | null; reference: string | null }

/** `shapes`: the distinct shapes of the identifiers found; absent if the body is refused for another reason. */
type Refused = {
  kind: 'refused'
  action: AllowedAction | null
  error: AppError
  shapes?: readonly IdentifierShape[]
}

/**
 * @param findExample returns the example letter that a text is, if the caller may read those; else null. Example letters have no
 * identifiers, which a test checks, so they are not searched.
 */
export function interpretReferralRequest(
  headers: Headers,
  bytes: Uint8Array,
  findExample: (text: string) => RecordedExample | null = () => null,
): ReadRequest {
  const body = parseJsonObject(headers, bytes)
  if (body instanceof AppError) return { kind: 'refused', action: null, error: body }

  // A held action is held whatever else the body contains.
  const action = body['action'] ?? DEFAULT_ACTION
  if (typeof action === 'string' && isHeldAction(action)) return { kind: 'held', action }
  if (typeof action === 'string' && !isAllowedAction(action))
    return { kind: 'refused', action: null, error: unknownAction() }

  const known = typeof action === 'string' && isAllowedAction(action) ? action : null
  const text = checkText(body)
  if (typeof text !== 'string') return { kind: 'refused', action: known, error: text }
  const example = findExample(text)
  const inText = example === null ? findIdentifiers(text) : []
  if (inText.length > 0) return refuseIdentifiers(known, inText, 'text')
  const sentHeaders = readHeaders(headers)
  if (sentHeaders instanceof AppError) return { kind: 'refused', action: known, error: sentHeaders }
  const inReference = findIdentifiers(sentHeaders.reference ?? '')
  if (inReference.length > 0) return refuseIdentifiers(known, inReference, REFERENCE_HEADER)
  return { kind: 'read', action: known ?? DEFAULT_ACTION, text, example, ...sentHeaders }
}

function readHeaders(headers: Headers): ReadHeaders | AppError {
  const idempotencyKey = readIdempotencyKey(headers)
  if (idempotencyKey instanceof AppError) return idempotencyKey
  const reference = headers.get(REFERENCE_HEADER)
  if (reference !== null && !REFERENCE.test(reference)) return invalidReference()
  return { idempotencyKeyHash: idempotencyKey === null ? null : sha256(idempotencyKey), reference }
}

function refuseIdentifiers(
  action: AllowedAction | null,
  identifiers: readonly IdentifierFinding[],
  param: keyof typeof IN_PLACE,
): Refused {
  const shapes = [...new Set(identifiers.map(({ shape }) => shape))]
  const named = shapes.map((shape) => shape.replaceAll('_', ' ')).join(', ')
  const error = new AppError('identifier_found', IN_PLACE[param](named), { param, members: { identifiers } })
  return { kind: 'refused', action: action ?? DEFAULT_ACTION, error, shapes }
}

function checkText(body: JsonObject): string | AppError {
  if ((body['text'] ?? null) === null) return textMissing()
  const form = checkBySchema(ReadRequestSchema(), body, 'body')
  if (form instanceof AppError) return form
  const text = form.text ?? ''
  if (!VISIBLE.test(text)) return textMissing()
  if (!text.isWellFormed()) return notWellFormed()
  if (countCodePoints(text) > MAX_TEXT_CODE_POINTS) return textTooLong()
  return text
}

function countCodePoints(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1) count++
  return count
}

const unknownAction = (): AppError =>
  new AppError(
    'unknown_action',
    `There is no such action; these are always held with 409: ${HELD_ACTIONS.join(', ')}. Send one of ${ALLOWED_ACTIONS.join(', ')}, or none.`,
    { param: 'action' },
  )

const textMissing = (): AppError =>
  new AppError('text_missing', 'The letter is missing. Send the draft letter as text.', { param: 'text' })

const textTooLong = (): AppError =>
  new AppError(
    'text_too_long',
    `The text is over ${MAX_TEXT_CODE_POINTS} characters (Unicode code points). Shorten it and send it again.`,
    {
      param: 'text',
    },
  )

const notWellFormed = (): AppError =>
  new AppError(
    'invalid_request',
    'The text contains half of a surrogate pair, which is not a character. Check how it was cut or escaped.',
    {
      param: 'text',
      fields: [{ path: 'text', rule: 'well-formed Unicode' }],
    },
  )

/** The sentence is true for every store: the log entry has the shapes, the log line the status, neither has the text. */
const REFUSAL_KEPT = 'The text was not read or stored; the refusal, its time and the shapes were recorded.'

/** The message for an identifier, by `param`. */
const IN_PLACE = {
  text: (named: string) =>
    `The text seems to contain an identifier (${named}); remove it and send the rest again (error.identifiers has the position). ${REFUSAL_KEPT}`,
  [REFERENCE_HEADER]: (named: string) =>
    `The header ${REFERENCE_HEADER} seems to contain an identifier (${named}); send another reference, or none. ${REFUSAL_KEPT}`,
}

const invalidReference = (): AppError =>
  new AppError('invalid_request', `The header ${REFERENCE_HEADER} has a wrong value. Send ${REFERENCE_RULE}.`, {
    param: REFERENCE_HEADER,
    fields: [{ path: REFERENCE_HEADER, rule: REFERENCE_RULE }],
  })
