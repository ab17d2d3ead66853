// Finds what the operator must look at again in time: the readers' models that their providers are about to end, and the promises
// about the readers' routes that were read long ago. Pure.
import { utcDay } from '../../platform/time.ts'
import type { Model } from '../../providers/model-catalogue.ts'

/** A new model must be measured first (`npm run eval`). */
const TOLD_DAYS_BEFORE = 60

/** `daysLeft`: whole UTC days; negative after the day. */
export type RetiringReader = { model: Model; retiresOn: string; daysLeft: number }

/** @param now milliseconds since the epoch */
export function findRetiringReaders(models: readonly Model[], now: number): RetiringReader[] {
  return models.flatMap((model) => {
    const { retiresOn } = model.lifecycle
    if (retiresOn === null) return []
    const daysLeft = utcDay(Date.parse(retiresOn)) - utcDay(now)
    return daysLeft > TOLD_DAYS_BEFORE ? [] : [{ model, retiresOn, daysLeft }]
  })
}

/** Providers change their pages without notice. */
const PROMISE_GOOD_DAYS = 90

/** `days`: whole UTC days since the promise was read. */
export type OldPromise = { model: Model; readOn: string; days: number }

/** @param now milliseconds since the epoch */
export const findOldPromises = (routes: readonly Model[], now: number): OldPromise[] =>
  routes.flatMap((model) => {
    if (model.promise === null) return []
    const { readOn } = model.promise
    const days = utcDay(now) - utcDay(Date.parse(readOn))
    return days > PROMISE_GOOD_DAYS ? [{ model, readOn, days }] : []
  })
