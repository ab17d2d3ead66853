// The time that calls count for, when the clock steps. It never runs backwards, so that no window is opened twice: where
// the clock steps back by minutes, calls count for the last call's time until the clock has come that far again. A clock
// that was further ahead was wrong, and nobody is to wait for it: what was counted for later times then counts for now, so
// that it leaves its minute in a minute, and its day with today.
import type { CostsStore } from '../keys/costs.store.ts'
import type { LimitsStore } from '../keys/limits.store.ts'
import type { LoopsStore } from './loops.store.ts'
import type { SpendingStore } from './spending.store.ts'
import { HELD_MS } from './state/clock.ts'
import type { Upkeep } from './upkeep.ts'

type Stores = {
  limits: LimitsStore
  costs: CostsStore
  spending: SpendingStore
  loops: LoopsStore
  upkeep: Pick<Upkeep, 'takeBack'>
}

/** Belongs at the start of a turn. True where the clock was far ahead before. */
export function correctTimes({ limits, costs, spending, loops, upkeep }: Stores, now: number): boolean {
  const latest = limits.latestAt()
  if (latest === null || latest - now <= HELD_MS) return false
  for (const store of [limits, costs, spending, loops, upkeep]) store.takeBack(now)
  return true
}
