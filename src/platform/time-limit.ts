// Stops waiting for something that has no time limit of its own, such as a call to another object.

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

/** Rejects with TimeLimitError. The work itself is not stopped, so doing it again must be harmless. */
export async function withinTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError()), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
