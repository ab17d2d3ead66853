// The header Idempotency-Key: by which a request that is sent again is known.
import { AppError } from './errors.ts'

export const IDEMPOTENCY_HEADER = 'idempotency-key'

/** Visible ASCII, and blanks between. */
const FORM = /^[\x20-\x7e]{1,255}$/

/** A string as structured fields have it (RFC 8941): in quotes, within which a quote or a backslash has a backslash before it. */
const QUOTED = /^"(?:[^"\\]|\\["\\])*"$/

/** The caller's own key, the same with quotes around it and without; null where the header is not there. */
export function readIdempotencyKey(headers: Headers): string | null | AppError {
  const sent = headers.get(IDEMPOTENCY_HEADER)
  if (sent === null) return null
  const isQuoted = sent.length >= 2 && sent.startsWith('"') && sent.endsWith('"')
  if (isQuoted && !QUOTED.test(sent)) return malformed()
  const key = isQuoted ? sent.slice(1, -1).replace(/\\(["\\])/g, '$1') : sent
  return FORM.test(key) ? key : malformed()
}

const RULE = '1 to 255 characters of ASCII, in quotes or without'

const malformed = (): AppError =>
  new AppError('invalid_request', `The header ${IDEMPOTENCY_HEADER} is ${RULE}.`, {
    param: IDEMPOTENCY_HEADER,
    fields: [{ path: IDEMPOTENCY_HEADER, rule: RULE }],
  })
