// E-mail address, as typed, and spelled out: "joe (at) host (dot) ie", "joe at host dot ie".
import { CERTAINTY } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** Each part starts only where the one before cannot be longer, so that no stretch is read twice. */
const PLAIN =
  /(?<![A-Za-z0-9._%+'-])[A-Za-z0-9_%+'-][A-Za-z0-9._%+'-]*@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])/g
const QUOTED = /"[^"@\n]{1,64}"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}/g
const AT = '(?: ?[(\\[{<] ?(?:at|@) ?[)\\]}>] ?| at | ?@ ?)'
const DOT = '(?: ?[(\\[{<] ?(?:dot|\\.) ?[)\\]}>] ?| dot | ?\\. ?)'
const ENDING = '(?:ie|com|net|org|uk|eu|edu|gov|info|io|co|nhs|me|biz|scot|wales|irish)'
const SPELLED = new RegExp(
  `(?<![a-z0-9._%+'-])[a-z0-9_%+'-][a-z0-9._%+'-]{0,63}(?:${DOT}[a-z0-9_-]{1,32})?${AT}` +
    `(?:[a-z0-9-]{1,63}${DOT}){1,4}${ENDING}(?![a-z0-9])`,
  'gi',
)
const HAS_AT_AND_DOT = /@|[([{<] ?at|\bdot\b/i

export function findEmailAddresses(text: string): Finding[] {
  if (!HAS_AT_AND_DOT.test(text)) return []
  const findings: Finding[] = []
  for (const pattern of [PLAIN, QUOTED, SPELLED]) {
    for (const match of text.matchAll(pattern)) {
      if (pattern === SPELLED && !isSpelledAddress(match[0])) continue
      const end = match.index + match[0].length
      findings.push({ shape: 'email_address', start: match.index, end, certainty: CERTAINTY.labelled })
    }
  }
  return findings
}

/** Words alone are an address only with a spelled dot; an "at" in words beside a full stop is a sentence. */
function isSpelledAddress(match: string): boolean {
  if (/@|[([{<] ?at/i.test(match)) return !/\. [A-Z]/.test(match)
  return /[^a-z]dot[^a-z]/i.test(match)
}
