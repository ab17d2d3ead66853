// Finds e-mail addresses: as typed, broken by a line end, and spelled out: "joe (at) host (dot) ie", "joe at host dot ie".
import { CERTAINTY, defineShape, type Finding } from '../finding.ts'

/** Matches the at sign of an e-mail address. "at" in words needs "dot" in words after it, or a host and a mailbox (isMailbox). */
const AT =
  /[ \n]?@[ \n]?|[ \n]?[([{<] ?(?:at|@) ?[)\]}>][ \n]?|(?:[ _]at[ _]| -at- )(?=[a-z0-9-]{1,63}(?:[ _]dot[ _]| ?[([{<] ?dot|(?: \. ?|\.)[a-z]))/gi
const LABEL = '[a-z0-9-]{1,63}'
const SPELLED_DOT = '(?: ?[(\\[{<] ?(?:dot|\\.) ?[)\\]}>] ?|[ _]dot[ _])'
const WELL_KNOWN_TLD = '(?:ie|com|net|org|uk|eu|edu|gov|info|io|co|nhs|me|biz|scot|wales|irish)(?![a-z0-9])'
/** A line may end after a dot, but before the top-level domain only if that is well known. */
const HOST = new RegExp(`(?:${LABEL}\\.\\n?){0,7}${LABEL}\\.(?:[a-z]{2,24}(?![a-z0-9])|\\n${WELL_KNOWN_TLD})`, 'iy')
/** A host with blanks around its at sign or dots needs a well-known top-level domain. */
const SPACED_HOST = new RegExp(`(?:${LABEL}(?:${SPELLED_DOT}| ?\\. ?)){1,4}${WELL_KNOWN_TLD}`, 'iy')
/** After an at sign in brackets any top-level domain counts, because nobody writes that for anything else. */
const BRACKETED_HOST = new RegExp(`(?:${LABEL}(?:${SPELLED_DOT}|\\.)){1,4}[a-z]{2,24}(?![a-z0-9])`, 'iy')

/** Top-level domains that are seldom a word after a full stop without a blank: "mary @ clinic.health". */
const SELDOM_WORD_TLD =
  '(?:health|healthcare|clinic|care|doctor|dental|dentist|hospital|medical|pharmacy|surgery|email|mail|online|site|website|app|dev|tech|cloud|page|xyz|' +
  'life|live|family|group|team|help|support|church|foundation|charity|ngo|london|eus|cymru|global|network|world|name|pro|academy|school|college|' +
  'university|center|community|international|de|fr|es|nl|pl|se|dk|fi|cz|hu|gr|lt|lv|ee|sk|bg|au|nz|za|cn|jp|ua|ru|tr)(?![a-z0-9])'
const SELDOM_WORD_HOST = new RegExp(`(?:${LABEL}\\.){1,4}${SELDOM_WORD_TLD}`, 'iy')
/** Words before an at sign that means a place, not a mailbox: "seen @ clinic.team aware". */
const WORD_BEFORE_PLACE =
  /^(?:seen|review(?:ed)?|attend(?:s|ed|ing)?|present(?:s|ed|ing)?|admitted|bloods?|scan(?:s|ned)?|check(?:s|ed|up)?|dressings?|done|given|measured|taken|stopped|started|works?|working|home|bp|hr|rate|sats|pulse|weight|wt|temp|pain|obs|dose|m[gl]|mcg|is|was|are|appt|appointment|clinic|visits?|lives|living|now|today|due|booked|planned|held|avg|\d+)$/i

/** Providers of mailboxes. A leaflet is "at nice.org.uk", but only a mailbox is "at gmail.com". */
const MAIL_HOST =
  /^(?:g(?:oogle)?mail|hotmail|outlook|yahoo|ymail|icloud|live|msn|aol|eircom|btinternet|proton(?:mail)?|gmx|me)\./i
const WORD_BEFORE_HOST =
  /^(?:be|it|that|address(?:es)?|account|e?-?mails?|mailbox|inbox|hosted|user|online|contactable|registered|reach(?:ed|able)|available|found|help|support)$/i
/** A local part that is no word: "joe.bloggs", "joe_b". */
const MAILBOX_NAME = /^[a-z][a-z0-9]*(?:[._][a-z0-9]+)+$/i

const LOCAL_MAX = 100
/** A dot followed, but not preceded, by a blank ends the sentence before the address. */
const SPELLED_LOCAL = new RegExp(
  `(?<![a-z0-9._%+'-])[a-z0-9_%+][a-z0-9._%+'-]{0,63}(?:(?:${SPELLED_DOT}| \\. )[a-z0-9_-]{1,32}){0,3}$`,
  'i',
)
const QUOTED_LOCAL = /"[^"@\n]{1,64}"$/
const PLAIN_LOCAL = /[a-z0-9_%+][a-z0-9._%+'-]{0,63}$/i

/** The anchor of e-mail addresses, which need no digit. */
const ANCHOR = '@+|&commat|\\bdot\\b|[ _]-?at-?[ _](?=[a-z0-9-]{1,63}(?:(?: \\. ?|\\.)[a-z]|_dot))|[([{<] ?at ?[)\\]}>]'

export const emailAddress = defineShape(
  { id: 'email_address', group: 'contact', name: 'e-mail address', rank: 1 },
  { find: findEmailAddresses, letters: 1, anchor: ANCHOR, inAlteredCopies: false },
)

/** Finds each at sign, then the end of the host after it, then the local part before it. */
function findEmailAddresses(text: string): Finding<'email_address'>[] {
  const findings: Finding<'email_address'>[] = []
  for (const { 0: at, index } of text.matchAll(AT)) {
    const hostStart = index + at.length
    const hostEnd = findHostEnd(text, hostStart, at)
    // After an at sign with blanks, a top-level domain that is seldom a word counts too.
    const end = hostEnd ?? (/ @|@ /.test(at) ? matchEnd(SELDOM_WORD_HOST, text, hostStart) : undefined)
    if (end === undefined) continue
    const before = text.slice(Math.max(0, index - LOCAL_MAX), index)
    const local = SPELLED_LOCAL.exec(before) ?? QUOTED_LOCAL.exec(before) ?? PLAIN_LOCAL.exec(before)
    if (local === null || (hostEnd === undefined && WORD_BEFORE_PLACE.test(local[0]))) continue
    // "at" in words is usually a preposition.
    if (/^[ _]-?at/i.test(at) && !isMailbox(local[0], text.slice(hostStart, end))) continue
    const start = index - local[0].length
    findings.push({ shape: 'email_address', start, end, certainty: CERTAINTY.labelled })
  }
  return findings
}

/** Returns true if "at" in words is an at sign: the dot is in words too, or the local part or the host is a mailbox's. */
function isMailbox(local: string, host: string): boolean {
  if (/dot/i.test(host)) return true
  if (MAIL_HOST.test(host)) return !WORD_BEFORE_PLACE.test(local) && !WORD_BEFORE_HOST.test(local)
  return MAILBOX_NAME.test(local) && !local.toLowerCase().startsWith('www.')
}

function matchEnd(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function findHostEnd(text: string, start: number, at: string): number | undefined {
  for (const pattern of hostPatternsAfter(at)) {
    const end = matchEnd(pattern, text, start)
    if (end === undefined) continue
    // "seen @ clinic. Io ..." is a sentence.
    const isSentence = pattern === SPACED_HOST && at.includes('@') && /\. [A-Z]/.test(text.slice(start, end))
    if (!isSentence) return end
  }
  return undefined
}

/** Lists the patterns of a host after this at sign, in the order to try. */
function hostPatternsAfter(at: string): readonly RegExp[] {
  if (/[([{<]/.test(at)) return [BRACKETED_HOST, SPACED_HOST]
  return /^@\n?$/.test(at) ? [HOST, SPACED_HOST] : [SPACED_HOST]
}
