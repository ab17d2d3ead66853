// Remembers the values used last, up to a number of them. What an isolate may keep between requests lives in these: values,
// never a promise, which would belong to one of the requests.
export class BoundedMemory<Value> {
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

  clear(): void {
    this.#values.clear()
  }
}
