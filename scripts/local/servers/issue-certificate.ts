// Issues a certificate for the local timestamp authority, self-signed or signed by an issuer. Also encodes it as DER and PEM.
import { randomBytes } from 'node:crypto'
import { BitString, Integer, PrintableString } from 'asn1js'
import { AttributeTypeAndValue, BasicConstraints, Certificate, ExtKeyUsage, Extension } from 'pkijs'

export type IssuedCertificate = { certificate: Certificate; key: CryptoKey }

export type CertificateOptions = {
  name: string
  /** The issuer. Null makes a self-signed certificate. */
  issuer: IssuedCertificate | null
  /** Milliseconds since the epoch. */
  validFrom: number
  validUntil: number
  /** The path length. Null makes a certificate that may not issue others. */
  pathLength?: number | 'any' | null
  /** The extended key usage, as object identifiers. */
  purposes?: readonly string[]
  arePurposesCritical?: boolean
  key?: 'ecdsa' | 'rsa'
}

export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'

const KEYS = {
  ecdsa: { name: 'ECDSA', namedCurve: 'P-256' },
  rsa: { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' },
} as const

export async function issueCertificate({
  name,
  issuer,
  validFrom,
  validUntil,
  pathLength = null,
  purposes = [],
  arePurposesCritical = true,
  key = 'ecdsa',
}: CertificateOptions): Promise<IssuedCertificate> {
  const pair = await crypto.subtle.generateKey(KEYS[key], true, ['sign', 'verify'])
  const certificate = new Certificate()
  certificate.version = 2
  certificate.serialNumber = new Integer({ valueHex: Uint8Array.of(0x01, ...randomBytes(15)) })
  certificate.subject.typesAndValues.push(
    new AttributeTypeAndValue({ type: COMMON_NAME, value: new PrintableString({ value: name }) }),
  )
  certificate.issuer = issuer?.certificate.subject ?? certificate.subject
  certificate.notBefore.value = new Date(validFrom)
  certificate.notAfter.value = new Date(validUntil)
  const limit = typeof pathLength === 'number' ? { pathLenConstraint: pathLength } : {}
  const constraints = new BasicConstraints({ cA: pathLength !== null, ...limit }).toSchema()
  certificate.extensions = [
    extension(BASIC_CONSTRAINTS, true, constraints),
    extension(KEY_USAGE, true, new BitString(pathLength === null ? SIGNS : ISSUES)),
  ]
  if (purposes.length > 0) {
    const usage = new ExtKeyUsage({ keyPurposes: [...purposes] }).toSchema()
    certificate.extensions.push(extension(EXTENDED_KEY_USAGE, arePurposesCritical, usage))
  }
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey)
  await certificate.sign(issuer?.key ?? pair.privateKey, 'SHA-256')
  return { certificate, key: pair.privateKey }
}

const COMMON_NAME = '2.5.4.3'
const KEY_USAGE = '2.5.29.15'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const BASIC_CONSTRAINTS = '2.5.29.19'

/** Key usage bits: digitalSignature; keyCertSign and cRLSign. */
const SIGNS = { valueHex: Uint8Array.of(0x80), unusedBits: 7 }
const ISSUES = { valueHex: Uint8Array.of(0x06), unusedBits: 2 }

type Encodable = { toBER: () => ArrayBuffer }

const extension = (extnID: string, critical: boolean, value: Encodable): Extension =>
  new Extension({ extnID, critical, extnValue: value.toBER() })

export const derOf = ({ certificate }: Pick<IssuedCertificate, 'certificate'>): Buffer =>
  Buffer.from(certificate.toSchema(true).toBER())

export function pemOf(issued: Pick<IssuedCertificate, 'certificate'>): string {
  const lines =
    derOf(issued)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
