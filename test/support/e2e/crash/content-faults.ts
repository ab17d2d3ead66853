// Finds faults in stored prompts and answers. Each that the ledger names is there byte for byte. It opens under its own name
// and is of that very request. Nothing is there that no decision knows of.
import { bytesToHex } from '@noble/hashes/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import * as z from 'zod'
import { requestHash } from '../../../../src/evidence/records/canonical-json.ts'
import {
  contentPlaceOf,
  unpackContent,
  type ContentPlace,
} from '../../../../src/organisation/content/content-object.ts'
import { importSealingKey, unseal } from '../../../../src/platform/seal.ts'
import { utcDay } from '../../../../src/platform/time.ts'
import { decisionsIn, settlementsIn, type WrittenDecision } from './decisions.ts'
import { bytes, type ReadRows } from './databases.ts'
import type { Books } from './books.ts'

/** `keys`: of content, by their fingerprints. `files`: the objects by their names. */
export type KeptContent = { object: string; keys: ReadonlyMap<string, Uint8Array>; files: Map<string, Uint8Array> }

export const noContent = (object: string): KeptContent => ({ object, keys: new Map(), files: new Map() })

const KeySchema = z.object({ key: bytes })

const fingerprintOf = (key: Uint8Array): string => bytesToHex(sha256(key).subarray(0, 8))

export const readContentKeys = (rows: ReadRows): KeptContent['keys'] =>
  new Map(
    rows(`SELECT key FROM data_keys WHERE purpose = 'content' AND key IS NOT NULL`, KeySchema).map(({ key }) => [
      fingerprintOf(key),
      key,
    ]),
  )

type Wanted = { decision: WrittenDecision; place: ContentPlace }

/** @param now in the service's time */
export async function findContentFaults(books: Books, now: number): Promise<string[]> {
  const { files } = books.content
  const wanted = decisionsIn(books).flatMap((decision) => placeFor(books.content, decision))
  const names = new Set(wanted.map(({ place }) => place.name))
  const allowed = allowedIn(books)
  const unknown = [...files.keys()].filter((name) => !names.has(name) && !allowed.has(answerTo(name) ?? ''))
  const stored = new Map(settlementsIn(books).flatMap(({ settles, content }) => (content ? [[settles, content]] : [])))
  const faults = await Promise.all(
    wanted.map(async ({ decision, place }) => {
      const { position, record } = decision
      const kept = stored.get(position)
      const file = files.get(place.name)
      if (kept === undefined || kept === 'lost' || utcDay(place.expiresAt) <= utcDay(now)) return []
      if (file === undefined) return [`the content of decision ${position} is not there`]
      if (bytesToHex(sha256(file)) !== kept.sha256 || file.length !== kept.bytes)
        return [`the content of decision ${position} is not what the ledger has the hash of`]
      const packed = await unseal(await importSealingKey(place.key), place.name, Uint8Array.from(file))
      if (packed === null) return [`the content of decision ${position} does not open`]
      const text = new TextDecoder().decode(await unpackContent(packed))
      const { request } = DocumentSchema.parse(JSON.parse(text))
      return requestHash(request) === record.request_hash ? [] : [`the content of decision ${position} is another’s`]
    }),
  )
  return [...unknown.map((name) => `nothing knows of ${name}`), ...faults.flat()]
}

const allowedIn = (books: Books): ReadonlySet<string> =>
  new Set(decisionsIn(books).flatMap(({ record }) => (record.outcome === 'ALLOWED' ? [record.attestation_id] : [])))

/** The attestation_id of the call whose answer is kept there to be given again. */
const answerTo = (name: string): string | undefined => /\/answer-([0-9a-f-]{36})-[0-9a-f]{16}$/.exec(name)?.[1]

const DocumentSchema = z.object({ request: z.record(z.string(), z.json()) })

function placeFor({ object, keys }: KeptContent, decision: WrittenDecision): Wanted[] {
  const { facts, record } = decision
  if (facts.content === undefined) return []
  const { key: fingerprint, expires_at: expires } = facts.content
  const key = keys.get(fingerprint)
  if (key === undefined) return []
  const of = { object, attestationId: record.attestation_id, kind: 'call', expiresAt: Date.parse(expires) } as const
  return [{ decision, place: contentPlaceOf({ bytes: new Uint8Array(key), fingerprint }, of) }]
}
