// Chooses the page after signing in. SECURITY: always one of our own, whatever was requested. Pure.

const MAX_CHARACTERS = 512

// Segments of plain characters, each after one slash: no second slash, no backslash, no control character and nothing
// percent-encoded, since browsers read those in more than one way.
const OWN_PATH = /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?(?:\?[\w.~%!$&'()*+,;=:@/?-]*)?(?:#[\w.~%!$&'()*+,;=:@/?-]*)?$/

/** Paths of the API, where signing in must not lead: a GET there may write a log entry or start an export. */
const INTERFACE = /^\/(?:api|v1)(?:\/|$)/i

/** Returns `wanted` if it is a page of our own, else `/`. */
export const returnPath = (wanted: string): string =>
  wanted.length <= MAX_CHARACTERS && OWN_PATH.test(wanted) && !INTERFACE.test(resolved(wanted)) ? wanted : '/'

/** Browsers take `.` and `..` out of a path. */
const resolved = (path: string): string => new URL(path, 'https://own.invalid').pathname
