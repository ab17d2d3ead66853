// What a terminal is told of a mail. What somebody else wrote may not move its cursor or colour it.
import type { KeptMail } from './kept-mails.ts'

const MOST_LINKS = 5

/** Whom it is to, what about, and its links that hold a token, each on a line of its own. */
export function announce({ to, subject, links }: KeptMail): string {
  const heading = `Mail to ${to.join(', ')}: ${subject}`.replaceAll(/\p{C}/gu, '?')
  const withToken = links.filter((link) => link.includes('#')).slice(0, MOST_LINKS)
  return [heading, ...withToken.map((link) => `  ${link}`)].join('\n')
}
