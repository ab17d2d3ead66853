// Starts what SDK tests need: the model emulator, the service that calls it, and the recording proxy that the SDKs call.
// Begins each run, and at its end judges it by what the emulator and the proxy recorded.
import { join } from 'node:path'
import * as z from 'zod'
import { startService } from '../workerd/start-service.ts'
import { startEmulator } from '../emulator/server.ts'
import { emulatedProviders, PREFERRED_ENDPOINTS } from '../local/emulated-providers.ts'
import { callOperator, type OperatorTarget } from '../operator/operator-client.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'
import type { Outcome, RunName, Verdict } from './sdk-features.ts'
import { PIXEL } from './node/node-client.ts'
import { startRecordingProxy, type RecordingProxy } from './recording-proxy.ts'
import { judgeRun } from './judge-run.ts'

export type SdkTestSetup = {
  readonly proxy: RecordingProxy
  readonly key: string
  readonly models: readonly TestedModel[]
  /** Resets the emulated providers before a run. Runs never overlap. */
  readonly begin: () => void
  readonly end: (run: RunName, outcome: Outcome) => Promise<Verdict>
  /** Sets the function that receives the reports that Python programs post to the proxy. */
  readonly listen: (onReport: OnReport) => void
  readonly close: () => Promise<void>
}

export type TestedModel = {
  readonly id: string
  readonly provider: ReturnType<typeof catalogueModels>[number]['provider']
}

/** A well-formed key that was never issued. */
export const BAD_KEY = `aqta_${'1'.repeat(89)}`

export type OnReport = (body: string) => Promise<void>

export async function startSdkTestSetup(folder: string): Promise<SdkTestSetup> {
  let onReport: OnReport | null = null
  const emulator = await startEmulator({ record: true })
  const { server, target } = await startService(join(folder, 'service'), {
    vars: emulatedProviders(emulator.url, PREFERRED_ENDPOINTS),
  })
  const models = catalogueModels()
    .filter(({ gateway }) => gateway)
    .map(({ id, provider, endpoint }) => ({ id, provider, endpoint }))
  const proxy = await startRecordingProxy({
    serviceUrl: target.url,
    onReport: async (body) => onReport?.(body),
    beforePost({ feature, model }) {
      const endpoint = models.find(({ id }) => id === model)?.endpoint
      const behaviour = BEHAVIOURS[feature]
      if (endpoint !== undefined && behaviour !== undefined) emulator.behave(endpoint, [behaviour])
    },
  })
  /** Waits until no request is open. The emulator notices a cancelled stream only when it writes the next pieces. */
  async function isProviderCancelled(): Promise<boolean> {
    await emulator.idle()
    return emulator.requests().some(({ state }) => state === 'cancelled')
  }
  return {
    proxy,
    key: await issueKey(target),
    models,
    begin: () => emulator.reset(),
    end: async (run, outcome) =>
      judgeRun(run.feature, {
        outcome,
        exchanges: proxy.exchangesOf(run),
        isProviderCancelled: run.feature === 'cancellation' && (await isProviderCancelled()),
        isPictureSeen: run.feature === 'images' && emulator.requests().some(({ body }) => body.includes(PIXEL)),
      }),
    listen: (listener) => {
      onReport = listener
    },
    close: async () => {
      await proxy.close()
      await server.stop()
      await emulator.close()
    },
  }
}

const BEHAVIOURS: Partial<Record<RunName['feature'], string>> = {
  'failing stream': 'mid-error,4',
  cancellation: 'stream,400,10',
}

const CreatedSchema = z.object({ id: z.string() })
const IssuedSchema = z.object({ key: z.string() })

/** Issues a key of an organisation whose limits no run reaches. */
async function issueKey(target: OperatorTarget): Promise<string> {
  const organisation = {
    name: 'Clients',
    tier: 'enterprise',
    enabled_providers: PROVIDER_IDS,
    requests_per_minute: 30_000,
    requests_per_month: 1_000_000_000,
  }
  const { id } = await callOperator(target, CreatedSchema, 'POST', '/organisations', organisation)
  const key = { prefix: 'aqta_', name: 'Clients' }
  return (await callOperator(target, IssuedSchema, 'POST', `/organisations/${id}/keys`, key)).key
}
