// Checks a webhook's URL when it is set and before each message. Pure. `check-host.ts` checks its host's IP addresses.

export const MOST_URL_CHARACTERS = 2048

/** The least port that a URL may state. Lower ports belong to other protocols, such as mail. */
const LEAST_EXPLICIT_PORT = 1024

/**
 * Top-level names that are not on the public internet: those of the registry, and ICANN's .internal.
 * @see https://www.iana.org/assignments/special-use-domain-names/
 */
const LOCAL_SUFFIXES: ReadonlySet<string> = new Set(['localhost', 'local', 'internal', 'arpa', 'alt', 'onion'])

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** A name of at least two labels. An IP address never matches: a URL writes it as digits and dots, or in brackets. */
const NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

export type UrlRules = {
  /** Allows the local machine, also by plain HTTP, for development. */
  allowsLoopback: boolean
  /** The service's own host, which is refused as a receiver; null if it is not known. */
  ownHost: string | null
}

export type UrlFault =
  | 'no_url'
  | 'too_long'
  | 'not_https'
  | 'credentials'
  | 'fragment'
  | 'port'
  | 'ip_address'
  | 'local_name'
  | 'own_host'

/** `host`: the name to look up; null for the local machine. */
export type CheckedUrl = { outcome: 'good'; url: URL; host: string | null } | { outcome: 'refused'; fault: UrlFault }

export function checkWebhookUrl(text: string, { allowsLoopback, ownHost }: UrlRules): CheckedUrl {
  if (text.length > MOST_URL_CHARACTERS) return refused('too_long')
  const url = URL.parse(text)
  if (url === null) return refused('no_url')
  if (url.username !== '' || url.password !== '') return refused('credentials')
  // A fragment is never sent, so a webhook could not rely on it.
  if (text.includes('#')) return refused('fragment')
  const { protocol, hostname, port } = url
  const isLoopback = allowsLoopback && LOOPBACK.has(hostname)
  if (isLoopback && (protocol === 'http:' || protocol === 'https:')) return { outcome: 'good', url, host: null }
  if (protocol !== 'https:') return refused('not_https')
  if (port !== '' && Number(port) < LEAST_EXPLICIT_PORT) return refused('port')
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return refused('ip_address')
  if (!NAME.test(hostname) || LOCAL_SUFFIXES.has(hostname.slice(hostname.lastIndexOf('.') + 1))) {
    return refused('local_name')
  }
  if (hostname === ownHost) return refused('own_host')
  return { outcome: 'good', url, host: hostname }
}

const refused = (fault: UrlFault): CheckedUrl => ({ outcome: 'refused', fault })
