// Checks that a webhook's host has only public IP addresses, by DNS over HTTPS (RFC 8484). Follows no redirect of the resolver.
import { readUpTo } from '../platform/body-pieces.ts'
import { withTimeLimit } from '../platform/time.ts'
import { decodeDnsAnswer, DNS_TYPE, encodeDnsQuestion, type DnsType } from './dns-message.ts'
import { checkWebhookUrl, type UrlFault, type UrlRules } from './webhook-url.policy.ts'

/** `not_public`: at least one IP address is not public. `not_resolved`: the name has none, or the resolver failed. */
export type CheckedHost = 'good' | 'not_public' | 'not_resolved'

export type ResolverRequest = {
  readonly resolverUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly signal: AbortSignal
}

export type WebhookRules = UrlRules & { resolverUrl: string }

export type WebhookFault = UrlFault | Exclude<CheckedHost, 'good'>

const LOOK_UP_LIMIT_MS = 5_000

/** Returns why messages cannot be sent to a URL, or null. Looks its host up. Never rejects. */
export async function findWebhookFault(text: string, rules: WebhookRules): Promise<WebhookFault | null> {
  const checked = checkWebhookUrl(text, rules)
  if (checked.outcome === 'refused') return checked.fault
  if (checked.host === null) return null
  const controller = new AbortController()
  const { resolverUrl } = rules
  const request = {
    resolverUrl,
    fetch: async (url: string, init: RequestInit) => fetch(url, init),
    signal: controller.signal,
  }
  const host = await withTimeLimit(checkHost(checked.host, request), LOOK_UP_LIMIT_MS).catch(
    () => 'not_resolved' as const,
  )
  controller.abort()
  return host === 'good' ? null : host
}

/** The longest possible DNS message. */
const MOST_ANSWER_BYTES = 65_535
const MEDIA_TYPE = 'application/dns-message'

/** Checks a host. Never rejects. Waits for the resolver until the signal aborts. */
export async function checkHost(host: string, request: ResolverRequest): Promise<CheckedHost> {
  try {
    const answers = await Promise.all([DNS_TYPE.a, DNS_TYPE.aaaa].map((type) => resolve(host, type, request)))
    const addresses = answers.flat()
    if (addresses.length === 0) return 'not_resolved'
    return addresses.every(isPublicAddress) ? 'good' : 'not_public'
  } catch {
    return 'not_resolved'
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc8484#section-4.1 */
async function resolve(host: string, type: DnsType, { resolverUrl, fetch, signal }: ResolverRequest) {
  const response = await fetch(resolverUrl, {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPE, accept: MEDIA_TYPE },
    body: encodeDnsQuestion(host, type),
    redirect: 'manual',
    signal,
  })
  const answer = await readUpTo(MOST_ANSWER_BYTES, response)
  if (response.status !== 200 || answer === null) throw new Error('the resolver did not answer')
  return decodeDnsAnswer(answer, type)
}

/** IPv4 networks, each with the length of its prefix. @see https://www.iana.org/assignments/iana-ipv4-special-registry/ */
const NOT_PUBLIC_V4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, and the metadata of most clouds.
  ['169.254.0.0', 16],
  // Azure's own platform services.
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Networks within 2000::/3, in hexadecimal digits. No IPv6 address outside of 2000::/3 is public.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry/
 */
const NOT_PUBLIC_V6: readonly [network: string, bits: number][] = [
  // Teredo, ORCHID, benchmarking and networks of other protocols.
  ['20010000', 23],
  ['20010db8', 32],
  // 6to4.
  ['2002', 16],
  // Documentation.
  ['3fff0000', 20],
]

const GLOBAL_UNICAST: readonly [network: string, bits: number] = ['20', 3]

/** Returns whether an IP address is public. @param address 4 or 16 bytes, as in DNS */
export function isPublicAddress(address: Uint8Array): boolean {
  if (address.length === 4) {
    return !NOT_PUBLIC_V4.some(([network, bits]) =>
      isWithin(address, Uint8Array.from(network.split('.'), Number), bits),
    )
  }
  if (address.length !== 16) return false
  const isIn = ([network, bits]: readonly [string, number]): boolean =>
    isWithin(address, Uint8Array.fromHex(network), bits)
  return isIn(GLOBAL_UNICAST) && !NOT_PUBLIC_V6.some(isIn)
}

const isWithin = (address: Uint8Array, network: Uint8Array, bits: number): boolean =>
  network.every((byte, index) => {
    const counting = Math.min(8, Math.max(0, bits - 8 * index))
    const mask = (0xff00 >> counting) & 0xff
    return ((address[index] ?? 0) & mask) === (byte & mask)
  })
