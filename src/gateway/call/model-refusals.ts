// The errors for a model that does not exist, or that the organisation may not use.
import { AppError } from '../../platform/errors.ts'
import type { Aqta } from './aqta.schema.ts'

export const unknownModel = (): AppError =>
  new AppError('model_not_found', 'There is no such model here. GET /v1/models lists those your key may use.', {
    param: 'model',
  })

/** @param aqta where a decision about it is recorded */
export const modelNotAllowed = (reason: 'tier' | 'provider', aqta?: Aqta): AppError =>
  new AppError('model_not_allowed', NOT_ALLOWED[reason], { param: 'model', ...(aqta && withAqta(aqta)) })

const NOT_ALLOWED = {
  tier: 'The tier of your organisation does not include this model. GET /v1/models lists those that it does.',
  provider:
    'Your organisation has not enabled this model’s provider (setting: enabled_providers). GET /v1/models lists what is enabled.',
}

/** Beside the error as on every answer, and within it, since OpenAI's SDKs hand on only what is inside. */
export const withAqta = (aqta: Aqta) => ({ members: { aqta }, beside: { aqta } })
