// The state of a running emulator: its options, queued behaviours, recorded requests and counters.

import { createBehaviourSource } from './behaviour-source.ts'
import type { BehaviourSource } from './behaviour-source.ts'
import { createRecorder } from './request-recorder.ts'
import type { Recorder } from './request-recorder.ts'
import { PromptCache } from './prompt-cache.ts'
import type { EndpointId } from '../../src/providers/provider-registry.ts'

export interface EmulatorOptions {
  /** The port. 0, the default, takes any free one. */
  port?: number
  host?: string
  /** The delay before the headers of every answer, in milliseconds. */
  delayMs?: number
  /** True to record requests for `requests()`. */
  record?: boolean
  /** The seed of random behaviours for requests that name none. */
  chaosSeed?: number | null
  /** The longest time that a silent answer stays open, in milliseconds, if the caller does not leave. */
  holdLimitMs?: number
}

/** Counts open requests since the last reset. One from before it may stay open for long and concerns nobody. */
class OpenRequests {
  #count = 0
  #waiting: Array<() => void> = []

  add(): () => void {
    this.#count += 1
    return () => {
      this.#count -= 1
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  async none(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

export class EmulatorState {
  readonly options: EmulatorOptions
  readonly behaviours: BehaviourSource
  readonly recorder: Recorder
  readonly promptCache = new PromptCache()
  #serial = 0
  #connections = new WeakMap<object, number>()
  #lastConnection = 0
  #samples = new Map<EndpointId, number>()
  #open = new OpenRequests()
  #release = Promise.withResolvers<void>()

  constructor(options: EmulatorOptions) {
    this.options = options
    this.behaviours = createBehaviourSource(options.chaosSeed ?? null)
    this.recorder = createRecorder(options.record === true)
  }

  nextSerial(): string {
    this.#serial += 1
    return `${this.#serial}`.padStart(6, '0')
  }

  /** Returns the connection's number. Connections are numbered in the order of their first use. */
  connectionOf(socket: object): number {
    const known = this.#connections.get(socket)
    if (known !== undefined) return known
    this.#lastConnection += 1
    this.#connections.set(socket, this.#lastConnection)
    return this.#lastConnection
  }

  nextSample(endpoint: EndpointId): number {
    const sample = this.#samples.get(endpoint) ?? 0
    this.#samples.set(endpoint, sample + 1)
    return sample
  }

  /** Returns the function to call when the request is closed. */
  requestOpened(): () => void {
    return this.#open.add()
  }

  idle(): Promise<void> {
    return this.#open.none()
  }

  /** Resolves when `release` is called, so that waiting requests are answered. After a reset, requests wait again. */
  get released(): Promise<void> {
    return this.#release.promise
  }

  release(): void {
    this.#release.resolve()
  }

  reset(): void {
    this.recorder.clear()
    this.promptCache.clear()
    this.behaviours.clear()
    this.#samples.clear()
    this.#serial = 0
    this.#open = new OpenRequests()
    this.#release = Promise.withResolvers()
  }
}
