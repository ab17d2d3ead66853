// Stores reasons sealed and reads them back, with the salt, so that each can be checked against its record.
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import type { OpenedReason } from '../../organisation/approvals/approvals.target.ts'
import type { ContentPlace } from '../../organisation/content/content-object.ts'
import { getContent, putContent } from '../../organisation/content/content-objects.store.ts'
import { readJson } from '../../platform/json.ts'
import { logUnexpected } from '../../platform/log.ts'
import { sha256Hex } from '../../platform/sha256.ts'

const ReasonSchema = z.object({ salt: z.string().regex(/^[0-9a-f]{64}$/), reason: z.string() })
type Reason = z.infer<typeof ReasonSchema>

export type ReadReason = { acceptance_id: string; decided_by: string; reason: string | null; salt: string | null }

/** The hash of a reason that its record contains, in hex. */
export const reasonHashOf = ({ salt, reason }: Reason): string =>
  sha256Hex(concatBytes(Uint8Array.fromHex(salt), utf8ToBytes(reason)))

/** Never rejects: the decision is already written, and its author has the reason and the salt. */
export async function keepReason(
  bucket: Pick<R2Bucket, 'put' | 'get'>,
  place: ContentPlace,
  reason: Reason,
  requestId: string,
): Promise<void> {
  await putContent(bucket, place, new Uint8Array(utf8ToBytes(JSON.stringify(reason)))).catch((thrown: unknown) =>
    logUnexpected(thrown, requestId),
  )
}

export async function readReason(
  bucket: Pick<R2Bucket, 'put' | 'get'>,
  { acceptanceId, decidedBy, reasonHash, place }: OpenedReason,
): Promise<ReadReason> {
  const opened = place === null ? null : await getContent(bucket, place, null)
  const text = opened?.outcome === 'opened' ? new TextDecoder().decode(opened.plain) : ''
  const read = ReasonSchema.safeParse(readJson(text)).data
  const kept = read !== undefined && reasonHashOf(read) === reasonHash ? read : null
  return { acceptance_id: acceptanceId, decided_by: decidedBy, reason: kept?.reason ?? null, salt: kept?.salt ?? null }
}
