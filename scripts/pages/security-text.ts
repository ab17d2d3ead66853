// Vite plugin that makes /.well-known/security.txt from the operator's setting.
import type { Plugin } from 'vite'

/** Makes /.well-known/security.txt if there is a contact. */
export const securityText: Plugin = {
  name: 'security-text',
  generateBundle() {
    const contact = process.env['PAGES_SECURITY_CONTACT'] ?? ''
    if (contact === '') return
    this.emitFile({
      type: 'asset',
      fileName: '.well-known/security.txt',
      source: securityTextOf(contact, new Date()),
    })
  },
}

/** The days of validity: under a year, as RFC 9116 (2.5.5) advises. */
const VALID_DAYS = 364
const DAY_MS = 86_400_000

/** Returns the text of security.txt. @param contact where to report (RFC 9116, 2.5.3) */
export function securityTextOf(contact: string, now: Date): string {
  if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(contact)) {
    throw new Error('PAGES_SECURITY_CONTACT is neither mailto:… nor https://…: it is where faults are reported.')
  }
  const expires = new Date(now.getTime() + VALID_DAYS * DAY_MS).toISOString()
  return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`
}
