// Finds the readers' models that their providers are about to end, so that the operator is told in time. Pure.
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
