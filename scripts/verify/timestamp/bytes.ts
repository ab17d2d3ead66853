// Bytes that are the same, whatever holds them. Nothing here is secret, so the time that it takes may be told.
export const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0
