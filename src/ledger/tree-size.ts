// The size of a tree as a caller writes it.

/** 0, which no proof is about, where it is no size at all. */
export const readTreeSize = (text: string | undefined): number =>
  /^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : 0
