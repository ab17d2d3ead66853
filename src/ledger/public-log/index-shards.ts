// How the public log's index is divided. Pure.

/** By the first four bits of an attestation_id, which are random. */
export const INDEX_SHARDS = 16

export const shardOf = (attestationId: Uint8Array): number => (attestationId[0] ?? 0) >> 4
