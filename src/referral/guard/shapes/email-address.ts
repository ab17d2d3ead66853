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
const MAY_BE_PLAIN = /["\w]@[A-Za-z0-9]/
/** Where a spelled address has its at sign; the address lies within the window around it. */
const SPELLED_AT = /@|[([{<] ?at ?[)\]}>]| at (?=[a-z0-9-]{1,63}(?: dot | ?[([{<] ?dot))/gi
const WINDOW = { before: 100, after: 140 }

export function findEmailAddresses(text: string): Finding[] {
  const findings: Finding[] = []
  const add = (start: number, length: number): void => {
    findings.push({ shape: 'email_address', start, end: start + length, certainty: CERTAINTY.labelled })
  }
  if (MAY_BE_PLAIN.test(text)) {
    for (const pattern of [PLAIN, QUOTED]) {
      for (const match of text.matchAll(pattern)) add(match.index, match[0].length)
    }
  }
  for (const { index } of text.matchAll(SPELLED_AT)) {
    const from = Math.max(0, index - WINDOW.before)
    for (const match of text.slice(from, index + WINDOW.after).matchAll(SPELLED)) {
      if (isSpelledAddress(match[0])) add(from + match.index, match[0].length)
    }
  }
  return findings
}

/** Words alone are an address only with a spelled dot; an "at" in words beside a full stop is a sentence. */
function isSpelledAddress(match: string): boolean {
  if (/@|[([{<] ?at/i.test(match)) return !/\. [A-Z]/.test(match)
  return /[^a-z]dot[^a-z]/i.test(match)
}
