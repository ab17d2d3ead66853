// The contract runner against this very Worker: no difference, and its exit status says so.
import { beforeAll, expect, it } from 'vitest'
import { runContract } from '../../scripts/contract/run-contract.ts'
import { type Deployment } from '../support/e2e/deployment.ts'
import { sharedGateway } from '../support/e2e/gateway.ts'

let service: Deployment
beforeAll(async () => ({ service } = await sharedGateway()))

it('finds no difference between the service and its contract, one 429 included', async () => {
  // Three keys take turns, so that none is used up within its minute.
  const keys = await Promise.all(Array.from({ length: 4 }, () => service.createKey()))
  const [limited, ...taking] = keys.map(({ key }) => key)
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  const args = [service.url, ...taking.flatMap((key) => ['--key', key]), '--limited-key', limited ?? '']
  const status = await runContract(args, { print, report: print, env: {}, wait: () => Promise.resolve() })
  expect(status, printed.join('\n')).toBe(0)
})
