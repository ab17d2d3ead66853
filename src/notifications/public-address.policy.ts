// Which IP addresses are on the public internet. Pure. After the special-purpose registries of IANA (RFC 6890), and stricter: what
// is translated or tunnelled could lead to any address within.

/** Of IPv4, each with the bits that count. */
const NOT_PUBLIC_V4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, and the metadata of most clouds.
  ['169.254.0.0', 16],
  // The platform's own services on Azure.
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

/** Of 2000::/3, outside of which nothing of IPv6 is public, in hexadecimal digits. */
const NOT_PUBLIC_V6: readonly [network: string, bits: number][] = [
  // Teredo, ORCHID, benchmarking and other protocols' own.
  ['20010000', 23],
  ['20010db8', 32],
  // 6to4.
  ['2002', 16],
  // Documentation.
  ['3fff0000', 20],
]

const GLOBAL_UNICAST: readonly [network: string, bits: number] = ['20', 3]

/** @param address 4 bytes or 16, as DNS has them */
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
