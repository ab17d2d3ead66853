// What an isolate remembers between requests: values, never a promise, which would belong to one of them. The oldest go
// first.

export class RecentValues<V> {
  readonly #most: number
  readonly #values = new Map<string, V>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    const [oldest] = this.#values.keys()
    if (oldest !== undefined && this.#values.size > this.#most) this.#values.delete(oldest)
  }
}
