// Reads the parts of a certificate (RFC 5280) that decide whether a timestamp authority is trusted.
import { X509Certificate, type KeyObject } from 'node:crypto'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { derTime, derValues, DerError, DerReader, openDerValue, TAG } from '../../src/evidence/timestamp/der.ts'
import { readExtensions, type Extension } from '../../src/evidence/timestamp/timestamp-token.ts'

export type Certificate = {
  readonly der: Uint8Array
  /** Issuer and serial number as DER, one after the other. */
  readonly issuerAndSerial: Uint8Array
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  /** The name that is shown to people. */
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly validFrom: number
  readonly validUntil: number
  readonly publicKey: KeyObject
  /** True if it may issue certificates. */
  readonly isAuthority: boolean
  /** The most authorities between it and the last certificate; null for any number. */
  readonly pathLength: number | null
  /** The first byte of the key usage bits; null if the use is not limited. */
  readonly keyUsage: number | null
  readonly purposes: { readonly ids: readonly string[]; readonly isCritical: boolean } | null
  readonly hasUnknownCritical: boolean
  readonly signedBytes: Uint8Array
  readonly signatureAlgorithm: string
  readonly signature: Uint8Array
}

export const KEY_USAGE = { digitalSignature: 0x80, nonRepudiation: 0x40, keyCertSign: 0x04 } as const

/** Purposes: object identifiers as hexadecimal digits. */
export const PURPOSE = { timeStamping: '2b06010505070308', any: '551d2500' } as const

const EXTENSION = {
  keyUsage: '551d0f',
  basicConstraints: '551d13',
  /** Recognised and ignored, because no policy is required. */
  policies: '551d20',
  purposes: '551d25',
} as const

const KNOWN: readonly string[] = Object.values(EXTENSION)

const PEM = /-----BEGIN CERTIFICATE-----(?<base64>[A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g

/** Returns all certificates of a PEM file. Returns null if there is none or one cannot be read. */
export function readPemCertificates(pem: Uint8Array): Certificate[] | null {
  const text = new TextDecoder().decode(pem)
  const ders = [...text.matchAll(PEM)].map(({ groups }) => Buffer.from(groups?.['base64'] ?? '', 'base64'))
  const certificates = ders.flatMap((der) => readCertificate(der) ?? [])
  return certificates.length === 0 || certificates.length < ders.length ? null : certificates
}

/** Reads a certificate. Returns null for bytes that are not a certificate, or for one that is not supported. */
export function readCertificate(der: Uint8Array): Certificate | null {
  try {
    const { publicKey, subject: name } = new X509Certificate(der)
    return { ...readFacts(der), publicKey, name }
  } catch {
    // Node's own reader throws errors of many kinds.
    return null
  }
}

const [VERSION, ISSUER_ID, SUBJECT_ID] = [TAG.context0, 0x81, 0x82]

function readFacts(der: Uint8Array): Omit<Certificate, 'publicKey' | 'name'> {
  const whole = openDerValue(der, TAG.sequence)
  const signed = whole.value(TAG.sequence)
  const signatureAlgorithm = whole.open(TAG.sequence).objectId()
  const signature = bitString(whole.value(TAG.bitString).content)
  whole.end()

  const body = new DerReader(signed.content)
  body.valueIf(VERSION)
  const serial = body.value(TAG.integer)
  // SECURITY: only the inner name of the algorithm is signed.
  if (body.open(TAG.sequence).objectId() !== signatureAlgorithm) throw new DerError('two algorithms')
  const { encoded: issuer } = body.value(TAG.sequence)
  const validity = body.open(TAG.sequence)
  const [validFrom, validUntil] = [derTime(validity.next()), derTime(validity.next())]
  const { encoded: subject } = body.value(TAG.sequence)
  body.value(TAG.sequence)
  body.valueIf(ISSUER_ID)
  body.valueIf(SUBJECT_ID)
  const extensions = body.openIf(TAG.context3)
  body.end()
  return {
    der,
    issuerAndSerial: concatBytes(issuer, serial.encoded),
    issuer,
    subject,
    validFrom,
    validUntil,
    ...readLimits(extensions === null ? [] : readExtensions(extensions.value(TAG.sequence).content)),
    signedBytes: signed.encoded,
    signatureAlgorithm,
    signature,
  }
}

function readLimits(extensions: readonly Extension[]) {
  const ids = extensions.map(({ id }) => id)
  if (new Set(ids).size !== ids.length) throw new DerError('an extension twice')
  const [usage, constraints, purposes] = [EXTENSION.keyUsage, EXTENSION.basicConstraints, EXTENSION.purposes].map(
    (id) => extensions.find((extension) => extension.id === id) ?? null,
  )
  return {
    ...readConstraints(constraints?.value ?? null),
    keyUsage: usage ? (bitString(new DerReader(usage.value).value(TAG.bitString).content)[0] ?? 0) : null,
    purposes: purposes ? { ids: readPurposes(purposes.value), isCritical: purposes.isCritical } : null,
    hasUnknownCritical: extensions.some(({ id, isCritical }) => isCritical && !KNOWN.includes(id)),
  }
}

function readConstraints(value: Uint8Array | null): Pick<Certificate, 'isAuthority' | 'pathLength'> {
  if (value === null) return { isAuthority: false, pathLength: null }
  const constraints = openDerValue(value, TAG.sequence)
  const isAuthority = (constraints.valueIf(TAG.boolean)?.content[0] ?? 0) !== 0
  const length = constraints.valueIf(TAG.integer)
  constraints.end()
  if (length !== null && length.content.length !== 1) throw new DerError('a path that is too long')
  return { isAuthority, pathLength: length?.content[0] ?? null }
}

const readPurposes = (value: Uint8Array): string[] => {
  const purposes = new DerReader(value).value(TAG.sequence)
  return derValues(purposes.content).map(({ content }) => bytesToHex(content))
}

/** Removes the first byte, which is the number of unused bits in the last one. */
const bitString = (content: Uint8Array): Uint8Array => content.subarray(1)
