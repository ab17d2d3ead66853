// Follows the entries of a log, one after the other, and counts the calls that have ended. Keeping the counts and checking
// them use the same code. Pure.
import type { KeptEntry } from '../journal/archive-object.ts'
import { utcDay } from '../../platform/time.ts'
import { readEntry, type ClosedDay, type Decided, type Ended, type Subject } from './counted-call.ts'
import type { CountedCall } from './tally.ts'

/** A call that is not settled yet. `day`: that on which it will count. */
export type OpenCall = Subject & { position: number; at: number; day: number; reserveMicroeur: number }

export type OpenCalls = {
  insert(call: OpenCall): void
  /** Takes it out; null where none is open at the position. */
  take(position: number): OpenCall | null
}

type Parts = {
  open: OpenCalls
  /** Told of every call once it has ended. */
  count: (call: CountedCall) => void
  /** Told of every day from which on nothing more counts on it. */
  close?: (closed: ClosedDay) => void
  /** The last day that nothing may be added to; -1 for none. */
  closedThrough: number
  /** The name that a use case is counted under. */
  nameUseCase: (useCase: string) => string
}

export class CallCounter {
  readonly #parts: Parts
  #closedThrough: number
  /** Entries that should have said something of a call and could not be read. */
  unreadable = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#closedThrough = parts.closedThrough
  }

  /** Belongs in the order of the log. */
  add(entry: KeptEntry): void {
    const read = readEntry(entry)
    switch (read.kind) {
      case 'admitted':
        this.#parts.open.insert(this.#place(read.decided))
        return
      case 'refused':
        this.#end(this.#place(read.decided), read.ended)
        return
      case 'settled': {
        const call = this.#parts.open.take(read.settles)
        if (call !== null) this.#end(call, read.ended)
        return
      }
      case 'closed':
        this.#closedThrough = Math.max(this.#closedThrough, read.day)
        this.#parts.close?.(read)
        return
      case 'unreadable':
        this.unreadable += 1
        return
      case 'other':
    }
  }

  /** A call counts on the day in its record, or, where that is closed already, on the first that is not. */
  #place({ useCase, ...decided }: Decided): OpenCall {
    const day = Math.max(utcDay(decided.at), this.#closedThrough + 1)
    return { ...decided, useCase: useCase && this.#parts.nameUseCase(useCase), day }
  }

  #end(call: OpenCall, ended: Ended): void {
    this.#parts.count({ ...call, ...ended })
  }
}
