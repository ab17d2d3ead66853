// The policy rule about loops, whose thresholds replace those of the settings. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { LOOP_BOUNDS, type LoopSettings } from '../loops.policy.ts'
import { changedTo } from './loosening-words.ts'
import { defineRule } from './rule.ts'

const within = ({ least, most }: { least: number; most: number }) => z.int().min(least).max(most)

const LoopGuardSchema = once(() =>
  z
    .strictObject({
      repeats: within(LOOP_BOUNDS.repeats).optional(),
      window_seconds: within(LOOP_BOUNDS.windowSeconds).optional(),
      cycle_rounds: within(LOOP_BOUNDS.cycleRounds).optional(),
      cycle_window_seconds: within(LOOP_BOUNDS.cycleWindowSeconds).optional(),
    })
    .meta({
      id: 'LoopGuard',
      description:
        'What counts as a loop, in the place of the settings loop_repeats and so on. Loops are always looked for.',
    }),
)

type LoopGuard = Infer<typeof LoopGuardSchema>

/** Returns the loop thresholds in force: the policy's, and the settings' where it has none. */
export const loopSettingsOf = (rule: LoopGuard | undefined, settings: LoopSettings): LoopSettings => ({
  loopRepeats: rule?.repeats ?? settings.loopRepeats,
  loopWindowSeconds: rule?.window_seconds ?? settings.loopWindowSeconds,
  loopCycleRounds: rule?.cycle_rounds ?? settings.loopCycleRounds,
  loopCycleWindowSeconds: rule?.cycle_window_seconds ?? settings.loopCycleWindowSeconds,
})

/** Shorter windows and more repeats find fewer loops. */
function findLooser(before: LoopGuard, after: LoopGuard, settings: LoopSettings): string[] {
  const [from, to] = [loopSettingsOf(before, settings), loopSettingsOf(after, settings)]
  const loosenedBy = (direction: 1 | -1, member: keyof LoopGuard, was: number, is: number): string[] =>
    (is - was) * direction > 0 ? [changedTo(member, was, is)] : []
  return [
    ...loosenedBy(1, 'repeats', from.loopRepeats, to.loopRepeats),
    ...loosenedBy(-1, 'window_seconds', from.loopWindowSeconds, to.loopWindowSeconds),
    ...loosenedBy(1, 'cycle_rounds', from.loopCycleRounds, to.loopCycleRounds),
    ...loosenedBy(-1, 'cycle_window_seconds', from.loopCycleWindowSeconds, to.loopCycleWindowSeconds),
  ]
}

export const loopGuard = defineRule({ schema: LoopGuardSchema, unset: () => ({}), findLooser })
