// Chooses the page after signing in. SECURITY: always a page of this service, whatever was requested. Pure.

const MAX_CHARACTERS = 512

// Segments of plain characters, each after one slash. Browsers read other paths in more than one way: a second slash, a
// backslash, a control character, percent-encoding.
const OWN_PATH = /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?(?:\?[\w.~%!$&'()*+,;=:@/?-]*)?(?:#[\w.~%!$&'()*+,;=:@/?-]*)?$/

/** Paths of the API. Signing in must not lead there: a GET may write a log entry or start an export. */
const INTERFACE = /^\/(?:api|v1)(?:\/|$)/i

/** Returns `wanted` if it is a page of this service, else `/`. */
export const returnPath = (wanted: string): string =>
  wanted.length <= MAX_CHARACTERS && OWN_PATH.test(wanted) && !INTERFACE.test(resolved(wanted)) ? wanted : '/'

/** Resolves `.` and `..` in a path, as browsers do. */
const resolved = (path: string): string => new URL(path, 'https://own.invalid').pathname
