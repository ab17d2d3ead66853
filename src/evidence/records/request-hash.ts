// The hash by which a record names the request it is about. Whoever has the request can make it again.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalBytes } from './canonical-json.ts'

/** SHA-256 of the body's canonical JSON, in lower-case hexadecimal. Throws TypeError where there is no such JSON. */
export const requestHash = (body: unknown): string => bytesToHex(sha256(canonicalBytes(body)))
