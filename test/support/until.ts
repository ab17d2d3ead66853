// Waits for a state that something else brings about. A wait that never ends would hide what it waited for.

const EVERY_MS = 50
const AT_MOST_MS = 60_000

/** Reads every 50 ms until `isSo` and returns that value. After 60 s it throws with what it waited for and the last value. */
export async function until<T>(what: string, read: () => Promise<T> | T, isSo: (value: T) => boolean): Promise<T> {
  const end = Date.now() + AT_MOST_MS
  const late = (last: string): Error => new Error(`Not within ${AT_MOST_MS / 1000} s: ${what}. ${last}`)
  for (;;) {
    const value = await inTime(read, late('It was not answered.'))
    if (isSo(value)) return value
    if (Date.now() > end) throw late(`Last: ${shown(value)}`)
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
}

async function inTime<T>(read: () => Promise<T> | T, error: Error): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(error), AT_MOST_MS)
  try {
    return await Promise.race([read(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** `JSON.stringify` returns undefined for what has no JSON. */
const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 2000)
