// Chooses the page after signing in. SECURITY: always one of our own, whatever was requested. Pure.

const MAX_CHARACTERS = 512

// Segments of plain characters, each after one slash: no second slash, no backslash, no control character and nothing
// percent-encoded, since browsers read those in more than one way.
const OWN_PATH = /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?(?:\?[\w.~%!$&'()*+,;=:@/?-]*)?(?:#[\w.~%!$&'()*+,;=:@/?-]*)?$/

/** A link that leads through signing in calls no interface: such a look may be written down, or start an export. */
const INTERFACE = /^\/(?:api|v1)(?:\/|$)/i

/** `wanted` where it is a page of our own, else `/`. */
export const returnPath = (wanted: string): string =>
  wanted.length <= MAX_CHARACTERS && OWN_PATH.test(wanted) && !INTERFACE.test(resolved(wanted)) ? wanted : '/'

/** Browsers take `.` and `..` out of a path. */
const resolved = (path: string): string => new URL(path, 'https://own.invalid').pathname
