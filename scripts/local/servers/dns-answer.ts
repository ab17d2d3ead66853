// Answers DNS questions (RFC 1035) with the IP addresses of given names, for the local resolver. Also parses IP addresses.

/** IP addresses as text, by name. A name that is not listed does not exist. */
export type Hosts = Readonly<Record<string, readonly string[]>>

const HEADER_BYTES = 12
const NO_SUCH_NAME = 3
const RECORD_TYPE_BY_LENGTH: Readonly<Record<number, number>> = { 4: 1, 16: 28 }
/** Points to the name in the question. */
const POINTER = [0xc0, HEADER_BYTES]
const CLASS_IN = [0, 1]
const TTL_SECONDS = [0, 0, 0, 60]

/** Answers a DNS question. Throws if the bytes are no question. */
export function answerDns(query: Uint8Array, hosts: Hosts): Uint8Array<ArrayBuffer> {
  const { host, end } = readName(query)
  const type = (byteAt(query, end) << 8) | byteAt(query, end + 1)
  const known = hosts[host]
  const records = (known ?? [])
    .map(ipBytes)
    .filter((address) => RECORD_TYPE_BY_LENGTH[address.length] === type)
    .map((address) => Uint8Array.of(...POINTER, 0, type, ...CLASS_IN, ...TTL_SECONDS, 0, address.length, ...address))
  const code = known === undefined ? NO_SUCH_NAME : 0
  const header = [...query.slice(0, 2), 0x81, 0x80 | code, 0, 1, 0, records.length, 0, 0, 0, 0]
  return Uint8Array.from([...header, ...query.slice(HEADER_BYTES, end + 4), ...Buffer.concat(records)])
}

/** Returns the bytes of an IPv4 address, or of an IPv6 address in any spelling. */
export function ipBytes(text: string): Uint8Array<ArrayBuffer> {
  if (!text.includes(':')) return Uint8Array.from(text.split('.'), Number)
  const dotted = /^(.*:)([\d.]+)$/.exec(text)
  if (dotted !== null && text.includes('.')) {
    const [a = 0, b = 0, c = 0, d = 0] = ipBytes(dotted[2] ?? '')
    return ipBytes(`${dotted[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`)
  }
  const [before = [], after = []] = text.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return Uint8Array.from(
    [...before, ...zeros, ...after].flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]),
  )
}

function readName(query: Uint8Array): { host: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = byteAt(query, at); length > 0; length = byteAt(query, at)) {
    labels.push(new TextDecoder().decode(query.subarray(at + 1, at + 1 + length)))
    at += 1 + length
  }
  return { host: labels.join('.'), end: at + 1 }
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new RangeError('no DNS question')
  return byte
}
