// Reads a timestamp token (RFC 3161, section 2.4.2): a CMS SignedData (RFC 5652) from a timestamp authority. It does not verify
// the token: callers that trust an authority do. Also writes and reads the JSON of a checkpoint with its token.
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { derTime, derValues, DerError, DerReader, openDerValue, TAG, type DerValue } from './der.ts'
import { isJsonObject } from '../../platform/json.ts'
import { decodeBase64, encodeBase64 } from '../records/base64.ts'

export const OBJECT_ID = {
  signedData: '2a864886f70d010702',
  timestampInfo: '2a864886f70d0109100104',
  sha256: '608648016503040201',
} as const

/** The TSTInfo of RFC 3161. */
export type TimestampInfo = {
  /** The object identifier in hexadecimal digits. */
  readonly imprintAlgorithm: string
  readonly imprint: Uint8Array
  /** Milliseconds since the epoch. */
  readonly time: number
  /** The bytes of its INTEGER; null if absent. */
  readonly nonce: Uint8Array | null
}

export type SignerInfo = {
  /**
   * The issuer's name and the serial number of the signer's certificate, concatenated DER. Null if the signer is
   * identified otherwise.
   */
  readonly issuerAndSerial: Uint8Array | null
  readonly digestAlgorithm: string
  /** The values of each signed attribute, by object identifier. */
  readonly attributes: ReadonlyMap<string, readonly DerValue[]>
  /** The signed bytes. */
  readonly signedBytes: Uint8Array
  readonly signatureAlgorithm: string
  readonly signature: Uint8Array
}

export type TimestampToken = {
  readonly info: TimestampInfo
  /** The content whose digest is among the signed attributes. */
  readonly infoBytes: Uint8Array
  /** Each as DER. */
  readonly certificates: readonly Uint8Array[]
  readonly signer: SignerInfo
}

/** Returns null if the bytes are no token, or a token of another version. */
export function parseTimestampToken(bytes: Uint8Array): TimestampToken | null {
  try {
    return readToken(bytes)
  } catch (thrown) {
    if (thrown instanceof DerError) return null
    throw thrown
  }
}

function readToken(bytes: Uint8Array): TimestampToken {
  const content = openDerValue(bytes, TAG.sequence)
  expect(content.objectId(), OBJECT_ID.signedData)
  const wrapped = content.open(TAG.context0)
  content.end()
  const signed = wrapped.open(TAG.sequence)
  wrapped.end()

  signed.value(TAG.integer)
  signed.value(TAG.set)
  const infoBytes = readContent(signed.open(TAG.sequence))
  const certificates = derValues(signed.valueIf(TAG.context0)?.content ?? new Uint8Array())
  signed.valueIf(TAG.context1)
  const signers = signed.open(TAG.set)
  signed.end()
  const signer = readSigner(signers.open(TAG.sequence))
  signers.end()
  return {
    info: readInfo(infoBytes),
    infoBytes,
    // No check here uses a certificate of another kind.
    certificates: certificates.filter(({ tag }) => tag === TAG.sequence).map(({ encoded }) => encoded),
    signer,
  }
}

function readContent(encapsulated: DerReader): Uint8Array {
  expect(encapsulated.objectId(), OBJECT_ID.timestampInfo)
  const wrapped = encapsulated.open(TAG.context0)
  encapsulated.end()
  const { content } = wrapped.value(TAG.octetString)
  wrapped.end()
  return content
}

const TSA_NAME = TAG.context0

function readInfo(bytes: Uint8Array): TimestampInfo {
  const info = openDerValue(bytes, TAG.sequence)
  expect(bytesToHex(info.value(TAG.integer).content), '01')
  info.value(TAG.objectId)
  const stamped = info.open(TAG.sequence)
  const algorithm = stamped.open(TAG.sequence)
  const imprintAlgorithm = algorithm.objectId()
  const { content: imprint } = stamped.value(TAG.octetString)
  stamped.end()
  info.value(TAG.integer)
  const time = derTime(info.value(TAG.generalizedTime))
  // No check here uses accuracy and ordering.
  info.valueIf(TAG.sequence)
  info.valueIf(TAG.boolean)
  const nonce = info.valueIf(TAG.integer)?.content ?? null
  info.valueIf(TSA_NAME)
  const extensions = info.valueIf(TAG.context1)
  info.end()
  if (extensions !== null && readExtensions(extensions.content).some(({ isCritical }) => isCritical)) {
    throw new DerError('a critical extension')
  }
  return { imprintAlgorithm, imprint, time, nonce }
}

export type Extension = { readonly id: string; readonly isCritical: boolean; readonly value: Uint8Array }

/** Reads the content of an `Extensions` (RFC 5280, section 4.1). Throws DerError. */
export function readExtensions(content: Uint8Array): Extension[] {
  return derValues(content).map(({ tag, content: within }) => {
    if (tag !== TAG.sequence) throw new DerError('no extension')
    const extension = new DerReader(within)
    const id = extension.objectId()
    const critical = extension.valueIf(TAG.boolean)
    const { content: value } = extension.value(TAG.octetString)
    extension.end()
    return { id, isCritical: critical !== null && critical.content[0] !== 0, value }
  })
}

const SUBJECT_KEY_ID = 0x80

function readSigner(signer: DerReader): SignerInfo {
  signer.value(TAG.integer)
  const issuerAndSerial = signer.valueIf(TAG.sequence)
  if (issuerAndSerial === null) signer.value(SUBJECT_KEY_ID)
  const digestAlgorithm = signer.open(TAG.sequence).objectId()
  const attributes = signer.value(TAG.context0)
  const signatureAlgorithm = signer.open(TAG.sequence).objectId()
  const { content: signature } = signer.value(TAG.octetString)
  signer.valueIf(TAG.context1)
  signer.end()
  return {
    issuerAndSerial: issuerAndSerial?.content ?? null,
    digestAlgorithm,
    attributes: readAttributes(attributes.content),
    // RFC 5652, section 5.4: the signature covers a SET, so its tag replaces the one that is here.
    signedBytes: concatBytes(Uint8Array.of(TAG.set), attributes.encoded.subarray(1)),
    signatureAlgorithm,
    signature,
  }
}

function readAttributes(content: Uint8Array): Map<string, DerValue[]> {
  const attributes = new Map<string, DerValue[]>()
  for (const { tag, content: within } of derValues(content)) {
    if (tag !== TAG.sequence) throw new DerError('no attribute')
    const attribute = new DerReader(within)
    const id = attribute.objectId()
    const { content: values } = attribute.value(TAG.set)
    attribute.end()
    if (attributes.has(id)) throw new DerError('an attribute twice')
    attributes.set(id, derValues(values))
  }
  return attributes
}

function expect(read: string, wanted: string): void {
  if (read !== wanted) throw new DerError('something else')
}

export type TimestampedCheckpoint = {
  /** The whole note. The token covers the SHA-256 of its UTF-8. */
  readonly checkpoint: string
  /** As DER. */
  readonly token: Uint8Array
}

export const formatTimestampedCheckpoint = ({ checkpoint, token }: TimestampedCheckpoint): string =>
  JSON.stringify({ checkpoint, timestamp_token: encodeBase64(token) })

/** Returns null unless the object has exactly these two members. */
export function parseTimestampedCheckpoint(json: unknown): TimestampedCheckpoint | null {
  if (!isJsonObject(json) || Object.keys(json).length !== 2) return null
  const { checkpoint, timestamp_token: encoded } = json
  const token = typeof encoded === 'string' ? decodeBase64(encoded) : null
  return typeof checkpoint === 'string' && token !== null ? { checkpoint, token } : null
}
