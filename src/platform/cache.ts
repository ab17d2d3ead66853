// Caches in an isolate's memory. They keep values between requests, never promises: a promise belongs to one request.

/** Caches the values that were used last, up to `capacity`. */
export class LruCache<Value> {
  readonly #values = new Map<string, Value>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#capacity) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }
}

/** Wraps `derive`, so that it runs once per immutable object. The value is cached as long as the object exists. */
export function memoizeByObject<Source extends object, Value>(
  derive: (source: Source) => Value,
): (source: Source) => Value {
  const derived = new WeakMap<Source, { value: Value }>()
  return (source) => {
    const known = derived.get(source)
    if (known !== undefined) return known.value
    const value = derive(source)
    derived.set(source, { value })
    return value
  }
}
