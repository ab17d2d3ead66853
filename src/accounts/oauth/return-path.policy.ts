// Where somebody goes after signing in at an identity provider: a path of our own, whatever was asked for. Pure.

const MAX_CHARACTERS = 512

// Segments of plain characters, each after one slash: no second slash, no backslash, no control character and nothing
// percent-encoded, since browsers read those in more than one way.
const OWN_PATH = /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?(?:\?[\w.~%!$&'()*+,;=:@/?-]*)?(?:#[\w.~%!$&'()*+,;=:@/?-]*)?$/

/** `wanted` where it is a path of our own, else `/`. */
export const returnPath = (wanted: string): string =>
  wanted.length <= MAX_CHARACTERS && OWN_PATH.test(wanted) ? wanted : '/'
