// Reads time-stamp requests, and makes tokens and responses (RFC 3161). It uses a library (pkijs), so that the service and its
// verifier read tokens that other code made.
import { createHash, randomBytes } from 'node:crypto'
import { Integer, Null, ObjectIdentifier, OctetString, Sequence } from 'asn1js'
import {
  AlgorithmIdentifier,
  Attribute,
  type Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  MessageImprint,
  PKIStatusInfo,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs'
import { derOf, type IssuedCertificate } from './issue-certificate.ts'

export type TimestampRequest = { imprint: Buffer; nonce: Buffer | null; wantsCertificate: boolean }

/** Reads a request. Returns null if it does not ask to stamp a SHA-256. */
export function readTimestampRequest(body: Buffer): TimestampRequest | null {
  try {
    const { version, messageImprint, nonce, certReq = false } = TimeStampReq.fromBER(body)
    if (version !== 1 || messageImprint.hashAlgorithm.algorithmId !== SHA_256) return null
    return {
      imprint: Buffer.from(messageImprint.hashedMessage.valueBlock.valueHexView),
      nonce: nonce === undefined ? null : Buffer.from(nonce.valueBlock.valueHexView),
      wantsCertificate: certReq,
    }
  } catch {
    return null
  }
}

export type TimestampTokenOptions = {
  imprint: Uint8Array
  nonce: Uint8Array | null
  /** Milliseconds since the epoch. */
  time: number
  signer: IssuedCertificate
  /** The certificates in the token. */
  certificates: readonly Certificate[]
  hash?: 'SHA-256' | 'SHA-384' | 'SHA-512'
  /** The certificate that the token names as its signer's, or null for no name. */
  named?: Pick<IssuedCertificate, 'certificate'> | null
  /** The bytes whose digest the token states. Undefined means the content. */
  digestOf?: Uint8Array
}

/** Makes a token in DER. */
export async function makeTimestampToken({
  imprint,
  nonce,
  time,
  signer,
  certificates,
  hash = 'SHA-256',
  named = signer,
  digestOf,
}: TimestampTokenOptions): Promise<Buffer> {
  const info = new TSTInfo({
    version: 1,
    policy: POLICY,
    messageImprint: new MessageImprint({
      hashAlgorithm: sha256Identifier(),
      hashedMessage: new OctetString({ valueHex: imprint }),
    }),
    serialNumber: new Integer({ valueHex: Uint8Array.of(0x01, ...randomBytes(15)) }),
    genTime: new Date(time),
    ...(nonce === null ? {} : { nonce: new Integer({ valueHex: nonce }) }),
  })
  const content = Buffer.from(info.toSchema().toBER())
  const digest = createHash(hash.replace('-', ''))
    .update(digestOf ?? content)
    .digest()
  const attributes = [
    attribute(CONTENT_TYPE, new ObjectIdentifier({ value: TIMESTAMP_INFO })),
    attribute(MESSAGE_DIGEST, new OctetString({ valueHex: digest })),
    ...(named === null ? [] : [attribute(SIGNING_CERTIFICATE_V2, signingCertificate(named))]),
  ]
  const signed = new SignedData({
    version: 3,
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: TIMESTAMP_INFO }),
    certificates: [...certificates],
    signerInfos: [
      new SignerInfo({
        version: 1,
        sid: new IssuerAndSerialNumber({
          issuer: signer.certificate.issuer,
          serialNumber: signer.certificate.serialNumber,
        }),
        signedAttrs: new SignedAndUnsignedAttributes({ type: 0, attributes: attributes.toSorted(byEncoding) }),
      }),
    ],
  })
  // The constructor would split it into pieces, which is not DER.
  signed.encapContentInfo.eContent = new OctetString({ valueHex: content })
  await signed.sign(signer.key, 0, hash)
  return Buffer.from(new ContentInfo({ contentType: SIGNED_DATA, content: signed.toSchema(true) }).toSchema().toBER())
}

/** Makes a response. `token` null makes a refusal. */
export function makeTimestampResponse(token: Buffer | null): Buffer {
  const status = new PKIStatusInfo({ status: token === null ? 2 : 0 })
  const more = token === null ? {} : { timeStampToken: ContentInfo.fromBER(token) }
  return Buffer.from(new TimeStampResp({ status, ...more }).toSchema().toBER())
}

const SHA_256 = '2.16.840.1.101.3.4.2.1'
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const TIMESTAMP_INFO = '1.2.840.113549.1.9.16.1.4'
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47'
/** An arc that RFC 5612 reserves for examples. */
const POLICY = '1.3.6.1.4.1.32473.1'

const sha256Identifier = (): AlgorithmIdentifier =>
  new AlgorithmIdentifier({ algorithmId: SHA_256, algorithmParams: new Null() })

type Value = ObjectIdentifier | OctetString | Sequence

const attribute = (type: string, value: Value): Attribute => new Attribute({ type, values: [value] })

/** Returns SigningCertificateV2 (RFC 5816) with one ESSCertIDv2 that uses SHA-256. */
function signingCertificate(issued: Pick<IssuedCertificate, 'certificate'>): Sequence {
  const hash = new OctetString({ valueHex: createHash('sha256').update(derOf(issued)).digest() })
  return new Sequence({ value: [new Sequence({ value: [new Sequence({ value: [hash] })] })] })
}

/** Compares two attributes by their encoding, because DER sorts a SET OF. */
const byEncoding = (one: Attribute, other: Attribute): number =>
  Buffer.compare(Buffer.from(one.toSchema().toBER()), Buffer.from(other.toSchema().toBER()))
