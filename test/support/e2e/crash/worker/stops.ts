// Stops an object at armed steps, and fails its storage: around its transactions, its statements and its alarm.
import { type Arm, KILL_LINE, type Step, type Verb, type Write } from '../steps.ts'
import { crash, failure, reach, report, untold } from './arms.ts'

const now = Date.now
Date.now = () => now() + crash.clockAheadMs

/** Some seconds of computing: a turn is to be killed before it is over. */
function compute(): void {
  for (let round = 0; round < 4e9; round += 1);
}

type Failure = Extract<Arm, { action: 'fail' }>

/** The one an object is in; `statements`: executed so far in its transactions. What fails beside them fails no call. */
type Turn = { readonly verb: Verb; statements: number; failed: Failure | null }

/** Stops an object and fails its storage. Each arm acts once, in the first turn of its verb that gets far enough. */
export class Stops {
  readonly #ctx: DurableObjectState
  readonly #sync: () => Promise<void>
  /** Those whose time has come, and no turn has come as far. */
  readonly #armed: Failure[] = []
  readonly #writes: readonly (readonly [write: Write, isOne: IsWrite])[]
  /** While what the object holds is asked for, which reads it too, nothing fails. */
  isAsked = false
  #turn: Turn | null = null
  #isInTransaction = false

  /** Before anybody else has the object's storage. */
  constructor(ctx: DurableObjectState, writes: readonly (readonly [write: Write, isOne: IsWrite])[] = []) {
    this.#ctx = ctx
    this.#writes = writes
    const { storage } = ctx
    this.#sync = storage.sync.bind(storage)
    const transact = storage.transactionSync.bind(storage)
    const execute = storage.sql.exec.bind(storage.sql)
    const setAlarm = storage.setAlarm.bind(storage)
    replace(storage, 'transactionSync', (work: () => unknown) =>
      transact(() => {
        this.#isInTransaction = true
        try {
          const answer = work()
          this.#failAt(null)
          return answer
        } finally {
          this.#isInTransaction = false
        }
      }),
    )
    replace(storage.sql, 'exec', (query: string, ...bindings: unknown[]) => {
      if (this.#turn !== null && this.#isInTransaction) this.#failAt((this.#turn.statements += 1))
      const answer = execute(query, ...bindings)
      this.#stopAfter(query, bindings)
      return answer
    })
    // The machine's own time, and less of it.
    replace(storage, 'setAlarm', (at: number) => setAlarm(now() + (at - Date.now()) / crash.alarmSpeed))
  }

  #failAt(statement: number | null): void {
    const turn = this.#turn
    if (turn === null || turn.failed !== null) return
    const at = this.#armed.findIndex((arm) => arm.statement === statement && arm.step === `${turn.verb}:before`)
    const [arm] = at === -1 ? [] : this.#armed.splice(at, 1)
    if (arm === undefined) return
    turn.failed = arm
    throw failure()
  }

  /** The statement is executed, and nothing of its transaction is on disk. Memory may be read outside of one too. */
  #stopAfter(query: string, bindings: readonly unknown[]): void {
    const write = this.#writes.find(([, isOne]) => isOne(query, bindings))?.[0]
    if (write === undefined || this.isAsked || (write !== 'recall' && !this.#isInTransaction)) return
    const arm = reach(`${write}:during`)
    if (arm === null) return
    if (arm.action === 'kill') {
      console.log(KILL_LINE)
      for (;;) compute()
    }
    untold.push(arm)
    if (arm.action === 'abort') this.#ctx.abort(`aborted at ${arm.step}`)
    throw failure()
  }

  async at(step: Step): Promise<Arm | null> {
    const arm = reach(step)
    if (arm === null) return null
    if (arm.action !== 'fail') await report(arm)
    if (arm.action === 'abort') {
      // An abort at once would lose the writes before the step.
      await this.#sync()
      this.#ctx.abort(`aborted at ${step}`)
    }
    return arm
  }

  /** Before something outside of turns that may be told to fail. */
  async orFail(step: Step): Promise<void> {
    const arm = await this.at(step)
    if (arm?.action !== 'fail') return
    await report(arm)
    throw failure()
  }

  /** Before a turn, within it and after it. */
  async around<T>(verb: Verb, turn: () => T | Promise<T>): Promise<T> {
    const before = await this.at(`${verb}:before`)
    const during = await this.at(`${verb}:during`)
    if (before?.action === 'fail') this.#armed.push(before)
    const taken: Turn = { verb, statements: 0, failed: null }
    try {
      const answer = await this.#take(taken, turn, during !== null)
      await this.at(`${verb}:after`)
      return answer
    } finally {
      // Told when it came about: what was only armed may still be waiting for a turn that comes as far.
      if (taken.failed !== null) await report(taken.failed)
    }
  }

  #take<T>(taken: Turn, turn: () => T, isHeld: boolean): T {
    this.#turn = taken
    try {
      const answer = turn()
      if (isHeld) compute()
      return answer
    } finally {
      this.#turn = null
    }
  }
}

type IsWrite = (query: string, bindings: readonly unknown[]) => boolean

const has =
  (text: string): IsWrite =>
  (query) =>
    query.replaceAll(/\s+/g, ' ').includes(text)

export const WRITES_OF_ORGANISATION = [
  ['snapshot', (query, [name]) => query.includes('INSERT INTO snapshots') && name === 'newest'],
  ['shelve', has('INSERT INTO tile_levels')],
  ['plan', has('INSERT INTO sealed_details')],
  ['leave', has('UPDATE sealed_details')],
  ['drop', has('DELETE FROM entries')],
  ['unlist', has('DELETE FROM sealed_details')],
  ['recall', has('coverage FROM snapshots')],
  ['deliver', has('body = NULL, ended = ?')],
] as const satisfies readonly (readonly [Write, IsWrite])[]

export const WRITES_OF_PUBLIC_LOG = [['unload', has('INSERT INTO tile_levels')]] as const satisfies readonly (readonly [
  Write,
  IsWrite,
])[]

export function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value })
}
