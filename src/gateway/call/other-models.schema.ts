// The request member that lists further models for a call, in either wire format.
import * as z from 'zod'
import { once } from '../../platform/once.ts'

const MOST_OTHER_MODELS = 4

export const OtherModelsSchema = once(() =>
  z
    .array(z.string().min(1).max(100))
    .max(MOST_OTHER_MODELS)
    .nullish()
    .meta({
      description:
        'Models that are asked in this order if the model before certainly did nothing: it was not reached, busy, or refused this service’s key. Each must take the request as it is. Models that the organisation may not use are left out.',
      example: ['claude-haiku-5-5'],
    }),
)
