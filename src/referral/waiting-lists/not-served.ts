// What a caller is told when there are no published figures to answer from.
import { AppError } from '../../platform/errors.ts'
import type { NotServed } from './waiting-lists.service.ts'

export function notServed({ outcome }: NotServed): AppError {
  const message =
    outcome === 'no_dataset'
      ? 'No waiting-list file has been published here yet. The operator publishes one with npm run data:publish.'
      : 'The published figures cannot be read just now. Try again in a moment.'
  return new AppError('service_unavailable', message)
}
