// Whether all addresses of a name are public, by a resolver over HTTPS (RFC 8484). No redirect of it is followed.
import { readUpTo } from '../platform/bytes.ts'
import { decodeDnsAnswer, DNS_TYPE, encodeDnsQuestion, type DnsType } from './dns-message.ts'
import { isPublicAddress } from './public-address.policy.ts'

/** `not_public`: at least one of its addresses is not. `not_resolved`: it has none, or nobody could say. */
export type JudgedHost = 'good' | 'not_public' | 'not_resolved'

export type AskingResolver = {
  readonly resolverUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly signal: AbortSignal
}

/** A DNS message is no longer. */
const MOST_ANSWER_BYTES = 65_535
const MEDIA_TYPE = 'application/dns-message'

/** Never rejects, and waits as long as the signal lets it. */
export async function judgeHost(host: string, asking: AskingResolver): Promise<JudgedHost> {
  try {
    const found = await Promise.all([DNS_TYPE.a, DNS_TYPE.aaaa].map((type) => resolve(host, type, asking)))
    const addresses = found.flat()
    if (addresses.length === 0) return 'not_resolved'
    return addresses.every(isPublicAddress) ? 'good' : 'not_public'
  } catch {
    return 'not_resolved'
  }
}

async function resolve(host: string, type: DnsType, { resolverUrl, fetch, signal }: AskingResolver) {
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
