// Encodes DNS questions for a host's IP addresses and decodes the answers (RFC 1035, section 4). Used to check webhooks.

export const DNS_TYPE = { a: 1, aaaa: 28 } as const
export type DnsType = (typeof DNS_TYPE)[keyof typeof DNS_TYPE]

const CLASS_IN = 1
const HEADER_BYTES = 12
const RECURSION_DESIRED = 0x0100
const IS_ANSWER = 0x8000
const IS_TRUNCATED = 0x0200
const NO_SUCH_NAME = 3

/** The bytes are not a complete answer, or the resolver failed. */
export class DnsAnswerError extends Error {
  override readonly name = 'DnsAnswerError'
}

/**
 * @param host labels of at most 63 ASCII characters each, with dots between
 * @see https://www.rfc-editor.org/rfc/rfc1035#section-4.1.2
 */
export function encodeDnsQuestion(host: string, type: DnsType): Uint8Array<ArrayBuffer> {
  // https://www.rfc-editor.org/rfc/rfc8484#section-4.1 asks for the id 0, so that one question has one form.
  const header = [0, 0, RECURSION_DESIRED >> 8, RECURSION_DESIRED & 0xff, 0, 1, 0, 0, 0, 0, 0, 0]
  const name = host.split('.').map((label) => String.fromCharCode(label.length) + label)
  return Uint8Array.from([...header, ...new TextEncoder().encode(name.join('')), 0, 0, type, 0, CLASS_IN])
}

/**
 * Returns the addresses in an answer, or an empty list if there are none of this type. Throws DnsAnswerError.
 * @see https://www.rfc-editor.org/rfc/rfc1035#section-4.1.3
 */
export function decodeDnsAnswer(bytes: Uint8Array, type: DnsType): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return readAddresses(bytes, view, type)
  } catch (thrown) {
    // DataView throws this error if the bytes end early.
    if (thrown instanceof RangeError) throw new DnsAnswerError('cut short')
    throw thrown
  }
}

function readAddresses(bytes: Uint8Array, view: DataView, type: DnsType): Uint8Array[] {
  const flags = view.getUint16(2)
  if ((flags & IS_ANSWER) === 0 || (flags & IS_TRUNCATED) !== 0) throw new DnsAnswerError('no whole answer')
  const code = flags & 0x0f
  if (code === NO_SUCH_NAME) return []
  if (code !== 0) throw new DnsAnswerError('the resolver could not tell')
  const [questions, answers] = [view.getUint16(4), view.getUint16(6)]
  let at = HEADER_BYTES
  for (let n = 0; n < questions; n += 1) at = endOfName(view, at) + 4
  const addresses: Uint8Array[] = []
  for (let n = 0; n < answers; n += 1) {
    at = endOfName(view, at)
    const [ofType, ofClass, length] = [view.getUint16(at), view.getUint16(at + 2), view.getUint16(at + 8)]
    at += 10
    if (at + length > bytes.length) throw new DnsAnswerError('cut short')
    if (ofType === type && ofClass === CLASS_IN) addresses.push(bytes.slice(at, at + length))
    at += length
  }
  return addresses
}

/**
 * Skips a name, which ends with an empty label or with a pointer to the rest. Its text is not needed.
 * @see https://www.rfc-editor.org/rfc/rfc1035#section-4.1.4
 */
function endOfName(view: DataView, from: number): number {
  let at = from
  for (;;) {
    const length = view.getUint8(at)
    if (length >= 0xc0) return at + 2
    if (length === 0) return at + 1
    at += 1 + length
  }
}
