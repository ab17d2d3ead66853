// Shares the set-up of the public log's route tests. The service has known keys, and nothing happens by itself at its time.
// Also reads its refusals.
import { env } from 'cloudflare:workers'
import { createSigner, throwAwayKeys } from '../../../src/evidence/records/configured-keys.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { publishAll as publishAllAs } from './opened-log.ts'

/** A year whose alarms never go off by themselves while the tests run. */
export const noon = Date.UTC(2091, 2, 15, 12)

export const keys = throwAwayKeys(readConfig(env).signingPepper.bytes)

/** Under the service’s own key. */
export const publishAll = (): Promise<void> => publishAllAs({ signer: createSigner(keys) })

export async function refusalOf(response: Response) {
  const { error } = await response.json<{ error: { code: string; param?: string; retry_after?: number } }>()
  return { status: response.status, ...error }
}

/** In the place of a namespace of objects. */
export const unreachable = {
  getByName: () => {
    throw new Error('unreachable')
  },
}
