// Reads the checkpoint that a log submits to the local witness, and verifies the log's signature on it by its vkey, the public key
// as text. Uses no code of the service.
import { createHash, createPublicKey, verify } from 'node:crypto'

export type Tree = { size: bigint; root: Buffer }

export type LogKey = { name: string; keyId: Buffer; publicKey: Buffer }

export type SubmittedCheckpoint = Tree & {
  origin: string
  /** The signed lines, with their last newline. */
  text: string
  lines: readonly { name: string; keyId: Buffer; signature: Buffer }[]
}

/** Reads the vkey of an Ed25519 key that signs notes. Throws if it is not one. */
export function readLogVkey(vkey: string): LogKey {
  // Base64 contains pluses too.
  const [, name = '', id = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? []
  const key = strictBase64(encoded)
  if (key?.length !== 33 || key[0] !== 1) {
    throw new Error('--log takes the vkey of a log: NAME+ID+KEY, of type 1.')
  }
  const publicKey = key.subarray(1)
  const keyId = keyIdOf(name, 1, publicKey)
  if (keyId.toString('hex') !== id) throw new Error('The id in this vkey is not that of its key.')
  return { name, keyId, publicKey }
}

export const keyIdOf = (name: string, type: number, publicKey: Buffer): Buffer =>
  createHash('sha256').update(`${name}\n`).update(Buffer.of(type)).update(publicKey).digest().subarray(0, 4)

/** Reads a checkpoint. Returns null if the note is no checkpoint. */
export function readCheckpoint(note: string): SubmittedCheckpoint | null {
  const parts =
    /^(?<text>(?<origin>.+)\n(?<size>0|[1-9]\d{0,18})\n(?<root>.+)\n(?:.+\n)*)\n(?<lines>(?:— \S+ \S+\n)+)$/.exec(
      note,
    )?.groups
  const root = strictBase64(parts?.['root'] ?? '')
  if (parts === undefined || root?.length !== 32) return null
  const lines = (parts['lines'] ?? '').trimEnd().split('\n').map(readLine)
  const { origin = '', size = '', text = '' } = parts
  return lines.includes(null) || lines.length > MAX_LINES
    ? null
    : { origin, size: BigInt(size), root, text, lines: lines.filter((line) => line !== null) }
}

const MAX_LINES = 100

function readLine(line: string) {
  const [, name = '', encoded = ''] = line.split(' ')
  const bytes = strictBase64(encoded)
  if (bytes === null || bytes.length < 5) return null
  return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) }
}

/** True if at least one signature line is by the log's key, and all such lines are valid. */
export function isSignedBy({ text, lines }: SubmittedCheckpoint, key: LogKey): boolean {
  const linesOfLog = lines.filter(({ name, keyId }) => name === key.name && keyId.equals(key.keyId))
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey.toString('base64url') },
    format: 'jwk',
  })
  return (
    linesOfLog.length > 0 && linesOfLog.every(({ signature }) => verify(null, Buffer.from(text), publicKey, signature))
  )
}

/** Decodes Base64. Returns null for any spelling other than the one that encoding gives. */
export function strictBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return text !== '' && bytes.toString('base64') === text ? bytes : null
}
