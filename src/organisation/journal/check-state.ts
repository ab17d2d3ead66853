// Works an organisation's state out again from every event at hand, and says whether it is what the object holds. In steps, so
// that no call waits long; what comes meanwhile is taken in too.
import { EntriesStore } from './entries.store.ts'
import { leafHash } from '../../evidence/entry.ts'
import { frontierToBytes, type Frontier } from '../../evidence/tree/frontier.ts'
import { columnsThatDiffer } from './check-columns.ts'
import { follow, replay, END, type Memory } from './read-memory.ts'
import { SnapshotsStore } from './snapshots.store.ts'
import { differences } from './state/rebuild.ts'
import { isSameBytes } from '../../platform/bytes.ts'

const ENTRIES_AT_ONCE = 2500

export type StateChecked = {
  /** Paths where the two states differ, entries that differ from their leaf's hash, and columns that differ from their entry. */
  differences: string[]
  /** Entries from this position on were gone through, up to and without `to`. */
  from: number
  to: number
}

export class StateCheck {
  readonly #sql: SqlStorage
  readonly #held: () => Memory
  #memory: Memory
  #from: number
  #wrongRows: string[] = []

  constructor(sql: SqlStorage, held: () => Memory) {
    this.#sql = sql
    this.#held = held
    this.#memory = this.#begin()
    this.#from = this.#memory.state.next
  }

  /** Belongs in one turn. Null while there is more to go through. */
  step(): StateChecked | null {
    const oldest = new SnapshotsStore(this.#sql).find('oldest')
    // Entries have left that were still to be gone through.
    if (oldest !== null && oldest.before > this.#memory.state.next) {
      this.#memory = this.#begin()
      this.#from = this.#memory.state.next
    }
    const held = this.#held()
    const next = this.#memory.state.next + ENTRIES_AT_ONCE
    const isLast = next >= held.state.next
    this.#checkRows(this.#memory.state.next, next)
    try {
      follow(this.#sql, this.#memory, isLast ? END : { before: next, n: 0 })
    } catch (thrown) {
      // A row that no event can be made of: what is wrong with it has been found.
      if (this.#wrongRows.length === 0) throw thrown
      return { differences: this.#wrongRows, from: this.#from, to: held.state.next }
    }
    if (!isLast) return null
    const isOneLog = textOf(held.frontier) === textOf(this.#memory.frontier)
    const found = [...differences(held.state, this.#memory.state), ...(isOneLog ? [] : ['frontier'])]
    return { differences: [...found, ...this.#wrongRows], from: this.#from, to: held.state.next }
  }

  #begin(): Memory {
    this.#wrongRows = []
    const oldest = new SnapshotsStore(this.#sql).find('oldest')
    return replay(this.#sql, oldest, oldest ?? { before: 0, n: 0 })
  }

  #checkRows(from: number, before: number): void {
    for (const row of new EntriesStore(this.#sql).rowsFrom(from, before)) {
      const name = `entries.${row.position}`
      const isOther = !isSameBytes(leafHash(row.entry), row.hash)
      this.#wrongRows.push(...(isOther ? [name] : columnsThatDiffer(row).map((column) => `${name}.${column}`)))
    }
  }
}

const textOf = (frontier: Frontier): string => frontierToBytes(frontier).toHex()
